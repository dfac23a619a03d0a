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
        epochs, most, every, patience = (
            int(training.get(name) or 0) for name in ("max_epochs", "max_steps", "eval_frequency", "patience")
        )
        every = max(1, every)
        # spaCy counts steps from 0, makes the one numbered max_steps as well, and evaluates after those whose number eval_frequency divides
        n = min((limit for limit in (epochs, most + 1 if most > 0 else 0) if limit > 0), default=MANY)
        all_steps = [*passes[:n], *repeat(passes[-1], n - len(passes))]
        steps = [all_steps[0], *(sum(all_steps[k : k + every]) for k in range(1, n - every + 1, every))]
        if 0 < patience < every:
            return cls(tuple(steps[:1]), 0)
        return cls(tuple(steps), patience // every)

    @classmethod
    def passes(cls, n: int) -> "Schedule":
        """So many passes, with an evaluation at the end."""
        return cls((n,), 0)

    def __iter__(self) -> Iterator[int]:
        return iter(self.steps)

    def is_over(self, scores: list[float]) -> bool:
        """Whether the best of the scores so far, the first of several, lies ``patience`` or more evaluations back, as in spaCy's loop."""
        since = len(scores) - 1 - scores.index(max(scores)) if scores else 0
        return bool(self.patience) and since >= self.patience
