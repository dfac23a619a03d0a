"""A contestant in a process of its own: trained, scored on dev, its labels of dev and test kept for the comparison."""

import time
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from benchmarks.common.measure import cpu_seconds, forget_peak, peak_megabytes
from benchmarks.common.rows import Row, best_point
from spacy_mtl.structures.problem import Problem
from spacy_mtl.trainers.base import Training

from .contestants import CRFSUITE, IN_PASSES, crfsuite_parameters, make
from .data import Data, Subject, scores

#: Sentences to compile the kernels with.
FEW = 20


def subject_of(settings: Row) -> Subject:
    return Subject(**{**settings, "only": tuple(settings["only"])})


def keep(path: str, labels: dict[str, Sequence[Sequence[str]]]) -> None:
    """Labels of each part, one after another."""
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(path, **{part: np.array([y for line in lines for y in line]) for part, lines in labels.items()})


def kept(path: str, part: str, gold: Sequence[Sequence[str]]) -> list[list[str]]:
    """The labels of a part, sentence by sentence as in ``gold``."""
    with np.load(path) as found:
        flat = found[part].tolist()
    borders = np.cumsum([0, *map(len, gold)]).tolist()
    if borders[-1] != len(flat):
        raise ValueError(f"{path} has labels of other sentences: give another --outputs folder.")
    return [flat[a:b] for a, b in pairwise(borders)]


def show_all(training: Training) -> None:
    """A pass."""
    training.step(np.arange(training.problem.n))
    training.end_pass()


def warm_up(subject: Subject, name: str, C: float, p: float) -> None:
    """Compile or load every kernel."""
    data = Data.load(replace(subject, limit=FEW))
    training = make(name, C, p).begin(data.train)
    for _ in range(3):
        show_all(training)
    training.report()
    data.label("dev", training.weights)


def train(subject: Row, name: str, C: float, p: float, passes: int, budget: float, outputs: str) -> Row:
    """A row. cpu: CPU seconds to the point that is best on dev, features not counted; cpu_all: to the end; cpu_features: to make the features.

    points: dev F1 after passes 1, 2, 3, ..., ever fewer. stopped: by its own stop, the number of passes, or the budget in CPU seconds.
    """
    the_subject = subject_of(subject)
    if name in CRFSUITE:
        return train_crfsuite(the_subject, name, C, passes, outputs)
    warm_up(the_subject, name, C, p)
    data = Data.load(the_subject)
    forget_peak()
    most = passes if name in IN_PASSES else 100_000
    unfinished = f"{outputs}.part.npz"  # labels of a training that was broken off are not those of a row
    begin = time.process_time()
    training = make(name, C, p).begin(data.train)
    cpu, points, best = time.process_time() - begin, [], -1.0
    while not training.finished and training.passes < most and cpu < budget:
        begin = time.process_time()
        show_all(training)
        cpu += time.process_time() - begin
        if is_scored(training.passes) or training.finished or training.passes == most or cpu >= budget:
            dev = data.label("dev", training.weights)
            points.append({"passes": training.passes, "cpu": cpu, **scores(data.counts("dev", dev), "dev")})
            if points[-1]["f1_dev"] > best:
                best = points[-1]["f1_dev"]
                keep(unfinished, {"dev": dev, "test": data.label("test", training.weights)})
    Path(unfinished).replace(outputs)
    stopped = "own stop" if training.finished else "passes" if training.passes == most else "budget"
    return {
        **best_point(points, "f1_dev"),
        "cpu_all": cpu,
        "cpu_features": data.cpu_features,
        "passes_all": training.passes,
        "stopped": stopped,
        "points": points,
        "peak_mb": peak_megabytes(),
        **described(training, data.train),
    }


def is_scored(passes: int) -> bool:
    """1, 2, 3, 4, 5, 6, 8, 10, 12, 14, 16, 20, 24, ...: about every fifth part more."""
    return passes % max(1, 2 ** int(np.log2(max(passes, 4) / 4))) == 0


def described(training: Training, problem: Problem) -> dict[str, Any]:
    """Objective values, size of the problem, and the share of each template."""
    report = training.report()
    mu = np.array(training.template_weights, float)
    total = mu.sum()
    return {
        "primal": report.primal,
        "gap": report.gap,
        "live_templates": report.live_templates,
        "n_templates": report.n_templates,
        "observations": int(problem.blocks.node[-1]),
        "shares": [float(f"{x:.4g}") for x in (mu / total if total > 0 else mu)],
        "names": list(problem.blocks.names),
    }


# --- python-crfsuite ---


def sequences(problem: Problem):
    """The sentences of a problem as python-crfsuite takes them: a token is the numbers of its feature rows."""
    import pycrfsuite

    arrays = problem.arrays
    for a, b in zip(arrays.first.tolist(), arrays.last.tolist(), strict=True):
        yield pycrfsuite.ItemSequence([[str(row) for row in token if row >= 0] for token in arrays.rows[a:b].tolist()])


def train_crfsuite(subject: Subject, name: str, C: float, iterations: int, outputs: str) -> Row:
    """L-BFGS to its default stop (iterations 0) or for so many iterations. cpu: from ``append`` of sequences already made to the end of training."""
    import pycrfsuite

    data = Data.load(subject)
    trainer = pycrfsuite.Trainer("lbfgs", verbose=False)
    trainer.set_params(crfsuite_parameters(name, C) | ({"max_iterations": iterations} if iterations else {}))
    appended = 0.0
    arrays = data.train.arrays
    lines = zip(arrays.first.tolist(), arrays.last.tolist(), strict=True)
    for sequence, (a, b) in zip(sequences(data.train), lines, strict=True):
        gold = [data.labels[y] for y in arrays.gold[a:b].tolist()]
        begin = time.process_time()
        trainer.append(sequence, gold)
        appended += time.process_time() - begin
    with TemporaryDirectory() as folder:
        path = str(Path(folder, "model"))
        cpu = cpu_seconds(lambda: trainer.train(path))
        model_mb = Path(path).stat().st_size / 1e6
        tagger = pycrfsuite.Tagger()
        tagger.open(path)
        labels = {part: [tagger.tag(line) for line in sequences(problem)] for part, problem in data.others.items()}
        tagger.close()
    keep(outputs, labels)
    last = trainer.logparser.last_iteration
    return {
        "passes": int(last["num"]) if last else 0,
        "cpu": appended + cpu,
        "cpu_all": appended + cpu,
        "cpu_append": appended,
        "stopped": "passes" if iterations else "own stop",
        "model_mb": model_mb,
        "peak_mb": peak_megabytes(),
        "observations": int(data.train.blocks.node[-1]),
        "n_templates": len(data.train.blocks.names),
        **scores(data.counts("dev", labels["dev"]), "dev"),
    }


# --- the test part ---


def judge(subject: Row, contestants: Row, reference: str) -> Row:
    """Scores on test of each contestant, and whether it differs from the reference. contestants: outputs of each by its name."""
    from benchmarks.common.significance import compare

    data = Data.load(subject_of(subject))
    labels = {name: kept(path, "test", data.gold["test"]) for name, path in contestants.items()}
    counts = {name: data.counts("test", given) for name, given in labels.items()}
    found = {}
    for name, count in counts.items():
        found[name] = scores(count, "test") | data.recall_of_known("test", labels[name])
        if name != reference:
            found[name] |= {f"{key}_ahead": value for key, value in compare(counts[reference], count)._asdict().items()}
    return found
