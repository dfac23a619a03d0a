"""One table, made from the code, of what each trainer needs of the contract and what each structure offers.

``python -m spacy_mtl.testing.table docs/trainers/index.md`` writes it between the marks ``<!-- table: needs -->`` and ``<!-- end -->`` of a page.
"""

import re
import sys
from pathlib import Path

from spacy_mtl.files import write_atomically
from spacy_mtl.structures.chain.build import chain_offers
from spacy_mtl.structures.contract import ABILITIES, GROUPS
from spacy_mtl.structures.grammar.build import grammar_offers
from spacy_mtl.structures.tree.build import tree_offers
from spacy_mtl.trainers.base import Trainer
from spacy_mtl.trainers.crf.trainer import CRF
from spacy_mtl.trainers.eg.trainer import EG
from spacy_mtl.trainers.l1m3n.trainer import L1M3N
from spacy_mtl.trainers.mtlstruct.trainer import MTLStruct, ssvm
from spacy_mtl.trainers.online.mira import MIRA
from spacy_mtl.trainers.online.perceptron import Perceptron
from spacy_mtl.trainers.online_mkl.trainer import OnlineMKL
from spacy_mtl.trainers.structreg import StructReg

#: Trainers by the name in the table; those with the same name have the same needs.
TRAINERS: dict[str, tuple[Trainer, ...]] = {
    "`Perceptron`": (Perceptron(), Perceptron(margin=True)),
    '`L1M3N` with `algorithm = "subgradient"`': (L1M3N("subgradient"), L1M3N("subgradient", batch_size=1)),
    '`MTLStruct`, `SSVM` with `solver = "cutting_plane"`': (
        MTLStruct(solver="cutting_plane"),
        ssvm(solver="cutting_plane"),
    ),
    "`MTLStruct`, `SSVM`": (MTLStruct(), MTLStruct(p=3.0), ssvm()),
    "`OnlineMKL`": (OnlineMKL(),),
    '`OnlineMKL` with `loss = "log"`': (OnlineMKL(loss="log"),),
    "`EG`": tuple(EG(mode, eta=eta) for mode in ("online", "batch", "batch_primal") for eta in (None, "safe")),
    "`CRF`": (CRF(), CRF("irw")),
    '`CRF` with `algorithm = "sgd"`': (CRF(algorithm="sgd"),),
    '`CRF` with `penalty = "l1"`': (CRF("l1"),),
    "`MIRA`": (MIRA(),),
    "`L1M3N`": (L1M3N("em"), L1M3N("laplace"), L1M3N("cutting_plane")),
}
STRUCTURES = {
    "linear chain": chain_offers(),
    "linear chain with kernelised blocks": chain_offers(kernelised=True),
    "dependency tree": tree_offers(projective=True, second_order=False),
    "projective trees with pairs of siblings": tree_offers(projective=True, second_order=True),
    "crossing trees with pairs": tree_offers(projective=False, second_order=True),
    "trees with pairs with grandparents": tree_offers(projective=True, second_order=True, grandparents=True),
    "context-free grammar": grammar_offers(),
}
COLUMNS = (*(group.name for group in GROUPS), *ABILITIES)


def needs_of(name: str) -> frozenset[str]:
    """What the trainers of a row need, which is the same for all of them."""
    (needs,) = {trainer.needs for trainer in TRAINERS[name]}
    return needs


def needs_table() -> str:
    """The table in Markdown: a row for each trainer and each structure, a column for each group and ability."""
    rows = [("trainer", *COLUMNS), ("---",) * (1 + len(COLUMNS))]
    rows += [(name, *("needs" if c in needs_of(name) else "" for c in COLUMNS)) for name in TRAINERS]
    cut = ["needs" if column in StructReg(Perceptron()).needs - Perceptron().needs else "" for column in COLUMNS]
    rows += [("`StructReg`, besides what the trainer within needs", *cut), ("**offered by**", *("" for _ in COLUMNS))]
    rows += [(name, *("yes" if c in offers else "" for c in COLUMNS)) for name, offers in STRUCTURES.items()]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows).replace("|  ", "| ")


MARKED = re.compile(r"(?<=<!-- table: needs -->\n).*?(?=<!-- end -->)", re.DOTALL)


def written(text: str) -> str:
    """The table on a page, between the marks."""
    (found,) = MARKED.findall(text)
    return found.strip()


if __name__ == "__main__":
    page = Path(sys.argv[1])
    text = MARKED.sub(lambda _: f"\n{needs_table()}\n\n", page.read_text(encoding="utf8"))
    write_atomically(page, text.encode("utf8"))
