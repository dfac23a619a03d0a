"""An interrupt while sentences are cut elsewhere leaves a training on the old pieces or on the new ones, never between."""

import numpy as np
import pytest

from spacy_mtl.structures import problem as structures
from spacy_mtl.trainers.base import fit
from spacy_mtl.trainers.eg import batch as eg_batch
from spacy_mtl.trainers.eg import forms as eg_forms
from spacy_mtl.trainers.eg import online as eg_online
from spacy_mtl.trainers.eg.trainer import EG
from spacy_mtl.trainers.l1m3n import em as l1m3n_em
from spacy_mtl.trainers.l1m3n.trainer import L1M3N
from spacy_mtl.trainers.mtlstruct import dual_ascent
from spacy_mtl.trainers.mtlstruct.trainer import MTLStruct
from spacy_mtl.trainers.structreg import StructReg

from .l1_reference import cut_elsewhere, flat
from .reference import random_problem

C = 0.7
ASCENT, EM = MTLStruct(C=C, tol=1e-9), L1M3N(C=C, tol=1e-12, inner_passes=3, rounds=300)
LAPLACE = L1M3N("laplace", C=C, tol=1e-12, inner_passes=3, rounds=300)
ONLINE, BATCH, PRIMAL = (EG(mode, C, tol=1e-12) for mode in ("online", "batch", "batch_primal"))
CASES = [
    (ASCENT, dual_ascent, "gold_atoms"),
    (EM, l1m3n_em, "gold_atoms"),
    (EM, l1m3n_em, "fill"),
    (LAPLACE, l1m3n_em, "gold_atoms"),
    (ONLINE, eg_online, "find_start"),
    (ONLINE, eg_online, "begin_theta"),
    (ONLINE, structures, "_scale_blocks"),
    (BATCH, eg_batch, "find_start"),
    (BATCH, eg_forms, "begin_theta"),
    (BATCH, structures, "_scale_blocks"),
    (PRIMAL, structures, "_scale_blocks"),
]


def interrupt(monkeypatch, owner, kernel, action):
    """``action`` with Ctrl-C when the kernel returns."""
    original = getattr(owner, kernel)

    def interrupted(*arguments):
        original(*arguments)
        raise KeyboardInterrupt

    monkeypatch.setattr(owner, kernel, interrupted)
    with pytest.raises(KeyboardInterrupt):
        action()
    monkeypatch.setattr(owner, kernel, original)


@pytest.mark.parametrize(("trainer", "owner", "kernel"), CASES)
def test_old_pieces_or_new_ones(monkeypatch, trainer, owner, kernel):
    problem = random_problem(3)
    n = problem.arrays.gold.size
    other = cut_elsewhere(problem, [0, 1, n // 2, n])
    training, straight = fit(trainer, problem, 4), fit(trainer, problem, 4)
    before = flat(training.weights)
    straight.recut(other)
    interrupt(monkeypatch, owner, kernel, lambda: training.recut(other))
    wanted = before if training.problem is problem else flat(straight.weights)
    assert training.problem is problem or training.problem is other
    np.testing.assert_allclose(flat(training.weights), wanted, rtol=1e-4, atol=1e-5)
    for _ in range(3):
        training.end_pass()
        report = training.report()
        assert report.dual <= report.primal * (1 + 1e-6)
    training.recut(other)
    assert training.problem is other


@pytest.mark.parametrize("trainer", [ASCENT, EM], ids=["dual ascent", "em"])
def test_a_draw_that_was_interrupted_is_made_again(monkeypatch, trainer):
    settings = StructReg(trainer, size=2, redraw=4)
    training, straight = (fit(settings, random_problem(1, n_sentences=12), 4) for _ in range(2))
    interrupt(monkeypatch, dual_ascent if trainer is ASCENT else l1m3n_em, "gold_atoms", training.end_pass)
    for either in (training, straight):
        for _ in range(2):
            either.end_pass()
    assert training.inner.problem.arrays.first.tolist() == straight.inner.problem.arrays.first.tolist()
    np.testing.assert_allclose(flat(training.weights), flat(straight.weights), rtol=1e-4, atol=1e-5)
