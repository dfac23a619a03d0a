"""Every trainer on the example structure, as plain Python (NUMBA_DISABLE_JIT=1): prints JSON, by trainer what it reached.

Once with all the example implements, and once with a type that implements the groups alone which the trainer says it needs.
"""

import json
from collections import namedtuple
from dataclasses import replace
from typing import Any

import numpy as np

from examples.independent_labels import Labels, positions, small_problem
from spacy_mtl.structures import contract
from spacy_mtl.structures.contract import implements
from spacy_mtl.structures.problem import Problem
from spacy_mtl.testing.table import TRAINERS
from spacy_mtl.trainers.base import Trainer, Training, fit

PASSES = 60


def gold_score(problem, i, work):
    return sum(work.scores[k, problem.gold[t]] for k, t in enumerate(positions(problem, i)))


def add_output(problem, vector, i, work, amount):
    for k, t in enumerate(positions(problem, i)):
        for row in problem.rows[t]:
            if row >= 0:
                vector.node[row, problem.gold[t]] += amount
                vector.node[row, work.labels[k]] -= amount


def dot_output(problem, vector, i, work, node_dots, pair_dots):
    for k, t in enumerate(positions(problem, i)):
        for j, row in enumerate(problem.rows[t]):
            if row >= 0:
                node_dots[j] += vector.node[row, problem.gold[t]] - vector.node[row, work.labels[k]]


#: What the example has from functions of other groups.
BY_HAND = {contract.gold_score: gold_score, contract.add_output: add_output, contract.dot_output: dot_output}


def with_groups(names: frozenset[str]) -> type:
    """A type that implements these groups and no other function."""
    only = namedtuple("Only", Labels._fields)
    for group in contract.GROUPS:
        if group.name in names:
            for function in group.functions:
                body = contract.own(function.generic, Labels, function.scale) or BY_HAND.get(function.generic)
                if body:
                    implements(function.generic, only, function.scale)(body)
    return only


def train_without_check(trainer: Trainer, problem: Problem) -> Training:
    """As ``fit``, whatever the problem offers: a function that is not there raises NotImplementedError when it is called."""
    training = trainer._begin(problem)
    while training.passes < PASSES and not training.finished:
        training.step(np.arange(problem.n))
        training.end_pass()
    return training


def reached(training: Training, problem: Problem) -> dict[str, Any]:
    report = training.report()
    found = {"primal": report.primal, "gap": report.gap, "hinges": problem.hinges(training.weights).sum()}
    return {name: float(value) for name, value in found.items()}


def main() -> None:
    problem, found = small_problem(), {}
    zero = float(problem.hinges(problem.zeros()).sum())
    for trainers in TRAINERS.values():
        for trainer in trainers:
            narrow = replace(problem, arrays=with_groups(trainer.needs)(*problem.arrays))
            found[str(trainer)] = {
                "zero": zero,
                "all": reached(fit(trainer, problem, PASSES), problem),
                "needs": reached(train_without_check(trainer, narrow), narrow),
            }
    print(json.dumps(found))


if __name__ == "__main__":
    main()
