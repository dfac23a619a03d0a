"""Trainers in addition to constant scores (offsets), as when training goes on from an earlier model: the same optima as by enumeration, for every
trainer, of chains and of trees; and none of them learns where the constant scores leave nothing to be learnt."""

from dataclasses import replace

import cvxpy as cp
import numpy as np
import pytest

from spacy_mtl.trainers.mtlstruct.trainer import MTLStruct

from ..structures.offsets import give_chain, tree_with_offset
from ..structures.tree.corpora import random_tree_corpus
from . import certificates
from .certificates import Case, Kind, chain_case, try_out


def with_bases(case: Case, problem, bases) -> Case:
    """The case with constant scores that are part of the losses of the hinge, and of the scores of the log loss."""
    rows = [(differences, loss + base) for (differences, loss), base in zip(case.rows, bases, strict=True)]
    return replace(case, problem=problem, rows=rows, bases=bases)


def chain_offset_case(seed: int) -> Case:
    from itertools import product

    case = chain_case(seed)
    given = give_chain(case.problem, seed, 1.5)
    lengths = (case.problem.arrays.last - case.problem.arrays.first).tolist()
    outputs = [list(product(range(3), repeat=n)) for n in lengths]
    bases = [np.array([given.more_than_gold(i, y) for y in every]) for i, every in enumerate(outputs)]
    return with_bases(case, given.problem, bases)


def tree_offset_case(seed: int) -> Case:
    rng = np.random.default_rng([seed, 2])
    projective = bool(rng.random() < 0.6)
    n_labels, second_order = int(rng.integers(1, 3)), projective and bool(rng.random() < 0.5)
    corpus = random_tree_corpus(seed, n_labels, projective, True, second_order, 4 if n_labels == 1 else 3)
    given = tree_with_offset(corpus, seed, 1.5)
    rows, bases = [], []
    for i in range(corpus.problem.n):
        outputs, gold = corpus.outputs(i), corpus.phi(i, corpus.gold(i))
        rows.append(
            (np.stack([corpus.phi(i, y) - gold for y in outputs]), np.array([corpus.loss(i, y) for y in outputs]))
        )
        bases.append(np.array([given.more_than_gold(i, y) for y in outputs]))
    return with_bases(Case(corpus.problem, rows, corpus.owner), given.problem, bases)


def block_size(p: float):
    def size(w, training, case):
        norms = [np.linalg.norm(w[case.owner == j]) for j in range(case.problem.blocks.n)]
        return 0.5 * float(np.sum(np.array(norms) ** p) ** (2 / p))

    def convex(w, training, case):
        masks = [np.flatnonzero(case.owner == j) for j in range(case.problem.blocks.n)]
        norms = cp.hstack([cp.norm(w[mask]) for mask in masks if mask.size])
        return 0.5 * cp.square(cp.norm1(norms) if p == 1 else cp.pnorm(norms, p))

    return size, convex


def mtl(p: float, solver: str) -> Kind:
    return Kind(lambda C, tol: MTLStruct(p, C=C, tol=tol, solver=solver), "hinge", *block_size(p))


MTL = {
    f"mtlstruct p={p:g} {solver}": mtl(p, solver)
    for p in (1.0, 4 / 3, 2.0)
    for solver in ("dual_ascent", "cutting_plane")
}
KINDS = certificates.KINDS | MTL


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("case_of", [chain_offset_case, tree_offset_case], ids=["chains", "trees"])
def test_the_optimum_is_that_of_the_problem_with_constant_scores(name, case_of, monkeypatch):
    monkeypatch.setattr(certificates, "KINDS", KINDS)
    told = []
    for seed in range(4 if case_of is chain_offset_case else 3):
        rng = np.random.default_rng([seed, list(KINDS).index(name)])
        C, tol = 10 ** rng.uniform(-2, 2), 10 ** rng.uniform(-4, -2)
        found, became = try_out(case_of(seed), name, C, tol)
        assert not found, f"seed {seed}, C = {C:g}, tol = {tol:g}: {found}"
        told.append(became)
    assert any(one["sharp"] for one in told)
