"""Decisions as plain data: what speaks for and against each."""

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Contribution:
    """What one feature adds to the score difference: its weight in the winner minus its weight in the runner-up.

    template: name of the template. feature: what it observes, such as ``x[-1,LOWER]=la``; "" for one that observes nothing. part: what it scores,
    such as ``3: B-LOC, not O`` or ``2-3: O B-LOC, not O O``.
    """

    template: str
    feature: str
    part: str
    value: float


@dataclass(frozen=True)
class Change:
    """Something else in which the runner-up differs. place: what it is about. winner, runner_up: what each says of it."""

    place: str
    winner: str
    runner_up: str


@dataclass(frozen=True)
class Decision:
    """One decision, and the best analysis of the sentence without it.

    kind: "tag", "entity", "arc" and so on. start, end: tokens of the document (characters of the text, for word borders). text: of these. winner:
    what was decided. runner_up: what the best analysis without it says instead; None if every other analysis is forbidden, and then the difference
    is infinite. difference: score of the winner minus that of the runner-up. changes: what else differs between the two. exact: False if the
    runner-up is only a good analysis, because the best one cannot be computed.
    """

    kind: str
    start: int
    end: int
    text: str
    winner: str
    runner_up: str | None
    difference: float
    contributions: tuple[Contribution, ...] = ()
    changes: tuple[Change, ...] = ()
    exact: bool = True

    def __str__(self) -> str:
        head = f"{self.text}: {self.winner}"
        if self.runner_up is None:
            return f"{head}; every other analysis is forbidden"
        changes = "".join(f"; then {each.place}: {each.runner_up}, not {each.winner}" for each in self.changes[:3])
        more = f" and {len(self.changes) - 3} more" if len(self.changes) > 3 else ""
        about = "" if self.exact else " at most (the best other tree cannot be computed)"
        return f"{head}, not {self.runner_up}, by {self.difference:.4f}{about}{changes}{more}"

    @property
    def total(self) -> float:
        """The sum of the contributions, which is the difference but for rounding."""
        return math.fsum(each.value for each in self.contributions)

    def by_template(self) -> dict[str, float]:
        """The sum of the contributions of each template, the largest first, in size."""
        sums: dict[str, float] = defaultdict(float)
        for each in self.contributions:
            sums[each.template] += each.value
        return dict(sorted(sums.items(), key=lambda item: -abs(item[1])))

    def strongest(self, n: int | None = None) -> tuple[Contribution, ...]:
        """The n contributions that are largest in size; None for all."""
        return tuple(sorted(self.contributions, key=lambda each: -abs(each.value))[:n])

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON; an infinite difference is null."""
        found = asdict(self)
        found["contributions"] = [asdict(each) for each in self.strongest()]
        found["difference"] = self.difference if math.isfinite(self.difference) else None
        return found | {"templates": self.by_template()}


def nonzero(contributions: Iterable[Contribution]) -> tuple[Contribution, ...]:
    """Those that add anything."""
    return tuple(each for each in contributions if each.value)


def forbidden(kind: str, start: int, end: int, text: str, winner: str) -> Decision:
    """A decision without an alternative."""
    return Decision(kind, start, end, text, winner, None, math.inf)


def changes_between(
    places: Sequence[str], winner: Sequence[str], other: Sequence[str], at: range
) -> tuple[Change, ...]:
    """The changes of an analysis outside of the decision itself. places, winner, other: texts of n positions. at: the positions of the decision."""
    differ = [t for t in range(len(places)) if t not in at and winner[t] != other[t]]
    return tuple(Change(places[t], winner[t], other[t]) for t in differ)
