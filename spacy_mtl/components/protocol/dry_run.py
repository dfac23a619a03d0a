"""What a component would learn from, without learning: its labels, the gold that it can use, its observations and the memory that training takes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from spacy.language import Language
from spacy.training import Example

from spacy_mtl.errors import Errors
from spacy_mtl.learning.gather import Piece
from spacy_mtl.settings import brief

from .base import StructuredPipe

#: Times the arrays of a problem: features are made in steps that hold them twice.
_WHILE_MADE = 2
#: Times the weights: the present ones, their average, and those of a report.
_WEIGHTS = 3


@dataclass(frozen=True)
class DryRun:
    """names: the labels of the component. labels: how many a position of its structure can have. positions, unknown: of the corpus (words or
    characters), and those without usable gold. observations: how many of each template occur often enough, by its text. features: weights of all of
    them. megabytes: estimate of what training takes on top of the documents.
    """

    names: tuple[str, ...]
    labels: int
    positions: int
    unknown: int
    observations: dict[str, int]
    features: int
    megabytes: float


def dry_run(pipe: StructuredPipe, nlp: Language, examples: Sequence[Example]) -> DryRun:
    """Initialize a component on a corpus and make its features. It is untrained afterwards. Raises ValueError: all that training refuses."""
    pipe.initialize(lambda: examples, nlp=nlp)
    pieces = _pieces(pipe, list(examples))
    pipe.prepare(pieces)
    pipe.before_features(pieces)
    learner = pipe.make_learner()
    learner.begin(pieces)
    pipe.adopt(learner)
    problems = [training.problem for training in learner.trainings]
    gold = np.concatenate([piece.gold for piece in pieces])
    rows = {name: count for problem in problems for name, count in _rows(problem).items()}
    weights = sum(matrix.size for problem in problems for matrix in problem.zeros())
    held = sum(_bytes(problem.arrays) for problem in problems) + sum(piece.given.nbytes for piece in pieces)
    pipe._end_training()
    return DryRun(
        tuple(pipe.labels),
        len(pipe.model_labels),
        gold.size,
        int(np.count_nonzero(gold < 0)),
        rows,
        weights,
        (_WHILE_MADE * held + 4 * _WEIGHTS * weights) / 1e6,
    )


def _pieces(pipe: StructuredPipe, examples: list[Example]) -> list[Piece]:
    """The documents as training sees them; what they lack comes from the components before. Raises ValueError (M724) if one of these fails."""
    if pipe._before is not None:
        try:
            examples = pipe._before.annotated(examples)
        except Exception as error:  # components of other packages, which are not initialized here
            if str(error).startswith("[M"):
                raise
            raise ValueError(
                Errors.M724.format(name=pipe.name, reason=brief(f"{type(error).__name__}: {error}", 200))
            ) from None
    return list(pipe.pieces_of([pipe.key_of(example.reference) for example in examples], examples))


def _rows(problem: Any) -> dict[str, int]:
    blocks = problem.blocks
    counts = np.concatenate([np.diff(blocks.node), np.diff(blocks.pair)]).tolist()
    return dict(zip(blocks.names, counts, strict=True))


def _bytes(value: Any) -> int:
    """Bytes of all arrays in a tuple of tuples."""
    if isinstance(value, np.ndarray):
        return value.nbytes
    return sum(_bytes(part) for part in value) if isinstance(value, tuple) else 0
