"""The methods of the paper's tables, each on the same problem: ours, its rivals in this package, and python-crfsuite from outside."""

from pathlib import Path

from spacy_mtl.trainers.base import Trainer
from spacy_mtl.trainers.crf.trainer import CRF
from spacy_mtl.trainers.mtlstruct.trainer import MTLStruct
from spacy_mtl.trainers.online.mira import MIRA
from spacy_mtl.trainers.online_mkl.trainer import OnlineMKL

#: The paper's grid.
CONSTANTS = (0.01, 0.1, 1.0, 10.0, 100.0)
#: The paper's exponents; p = 2 is the problem of SVM-HMM.
EXPONENTS = (1.0, 4 / 3, 2.0, 4.0, 100.0)
OURS = "MTLStruct"
#: Methods that go through the sentences a fixed number of times. The others run to their own stop.
IN_PASSES = (OURS, "OnlineMKL", "OnlineMKL last", "MIRA")
TO_THEIR_STOP = ("CRF l2", "CRF l1", "IRW-CRF")
#: How python-crfsuite's constants follow from C.
CRFSUITE = {"crfsuite l2": "c2", "crfsuite l1": "c1"}
CONTESTANTS = (*IN_PASSES, *TO_THEIR_STOP, *CRFSUITE)
#: Passes of those that have no stop; the paper gives OnlineMKL as many.
PASSES = 20
#: The rate that is best on testa where OnlineMKL predicts with its last weights (``benchmarks.trainers mkl-conll``).
RATE_OF_LAST = 0.3
#: Passes over which ours averages its weights.
AVERAGE = 6


def make(name: str, C: float, p: float) -> Trainer:
    """A trainer of this package. p: of ours alone."""
    if name == OURS:
        return MTLStruct(p=p, C=C, average=AVERAGE)
    if name == "OnlineMKL":
        return OnlineMKL(C=C)
    if name == "OnlineMKL last":
        return OnlineMKL(C=C, model="last", eta0=RATE_OF_LAST)
    if name == "MIRA":
        return MIRA(C=C)
    penalty = {"CRF l2": "l2", "CRF l1": "l1", "IRW-CRF": "irw"}[name]
    return CRF(penalty=penalty, C=C)


def crfsuite_parameters(name: str, C: float) -> dict[str, float]:
    """Of L-BFGS (OWL-QN where c1 is not 0): its penalties are c1 ||w||_1 + c2 ||w||^2, so either constant is 1 / (2 C)."""
    return {"c1": 0.0, "c2": 0.0} | {CRFSUITE[name]: 1 / (2 * C)}


def outputs_of(folder: Path, **who: object) -> Path:
    """Where the labels that a contestant gave to dev and test are kept."""
    text = "-".join(f"{value:g}" if isinstance(value, float) else str(value) for value in who.values())
    return folder / f"{text.replace(' ', '_')}.npz"
