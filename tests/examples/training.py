"""Every trainer on the example structure, as plain Python (NUMBA_DISABLE_JIT=1): prints JSON, by trainer what it reached."""

import json

import numpy as np

from examples.independent_labels import small_problem
from spacy_mtl.testing.table import TRAINERS
from spacy_mtl.trainers.base import fit

PASSES = 60


def main() -> None:
    problem, found = small_problem(), {}
    zero = float(problem.hinges(problem.zeros()).sum())
    for trainers in TRAINERS.values():
        for trainer in trainers:
            training = fit(trainer, problem, PASSES)
            hinges, report = float(problem.hinges(training.weights).sum()), training.report()
            assert np.isfinite(hinges)
            found[str(trainer)] = {
                "zero": zero,
                "hinges": hinges,
                "primal": float(report.primal),
                "gap": float(report.gap),
            }
    print(json.dumps(found))


if __name__ == "__main__":
    main()
