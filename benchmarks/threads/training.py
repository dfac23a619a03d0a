"""Training by dual ascent to a relative duality gap, with one number of threads and another in turn, on the features of a corpus."""

import warnings
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from spacy import registry, util

from spacy_mtl.structures.problem import Problem
from spacy_mtl.trainers.base import Report, Trainer, fit

from .timing import Took, compared, timed

#: More passes than are needed.
MOST = 400


def extracted(of: dict[str, Any]) -> tuple[Problem, Trainer]:
    """The problem of a task's training corpus, or its first ``limit`` documents, and its trainer."""
    pipe = begun(of)
    return pipe._learner.training.problem, pipe.trainer


def begun(of: dict[str, Any]) -> Any:
    """The component of a task after a pass over its training corpus, or over its first ``limit`` documents."""
    config = util.load_config(of["config"])
    component = list(config["components"].values())[-1]
    if of["templates"]:
        component["model"]["templates"] = {"@mtl_templates": of["templates"]}
    component["trainer"] = {"@mtl_trainers": "spacy_mtl.MTLStruct.v1", **of["trainer"]}
    nlp = util.load_model_from_config(
        {"nlp": config["nlp"], "components": config["components"]}, auto_fill=True, validate=False
    )
    reader = {**config["corpora"]["train"], **of["reader"], "path": of["train"]}
    train = list(islice(registry.resolve({"corpus": reader})["corpus"](nlp), of.get("limit")))
    nlp.initialize(lambda: train)
    pipe: Any = nlp.get_pipe(nlp.pipe_names[-1])
    nlp.update(train)
    return pipe


def rounds(of: dict[str, Any], threads: Sequence[int], repeats: int, first: bool) -> list[dict[str, Any]]:
    """A row for each number of threads: medians of wall and CPU seconds to the gap ``of["trainer"]["tol"]``, and what was reached."""
    warnings.simplefilter("ignore")
    problem, trainer = extracted(of)
    trainings = {n: replace(trainer, threads=n) for n in threads}  # type: ignore[type-var]
    found: dict[int, list[Took]] = {n: [] for n in threads}
    reports: dict[int, list[Report]] = {n: [] for n in threads}
    for number in range(repeats + 1):
        for n, settings in trainings.items():
            # the first round compiles kernels
            with timed(found[n] if number else [], first and number > 0):
                training = fit(settings, problem, MOST if number else 2)
            if number:
                reports[n].append(training.report())
    return [
        {
            **compared(found, n),
            "sentences": problem.n,
            "passes": reports[n][0].passes,
            "primal": reports[n][0].primal,
            "dual": reports[n][0].dual,
            "gap": reports[n][0].gap,
            "same": len(set(reports[n])) == 1,
        }
        for n in threads
    ]
