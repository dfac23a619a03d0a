"""Where the tokens of a treebank begin and end, as corrections of another tokenizer: learned from the characters around each place.

A *piece* is what stands between white space. It falls into *runs*: of letters, of digits, of one other character, or what the other tokenizer has
cut out of these. Between two runs there is a border or none. What the other tokenizer says holds, unless the treebank says otherwise of such
places: in the same piece, behind the same letters or characters, between two such runs and two such, or between one such run and another. The first
of these contexts that was seen decides, by the majority of its places at which the other tokenizer said the same.

Where a space is behind every token, pieces have no borders, and all that can be learned is which runs stay together. Of a mark that stands alone more
often than not, only the same piece and the same letters say so; otherwise it would be joined to every word.
"""

import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple

from spacy_mtl.stored.values import boolean, fields, mapping_of

#: Longer pieces, in characters, are left to the other tokenizer.
LONGEST = 100
#: A piece, or a run by its letters, decides if it was seen at least so often.
_LEAST = 2


class Piece(NamedTuple):
    """A text without white space, and the places in it where tokens begin, without 0: those of the treebank, and those of the other tokenizer."""

    text: str
    gold: frozenset[int]
    given: frozenset[int]


@dataclass(slots=True)
class Borders:
    """said: whether there is a border, by context (:func:`_contexts`)."""

    said: dict[str, bool] = field(default_factory=dict)

    def of(self, text: str, given: Collection[int]) -> list[int]:
        """The places in a piece where tokens begin, without 0, in order. given: those of the other tokenizer, in order."""
        if not self.said or len(text) > LONGEST or (text.isalpha() and not given):
            return list(given)
        found = []
        runs = _runs(text, given)
        for i, place in enumerate(runs[1:-1], 1):
            keys = _contexts(text, runs, i, place in given)
            if next((self.said[key] for key in keys if key in self.said), place in given):
                found.append(place)
        return found

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {"said": self.said}

    @classmethod
    def from_dict(cls, data: Any, name: str) -> "Borders":
        """Check and take what :meth:`to_dict` made. Raises StoredValueError."""
        return cls(**fields(data, name, {"said": mapping_of(boolean)}))


def learn_borders(pieces: Iterable[Piece]) -> Borders:
    """The corrections that a corpus asks for. Contexts are kept that change what others say of some place."""
    counts: Counter[tuple[str, bool]] = Counter()
    places: Counter[tuple[tuple[str, ...], bool]] = Counter()
    marks = _Marks()
    for piece in pieces:
        if len(piece.text) > LONGEST:
            continue
        runs = _runs(piece.text, piece.given)
        marks.add(piece, runs)
        for i, place in enumerate(runs[1:-1], 1):
            keys = _contexts(piece.text, runs, i, place in piece.given)
            places[keys, place in piece.given] += 1
            counts.update((key, place in piece.gold) for key in keys)
    loose = marks.alone()
    unsure = {key for keys, _ in places for key in _unsure(keys, loose)}
    said = {}
    for key in {key for key, _ in counts} - unsure:
        yes, no = counts[key, True], counts[key, False]
        if yes != no and (key[0] not in _EXACT or yes + no >= _LEAST):
            said[key] = yes > no
    return Borders({key: said[key] for key in _needed(places, said)})


class _Marks:
    """How often runs of neither letters nor digits are pieces by themselves, and how often parts of others."""

    def __init__(self) -> None:
        self._kinds: Counter[tuple[str, bool]] = Counter()
        self._spaced = True

    def add(self, piece: Piece, runs: Sequence[int]) -> None:
        """Count those of a piece. runs: where they begin, and its length."""
        self._spaced = self._spaced and not piece.gold
        if self._spaced:
            self._kinds.update((_kind(piece.text[a:b]), len(runs) == 2) for a, b in pairwise(runs))

    def alone(self) -> set[str]:
        """The kinds that mostly stand alone, of a corpus without a border inside a piece; of others none, since these borders tell."""
        kinds = {kind for kind, _ in self._kinds} - {"a", "A", "0"} if self._spaced else ()
        return {kind for kind in kinds if self._kinds[kind, True] > self._kinds[kind, False]}


def _unsure(keys: tuple[str, ...], loose: Collection[str]) -> tuple[str, ...]:
    """Those of the contexts of a place that know no more than that a mark is there, one of the loose kinds."""
    before, after = keys[-1][2:].split(" ")
    if before in loose:
        return keys[1:]
    return keys[2:] if after in loose else ()


def _needed(places: Iterable[tuple[tuple[str, ...], bool]], said: dict[str, bool]) -> list[str]:
    """The contexts that say something else than the next one of a place, or after the last than the other tokenizer; sorted."""
    needed = set()
    for keys, given in places:
        seen = [key for key in keys if key in said]
        needed |= {key for key, after in pairwise(seen) if said[key] != said[after]}
        needed |= {key for key in seen[-1:] if said[key] != given}
    return sorted(needed)


#: The first characters of contexts of a piece, and of a run by its letters.
_EXACT = ("p", "r")


def _contexts(text: str, runs: Sequence[int], i: int, given: bool) -> tuple[str, ...]:
    """What is known of the place before a run, the closest first: runs[i] of the text. given: whether the other tokenizer has a border there."""
    before, after = text[runs[i - 1] : runs[i]], text[runs[i] : runs[i + 1]]
    kinds = [_kind(text[runs[k] : runs[k + 1]]) if 0 <= k < len(runs) - 1 else "" for k in range(i - 2, i + 2)]
    sign = "+" if given else "-"
    return (
        f"p{sign}{runs[i]} {text.lower()}",
        f"r{sign}{before.lower()} {kinds[2]} {kinds[3]}",
        f"w{sign}{' '.join(kinds)}",
        f"n{sign}{_kind(before)} {_kind(after)}",
    )


def _runs(text: str, given: Collection[int]) -> list[int]:
    """Where the runs of a piece begin, and its length."""
    classes = [_class(character) for character in text]
    inside = [k for k in range(1, len(text)) if classes[k] != classes[k - 1] or k in given]
    return [0, *inside, len(text)]


def _class(character: str) -> str:
    """Whether a character is a letter (or its mark) or a digit; other characters are their own class."""
    if character.isalpha() or unicodedata.category(character)[0] == "M":
        return "a"
    return "0" if character.isdigit() else character


def _kind(run: str) -> str:
    """A run without its length: one capital, letters, digits, one or several of a character."""
    found = _class(run[0])
    if found == "a":
        return "A" if len(run) == 1 and run.isupper() else "a"
    return found if found == "0" or len(run) == 1 else found + found
