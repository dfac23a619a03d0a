"""How well probabilities of decisions agree with how many of them are correct."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from spacy.tokens import Doc
from spacy.training import Example

from spacy_mtl.components.confidence.pipe import ConfidentPipe
from spacy_mtl.confidence.calibration import Calibration, brier_score, calibration_error

#: Groups of equally many decisions, how many decisions each has at least, and the most words that are looked at.
BINS, FEWEST, MOST_WORDS = 15, 20, 60_000


@dataclass(frozen=True)
class Reliability:
    """One kind of decisions. told, correct: mean probability and share of correct decisions of each group. ece: expected calibration error.

    crossed: whether the temperature comes from the other half of the same documents, since the component has none.
    """

    kind: str
    decisions: int
    told: tuple[float, ...]
    correct: tuple[float, ...]
    ece: float
    brier: float
    crossed: bool


def reliabilities(pipe: ConfidentPipe, examples: Sequence[Example]) -> list[Reliability]:
    """Of each kind of decision of a trained component. examples: the predicted documents as the component gets them."""
    examples = _some(examples)
    if len(examples) < 2:
        return []
    crossed = pipe.temperature is None
    if not crossed:
        found = [_outcomes(pipe, examples, {})]
    else:
        halves = [examples[::2], examples[1::2]]
        fitted = [_fitted(pipe, half) for half in halves]
        if not all(fitted):
            return []
        found = [_outcomes(pipe, halves[1 - k], fitted[k]) for k in range(2)]
    kinds = [kind for kind in found[0] if all(kind in each for each in found)]
    reliable = []
    for kind in kinds:
        probabilities, correct = (np.concatenate([each[kind][k] for each in found]) for k in range(2))
        if probabilities.size >= 2 * FEWEST:
            reliable.append(_of_kind(kind, probabilities, correct, crossed))
    return reliable


def _some(examples: Sequence[Example]) -> list[Example]:
    chosen, n = [], 0
    for example in examples:
        if len(example.predicted) and n < MOST_WORDS:
            chosen.append(example)
            n += len(example.predicted)
    return chosen


def _fitted(pipe: ConfidentPipe, examples: Sequence[Example]) -> dict[str, Calibration]:
    """The calibration by these documents; the component stays as it is."""
    settings = dict(pipe.cfg)
    copies = [Example(each.predicted.copy(), each.reference) for each in examples]
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", r"\[M488\]")  # how good a guess it is shows on the other half
            return pipe.calibrate(copies, isotonic=False)
    except ValueError as error:
        if not str(error).startswith("[M478]"):  # no gold for it
            raise
        return {}
    finally:
        pipe.cfg = settings


def _outcomes(
    pipe: ConfidentPipe, examples: Sequence[Example], calibrations: dict[str, Calibration]
) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Mapped probabilities and whether the decision is correct, of each kind."""
    docs: list[Doc] = [example.predicted for example in examples]
    considered = pipe.considered(docs, held=False)
    gold = [pipe.told_gold(*each) for each in zip(examples, considered.borders, strict=True)]
    calibrations = calibrations or pipe.calibrations
    found = {}
    for kind in considered.kinds:
        calibration = calibrations.get(kind, Calibration())
        outcomes = considered.outcomes(kind, gold, calibration.temperature)
        known = np.isfinite(outcomes.probabilities)
        outcomes = outcomes.where(known)
        found[kind] = calibration.map(outcomes.probabilities, outcomes.traits), outcomes.correct
    return found


def _of_kind(kind: str, probabilities: np.ndarray, correct: np.ndarray, crossed: bool) -> Reliability:
    bins = min(BINS, probabilities.size // FEWEST)
    groups = np.array_split(np.argsort(probabilities, kind="stable"), bins)
    told = tuple(float(probabilities[group].mean()) for group in groups)
    shares = tuple(float(correct[group].mean()) for group in groups)
    ece, brier = calibration_error(probabilities, correct, bins), brier_score(probabilities, correct)
    return Reliability(kind, int(probabilities.size), told, shares, ece, brier, crossed)
