"""Training by dual ascent to a relative duality gap, with one number of threads and another in turn, on the features of a corpus."""

import gc
import time
import warnings
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from spacy import registry, util

from benchmarks.common.measure import median
from spacy_mtl.structures.problem import Problem
from spacy_mtl.trainers.base import Trainer, fit

from .prediction import undisturbed

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
    found: dict[int, list[tuple[float, float, Any]]] = {n: [] for n in threads}
    for number in range(repeats + 1):
        for n, settings in trainings.items():
            gc.collect()
            with undisturbed(first and number > 0):
                begin, began = time.perf_counter(), time.process_time()
                training = fit(settings, problem, MOST if number else 2)
                took = time.perf_counter() - begin, time.process_time() - began
            if number:  # after a round in which kernels are compiled
                found[n].append((*took, training.report()))
    one = found[threads[0]]
    return [
        {
            "threads": n,
            "sentences": problem.n,
            "wall": median([wall for wall, _, _ in found[n]]),
            "cpu": median([cpu for _, cpu, _ in found[n]]),
            "speedup": median([a[0] / b[0] for a, b in zip(one, found[n], strict=True)]),
            "cpu_ratio": median([b[1] / a[1] for a, b in zip(one, found[n], strict=True)]),
            "passes": found[n][0][2].passes,
            "primal": found[n][0][2].primal,
            "dual": found[n][0][2].dual,
            "gap": found[n][0][2].gap,
            "same": len({report for _, _, report in found[n]}) == 1,
            "runs": [wall for wall, _, _ in found[n]],
        }
        for n in threads
    ]
