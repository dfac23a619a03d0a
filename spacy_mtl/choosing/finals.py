"""The end of a search: the best trials once more, each trained from nothing as the config trains, and the choice among them.

The best of many scores is partly the luckiest. So what the config says already stays unless another is better by more than one standard error
(Breiman et al. 1984, *Classification and Regression Trees*, section 3.4.3, have the rule for trees), here of the difference of two scores on the same
documents, by the jackknife over groups of documents (Efron 1982, *The Jackknife, the Bootstrap and Other Resampling Plans*, chapter 3).
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from .refit import Refit
from .space import changed

#: So many trials are trained once more; groups of dev documents.
FINALISTS, GROUPS = 5, 10


class Final(NamedTuple):
    """A trial by its number, trained from nothing.

    score: of the dev corpus, in percent. without: the score without each group of documents, float64[G].
    """

    number: int
    score: float
    without: np.ndarray


def train_finally(
    refits: Sequence[Refit], config: Mapping[str, Any], settings: Mapping[tuple[str, ...], Any], number: int
) -> Final:
    """Train with the settings of a trial as the config says, on each fold. settings: see :func:`.changed`."""
    made = changed(config, settings)
    scores, parts = [], []
    for refit in refits:
        pipe = refit.make(made)
        scores.append(refit.fit_pipe(pipe).score)
        parts.append(refit.scores_without(pipe, GROUPS))
    score = sum(scores) / len(scores)
    without = [score + (each - own) / len(scores) for own, part in zip(scores, parts, strict=True) for each in part]
    return Final(number, score, np.array(without))


def standard_error(a: Final, b: Final) -> float:
    """Of the difference of two scores, by the jackknife over groups; 0 where there is one group."""
    differences = a.without - b.without
    n = differences.size
    return math.sqrt((n - 1) / n * float(((differences - differences.mean()) ** 2).sum()))


def chosen(finals: Sequence[Final], own: int | None) -> Final:
    """The best, or that of the config's own settings where the best is not better by more than a standard error. own: the number of its trial."""
    best = max(finals, key=lambda final: (final.score, -final.number))
    for final in finals:
        if final.number == own and best.score - final.score <= standard_error(best, final):
            return final
    return best


def finalists(scores: Mapping[int, float], settings: Mapping[int, Mapping[str, Any]], own: int | None) -> list[int]:
    """Numbers of the trials with the best scores, no two with the same settings, and of that with the config's own."""
    found: list[int] = []
    for number in sorted(scores, key=lambda k: (k != own, -scores[k], k)):
        if all(settings[number] != settings[other] for other in found):
            found.append(number)
    return found[:FINALISTS]
