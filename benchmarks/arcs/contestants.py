"""Trainers of arcs, with the constants that are tried on dev."""

from collections.abc import Callable
from dataclasses import dataclass

from spacy_mtl.trainers.base import Trainer
from spacy_mtl.trainers.mtlstruct.trainer import MTLStruct
from spacy_mtl.trainers.online.mira import MIRA
from spacy_mtl.trainers.online.perceptron import Perceptron
from spacy_mtl.trainers.online_mkl.trainer import OnlineMKL
from spacy_mtl.trainers.structreg import StructReg

#: Last passes that MTLStruct averages its weights over.
AVERAGE = 6
TRAINERS: dict[str, Callable[[float], Trainer]] = {
    "MTLStruct, p = 1": lambda C: MTLStruct(p=1.0, C=C, average=AVERAGE),
    "MTLStruct, p = 4/3": lambda C: MTLStruct(p=4 / 3, C=C, average=AVERAGE),
    "SVM": lambda C: MTLStruct(p=2.0, C=C, average=AVERAGE),
    "OnlineMKL": lambda C: OnlineMKL(C=C, model="last"),
    "MIRA": lambda C: MIRA(C=C),
    "perceptron": lambda _: Perceptron(),
}


@dataclass(frozen=True)
class Contestant:
    """trainer: of :data:`TRAINERS`. C: constants to choose from on dev. passes: the most. size: of pieces, 0 for whole trees."""

    trainer: str
    C: tuple[float, ...]
    passes: int
    size: float = 0.0

    @property
    def name(self) -> str:
        return f"{self.trainer}, pieces of {self.size:g}" if self.size else self.trainer

    def make(self, C: float) -> Trainer:
        """Raises KeyError for an unknown trainer."""
        plain = TRAINERS[self.trainer](C)
        return StructReg(plain, size=self.size) if self.size else plain


#: Table 7 of Mao & Tsang: MSTParser is MIRA with these templates. Its authors take 5 to 10 passes, Mao & Tsang 20 to 40 without a difference.
TABLE_7 = (
    Contestant("MTLStruct, p = 1", (1.0, 3.0, 10.0, 30.0), 20),
    Contestant("MTLStruct, p = 4/3", (0.1, 0.3, 1.0, 3.0), 20),
    Contestant("MIRA", (0.001, 0.01, 0.1, 1.0), 12),
    Contestant("SVM", (0.03, 0.1, 0.3), 20),
)
#: Of these, the one that is best on dev is compared with all others, besides the first.
OURS = ("MTLStruct, p = 1", "MTLStruct, p = 4/3")
#: Figure 2 of the OnlineMKL paper: what selects, and what is then trained on those selected.
SELECTORS = (Contestant("OnlineMKL", (1.0, 10.0), 20), Contestant("SVM", (0.1, 0.3), 12))
#: Groups that are selected.
SIZES = (107, 207, 307, 407, 507)
#: Trees cut at their arcs, by trainers of the StructReg paper.
CUT = tuple(Contestant("perceptron", (1.0,), 10, size) for size in (0.0, 20.0, 10.0, 5.0))
