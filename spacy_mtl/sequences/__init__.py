"""Sequences other than text: chains over arrays and kernels, trained by any trainer of the package.

>>> problem = problem_from_arrays({"pixels": X, "near": KernelBlock(X, "gaussian", sigma2=5.0)}, y, lengths)
>>> training = fit(MTLStruct(p=4 / 3, C=1.0), problem, passes=20)
>>> labels = predict(problem, training.weights, new_X, new_lengths)
"""

from typing import Any

import numpy as np

from spacy_mtl.structures.chain.build import Constraints
from spacy_mtl.structures.contract import Weights
from spacy_mtl.trainers.base import fit

from .arrays import SequenceProblem, problem_from_arrays
from .blocks import Categories, KernelBlock
from .model import SequenceModel
from .store import load, save

__all__ = [
    "Categories",
    "Constraints",
    "KernelBlock",
    "SequenceModel",
    "SequenceProblem",
    "fit",
    "load",
    "predict",
    "problem_from_arrays",
    "save",
]


def predict(problem: SequenceProblem, weights: Weights, X: Any, lengths: Any) -> np.ndarray:
    """The best label of every new position, with ``training.weights``. For many calls, or to save a model, use :meth:`SequenceProblem.model`."""
    return problem.model(weights).predict(X, lengths)
