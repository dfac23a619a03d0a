"""A size limit that leaves next to nothing of a model."""

import warnings
from dataclasses import dataclass

from spacy_mtl.errors import Warnings

#: A model that keeps a smaller share of its rows than this is useless, unless these are many, as of a very large corpus.
NEXT_TO_NONE, MANY = 0.01, 10_000


@dataclass
class FewLeft:
    """Warns (M433) that a limit leaves next to nothing, once in a training, which makes a model after each pass."""

    told: bool = False

    def check(self, megabytes: float, kept: int, rows: int, taken: int = 0) -> None:
        """kept, rows: observations that the model keeps, and that have weights. taken: bytes of what is never left out."""
        if self.told or kept >= min(NEXT_TO_NONE * rows, MANY):
            return
        self.told = True
        others = f" (the rest of the model takes {taken / 1e6:.2f} megabytes)" if taken else ""
        warnings.warn(Warnings.M433.format(megabytes=megabytes, kept=kept, rows=rows, others=others), stacklevel=3)
