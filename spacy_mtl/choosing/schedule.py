"""How long a training goes on: the passes between two evaluations, and when to stop, as the config of ``spacy train`` says."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import repeat
from typing import Any

#: Where a config limits neither epochs nor steps.
MANY = 100
#: Of a training whose config is not for this package: evaluations, passes between them, evaluations without a better score.
STEPS, PASSES, PATIENCE = 10, 3, 3


@dataclass(frozen=True)
class Schedule:
    """steps: passes before each evaluation, as many as there are evaluations. patience: stop after so many without a better score, 0 for never."""

    steps: tuple[int, ...] = (PASSES,) * STEPS
    patience: int = PATIENCE

    @classmethod
    def of(cls, training: Mapping[str, Any]) -> "Schedule":
        """The schedule of ``[training]``; the default one where its batcher is not ``spacy_mtl.whole_corpus.v1``, whose steps are whole passes."""
        batcher = training.get("batcher") or {}
        if batcher.get("@batchers") != "spacy_mtl.whole_corpus.v1":
            return cls()
        passes = list(batcher.get("passes") or [1])
        limits = [int(training.get(name) or 0) for name in ("max_epochs", "max_steps")]
        n = min((limit for limit in limits if limit > 0), default=MANY)
        steps = [*passes[:n], *repeat(passes[-1], n - len(passes))]
        return cls(tuple(steps), int(training.get("patience") or 0))

    @classmethod
    def passes(cls, n: int) -> "Schedule":
        """So many passes, with an evaluation at the end."""
        return cls((n,), 0)

    def __iter__(self) -> Iterator[int]:
        return iter(self.steps)

    def is_over(self, scores: list[float]) -> bool:
        """Whether the best of the scores so far, the last of several, lies ``patience`` or more evaluations back."""
        since = scores[::-1].index(max(scores)) if scores else 0
        return bool(self.patience) and since >= self.patience
