"""docs/trainers.md: its table of needs and offers is that of the code."""

from pathlib import Path

import pytest

from spacy_mtl.structures.chain.build import CHAIN_OFFERS
from spacy_mtl.structures.tree.build import tree_offers
from spacy_mtl.trainers.crf.trainer import CRF
from spacy_mtl.trainers.eg.trainer import EG
from spacy_mtl.trainers.l1m3n.trainer import L1M3N
from spacy_mtl.trainers.mtlstruct.trainer import MTLStruct, ssvm
from spacy_mtl.trainers.online.mira import MIRA
from spacy_mtl.trainers.online.perceptron import Perceptron
from spacy_mtl.trainers.online_mkl.trainer import OnlineMKL
from spacy_mtl.trainers.structreg import StructReg

#: by row of the table: the trainers it is true of, and the marks that count as "needs" for each of them
ROWS = {
    "`MTLStruct`, `SSVM`": [
        (MTLStruct(), {"needs"}),
        (MTLStruct(solver="cutting_plane"), {"needs"}),
        (ssvm(), {"needs"}),
    ],
    "`L1M3N`": [(L1M3N(algorithm=name), {"needs"}) for name in ("em", "laplace", "subgradient", "cutting_plane")],
    "`EG`": [(EG(mode=mode), {"needs"}) for mode in ("online", "batch", "batch_primal")],
    "`OnlineMKL`": [(OnlineMKL(), {"needs", "hinge"}), (OnlineMKL(loss="log"), {"needs", "log"})],
    "`CRF`": [
        (CRF(), {"needs"}),
        (CRF(algorithm="sgd"), {"needs"}),
        (CRF(penalty="l1"), {"needs", "l1"}),
        (CRF(penalty="irw"), {"needs"}),
    ],
    "`Perceptron`": [(Perceptron(), {"needs"})],
    "`MIRA`": [(MIRA(), {"needs"})],
}


def table() -> dict[str, dict[str, str]]:
    """Rows of the table of needs: heading of the row, then of the column, to mark."""
    lines = (Path(__file__).parents[1] / "docs" / "trainers.md").read_text(encoding="utf8").splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]
    begin = next(k for k, row in enumerate(cells) if row[:2] == ["trainer", "decode"])
    heads = cells[begin][1:]
    return {row[0]: dict(zip(heads, row[1:], strict=True)) for row in cells[begin + 2 :] if len(row) == len(heads) + 1}


@pytest.mark.parametrize("row", ROWS)
def test_needs_of_each_trainer(row):
    for trainer, marks in ROWS[row]:
        assert {column for column, mark in table()[row].items() if mark in marks} == trainer.needs


def test_structure_regularization_needs_what_its_trainer_needs_and_cuts():
    assert StructReg(Perceptron()).needs == Perceptron().needs | {"cut"}
    assert table()["`StructReg`"]["cut"].startswith("needs")


def test_every_row_is_there():
    known = {*ROWS, "`StructReg`", "**offered by**", "linear chain", "linear chain with kernelised blocks"}
    assert known <= set(table())


def test_offers_of_chains():
    assert {column for column, mark in table()["linear chain"].items() if mark == "yes"} == CHAIN_OFFERS
    kernelised = {column for column, mark in table()["linear chain with kernelised blocks"].items() if mark == "yes"}
    assert kernelised == CHAIN_OFFERS - {"features"}


def test_offers_of_trees():
    def marks(row):
        return {column for column, mark in table()[row].items() if mark == "yes"}

    assert marks("dependency tree") == tree_offers(projective=True, second_order=True)
    assert marks("dependency tree") == tree_offers(projective=False, second_order=False)
    assert marks("crossing trees with pairs of siblings") == tree_offers(projective=False, second_order=True)
    for projective in (True, False):
        assert marks("trees with pairs with grandparents") == tree_offers(projective, True, grandparents=True)
