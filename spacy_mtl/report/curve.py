"""Learning curves: the score of a component that is trained anew on more and more of its corpus."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from spacy.language import Language
from spacy.training import Example

from spacy_mtl.choosing.refit import Refit

#: Shares of the training corpus.
SHARES = (0.125, 0.25, 0.5, 1.0)


@dataclass(frozen=True)
class CurvePoint:
    """documents: that were learnt from. score: of the dev corpus, in percent."""

    documents: int
    score: float


def learning_curve(
    nlp: Language,
    component: str,
    train: list[Example],
    dev: list[Example],
    tell: Callable[[int], None] | None = None,
    seed: int = 0,
) -> list[CurvePoint]:
    """The component trained on parts of a corpus, each of them within the next, by the schedule of the config. tell: told each part's documents.

    A part with nothing to learn has no point. Raises ValueError (M772, M958) where a corpus has no gold for the component.
    """
    order = np.random.default_rng(seed).permutation(len(train)).tolist()
    pipe: Any = nlp.get_pipe(component)
    found = []
    for n in sorted({max(1, round(share * len(train))) for share in SHARES}):
        left, out = ([train[k] for k in sorted(part)] for part in (order[:n], order[n:]))
        if n < len(train) and not any(pipe.is_annotated(each.reference) for each in left):
            continue
        if tell is not None:
            tell(n)
        refit = Refit(nlp, component, left, dev, left_out=out)
        found.append(CurvePoint(n, refit.fit(refit.config()).score))
    return found
