"""Scores of constituents as EVALB computes them: labelled recall, precision and F1, and the share of sentences without any error."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from .tree import TOPS, Constituent

#: Tags of words that do not count, and no constituent of which alone counts: those of EVALB's ``COLLINS.prm``.
PUNCTUATION = frozenset({",", ":", "``", "''", "."})
#: Labels that are counted as the same.
SAME = {"PRT": "ADVP"}
#: Label, start and end.
Bracket = tuple[str, int, int]


@dataclass
class Counts:
    """Constituents that are right, those of gold and of what was predicted; sentences, and how many of them have no error."""

    right: int = 0
    gold: int = 0
    predicted: int = 0
    sentences: int = 0
    exact: int = 0

    @property
    def recall(self) -> float:
        return self.right / self.gold if self.gold else 0.0

    @property
    def precision(self) -> float:
        return self.right / self.predicted if self.predicted else 0.0

    @property
    def f1(self) -> float:
        return 2 * self.right / (self.gold + self.predicted) if self.gold + self.predicted else 0.0

    @property
    def exact_match(self) -> float:
        return self.exact / self.sentences if self.sentences else 0.0

    def add(
        self,
        tags: Sequence[str],
        gold: Iterable[Constituent],
        predicted: Iterable[Constituent],
        ignored: frozenset[str] = PUNCTUATION,
    ) -> None:
        """Add a sentence. tags: of its words, in gold. ignored: tags of the words that are left out of all spans."""
        place = [0]
        for tag in tags:
            place.append(place[-1] + (tag not in ignored))
        self.add_brackets(
            *(brackets((label, place[start], place[end]) for label, start, end in side) for side in (gold, predicted))
        )

    def add_brackets(self, ours: Counter[Bracket], theirs: Counter[Bracket]) -> None:
        """Add a sentence. ours: gold, theirs: predicted, from :func:`brackets`."""
        right = (ours & theirs).total()
        self.right += right
        self.gold += ours.total()
        self.predicted += theirs.total()
        self.sentences += 1
        self.exact += right == ours.total() == theirs.total()


def brackets(spans: Iterable[Bracket]) -> Counter[Bracket]:
    """What counts of the constituents of a sentence, given as label, start and end without ignored words: those of any words, unless in TOPS."""
    return Counter(
        (SAME.get(label, label), start, end) for label, start, end in spans if label not in TOPS and start < end
    )
