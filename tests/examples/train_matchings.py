"""Every trainer that suits matchings, as plain Python (NUMBA_DISABLE_JIT=1): prints JSON, what the groups offer and by trainer what it reached."""

import json

import numpy as np

from examples.matching import every_matching, small_problem
from spacy_mtl.structures import contract
from spacy_mtl.testing import check_structure
from spacy_mtl.testing.table import TRAINERS
from spacy_mtl.trainers.base import fit


def best_by_enumeration(problem, scores, i):
    """Score of the best matching of sentence i under ``scores``, float32[n, n]."""
    outputs = list(every_matching(problem.arrays))[i]
    return max(sum(scores[a, b] for a, b in enumerate(partners)) for partners in outputs)


def decoding_error(problem):
    """The largest difference between decoding and enumeration, over sentences and random scores."""
    random, work, worst = np.random.default_rng(5), contract.new_work(problem.arrays), 0.0
    for trial in range(60):
        i = trial % problem.n
        n = int(np.diff(problem.arrays.first)[i])
        work.scores[:n, :n] = random.normal(size=(n, n)).astype(np.float32)
        scores = work.scores[:n, :n].copy()
        worst = max(
            worst, abs(contract.decode(problem.arrays, i, work, False) - best_by_enumeration(problem, scores, i))
        )
    return worst


def main() -> None:
    problem = small_problem()
    check_structure(problem)
    found = {"offers": sorted(problem.offers), "zero": float(problem.hinges(problem.zeros()).sum())}
    found["decoding error"] = float(decoding_error(problem))
    found["trained"] = {
        str(trainer): [float(problem.hinges(training.weights).sum()), float(training.report().primal)]
        for trainers in TRAINERS.values()
        for trainer in trainers
        if trainer.needs <= problem.offers
        for training in [fit(trainer, problem, 60)]
    }
    print(json.dumps(found))


if __name__ == "__main__":
    main()
