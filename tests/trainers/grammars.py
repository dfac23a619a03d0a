"""Small grammar problems with the feature vectors of all their trees, summed part by part, for tests of trainers."""

from functools import cache

import numpy as np

from spacy_mtl.structures.enumeration.derivations import every_derivation
from spacy_mtl.structures.problem import Problem

from ..structures.grammar.corpora import random_grammar_problem

#: The losses of the corpora: wrong labelled spans, and wrong anchored rules.
KINDS = ("brackets", "rules")


@cache
def problem_of(kind: str) -> Problem:
    """Three sentences of up to five words with up to 40 trees each."""
    return random_grammar_problem(21, 5, kind, 40)


def phi_and_loss(problem: Problem, i: int, output) -> tuple[np.ndarray, float]:
    """Feature vector of an output, node entries first, and its loss."""
    arrays = problem.arrays
    node, pair = (np.zeros(matrix.shape) for matrix in problem.zeros())
    begin, edge_begin = arrays.first_item[i], arrays.first_edge[arrays.first_item[i]]
    items, loss = [output[0]], 0.0
    for e in edge_begin + np.array(output[1:], int):
        items += [arrays.left[e], arrays.right[e]]
        rows = arrays.split_rows[arrays.split[e]]
        pair[rows[rows >= 0], arrays.rule[e]] += 1
        loss += arrays.edge_cost[e]
    for a in begin + np.array(items):
        rows = arrays.span_rows[arrays.span[a]]
        node[rows[rows >= 0], arrays.symbol[a]] += 1
        loss += arrays.item_cost[a]
    return np.concatenate([node.ravel(), pair.ravel()]), float(loss)


@cache
def rows_of(kind: str) -> list[tuple[np.ndarray, np.ndarray]]:
    """For each sentence Phi(y) - Phi(gold), float64[Y, K], and loss, float64[Y], of every tree."""
    problem, rows = problem_of(kind), []
    for i, outputs in enumerate(every_derivation(problem.arrays)):
        vectors, losses = zip(*(phi_and_loss(problem, i, output) for output in outputs), strict=True)
        gold = problem.arrays.gold[problem.arrays.first[i] : problem.arrays.first[i + 1]]
        rows.append((np.array(vectors) - phi_and_loss(problem, i, gold)[0], np.array(losses)))
    return rows


def owner_of(problem: Problem) -> np.ndarray:
    """The template of each weight, int64[K]."""
    node = np.repeat(np.arange(problem.blocks.n_node), np.diff(problem.blocks.node) * problem.node_width)
    pair = np.repeat(
        np.arange(problem.blocks.n_node, problem.blocks.n), np.diff(problem.blocks.pair) * problem.pair_width
    )
    return np.concatenate([node, pair])


def flat(weights) -> np.ndarray:
    return np.concatenate([weights.node.ravel(), weights.pair.ravel()]).astype(float)


def hinges(kind: str, w: np.ndarray) -> float:
    return sum(float(np.max(differences @ w + losses)) for differences, losses in rows_of(kind))


def log_losses(kind: str, w: np.ndarray) -> float:
    return sum(float(np.log(np.exp(differences @ w).sum())) for differences, _ in rows_of(kind))
