"""What gold and a component say about each document, in a form that is the same for all components: labelled pieces of text."""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

from spacy.tokens import Doc
from spacy.training import Example

from spacy_mtl.components.columns.lemmatizer import MTLLemmatizer
from spacy_mtl.components.columns.morphologizer import MTLMorphologizer
from spacy_mtl.components.columns.senter import MTLSenter
from spacy_mtl.components.constituents import MTLConstituents
from spacy_mtl.components.ner import MTLEntityRecognizer
from spacy_mtl.components.parser import MTLParser
from spacy_mtl.components.protocol.base import StructuredPipe
from spacy_mtl.components.segmenter import MTLSegmenter
from spacy_mtl.components.tagger import MTLTagger


class OwnName(str):
    """A name that the report gives, such as that of a row over all labels. It equals only itself, and no label of the same spelling."""

    __slots__ = ()
    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other

    def __ne__(self, other: object) -> bool:
        return self is not other


#: What stands in a confusion matrix for a piece that the other side does not have, and for one that it has with other borders.
NOTHING, OTHER_BORDERS = OwnName("nothing"), OwnName("other borders")


class Piece(NamedTuple):
    """Characters [start, end) of the text, and their label."""

    start: int
    end: int
    label: str


class Pair(NamedTuple):
    """What gold and the prediction say of one token. right: whether the decision counts as correct, which may take more than equal labels."""

    start: int
    end: int
    gold: str
    predicted: str
    right: bool


@dataclass(frozen=True)
class Compared:
    """A document. counts: correct, wrongly predicted and missed pieces of each label. confusions: of each (gold, predicted). wrong: characters."""

    counts: dict[str, tuple[int, int, int]]
    confusions: Counter[tuple[str, str]]
    wrong: tuple[tuple[int, int], ...]

    @property
    def errors(self) -> int:
        return len(self.wrong)


class Task(ABC):
    """How a component's predictions are compared.

    what: its pieces are called. matrix: whether a confusion matrix says something. note: what a reader of the counts has to know, a sentence or "".
    """

    what: str
    matrix = True
    note = ""

    @abstractmethod
    def compare(self, example: Example) -> Compared:
        """The predicted Doc against the reference."""

    @abstractmethod
    def gold_at(self, example: Example, start: int, end: int) -> str:
        """What gold says of characters [start, end)."""


class Spans(Task):
    """Pieces are spans of the text, all or nothing."""

    def __init__(self, what: str, key: str = ""):
        self.what, self.key = what, key

    def find(self, doc: Doc) -> list[Piece]:
        if self.what == "entity":
            found: Iterable[Any] = doc.ents
        elif self.what == "word":
            return [Piece(t.idx, t.idx + len(t), "word") for t in doc if not t.is_space]
        elif self.what == "sentence":
            return [Piece(s.start_char, s.end_char, "sentence") for s in doc.sents]
        else:
            found = doc.spans.get(self.key, ())
        return [Piece(span.start_char, span.end_char, span.label_) for span in found]

    def gold(self, example: Example) -> list[Piece]:
        """The pieces of the reference at their places in the predicted text, which may have other white space."""
        found = self.find(example.reference)
        if example.reference.text == example.predicted.text:
            return found
        place = _places(example)
        return [Piece(place[p.start], place[p.end - 1] + 1, p.label) for p in found if p.end > p.start]

    def compare(self, example: Example) -> Compared:
        gold, predicted = Counter(self.gold(example)), Counter(self.find(example.predicted))
        missing = self._unknown(example)
        if missing:
            predicted = Counter({p: n for p, n in predicted.items() if not _overlap(p, missing)})
        right = gold & predicted
        counts: dict[str, list[int]] = {}
        for place, pieces in enumerate((right, predicted - right, gold - right)):
            for piece, n in pieces.items():
                counts.setdefault(piece.label, [0, 0, 0])[place] += n
        confusions = _confused(right, list((gold - right).elements()), list((predicted - right).elements()))
        wrong = sorted({(p.start, p.end) for p in (gold - right) | (predicted - right)})
        return Compared({label: tuple(n) for label, n in counts.items()}, confusions, tuple(wrong))  # type: ignore[misc]

    def _unknown(self, example: Example) -> list[tuple[int, int]]:
        """Characters of the predicted text of which gold does not say whether they are in an entity."""
        if self.what != "entity":
            return []
        places = [(t.idx, t.idx + len(t)) for t in example.reference if t.ent_iob == 0 and not t.is_space]
        if not places or example.reference.text == example.predicted.text:
            return places
        place = _places(example)
        return [(place[start], place[end - 1] + 1) for start, end in places]

    def gold_at(self, example: Example, start: int, end: int) -> str:
        found = [p for p in self.gold(example) if p.start < end and p.end > start]
        text = example.predicted.text
        if self.what in ("word", "sentence"):
            return " | ".join(text[p.start : p.end] for p in found[:6]) or NOTHING
        exact = [p.label for p in found if (p.start, p.end) == (start, end)]
        told = [f"{p.label} ({text[p.start : p.end]})" for p in found if p.end - p.start <= 2 * (end - start) + 20]
        return ", ".join(exact or told[:3]) or "O"


def _places(example: Example) -> list[int]:
    """Of each character of the reference text, where it is in the predicted one; of white space, where the next character is."""
    there = [k for k, char in enumerate(example.predicted.text) if not char.isspace()]
    there.append(len(example.predicted.text))
    places, n = [], 0
    for char in example.reference.text:
        places.append(there[min(n, len(there) - 1)])
        n += not char.isspace()
    return places


def _overlap(piece: Piece, places: Iterable[tuple[int, int]]) -> bool:
    return any(start < piece.end and end > piece.start for start, end in places)


def _confused(right: Counter[Piece], missed: list[Piece], invented: list[Piece]) -> Counter[tuple[str, str]]:
    """Pairs of labels: those of right pieces, of missed ones with an invented one in the same place or overlapping, and what is left of both."""
    found = Counter({(label, label): n for label, n in _by_label(right).items()})
    left, alone = list(invented), []
    for piece in missed:
        same = next((p for p in left if (p.start, p.end) == (piece.start, piece.end)), None)
        if same is None:
            alone.append(piece)
        else:
            left.remove(same)
            found[piece.label, same.label] += 1
    for piece in alone:
        touching = next((p for p in left if p.start < piece.end and p.end > piece.start), None)
        if touching is not None:
            left.remove(touching)
        found[piece.label, NOTHING if touching is None else OTHER_BORDERS] += 1
    for piece in left:
        found[NOTHING, piece.label] += 1
    return found


def _by_label(pieces: Counter[Piece]) -> Counter[str]:
    found: Counter[str] = Counter()
    for piece, n in pieces.items():
        found[piece.label] += n
    return found


class Tokens(Task):
    """Pieces are tokens, each with one label."""

    def __init__(self, what: str, matrix: bool = True):
        self.what, self.matrix = what, matrix

    def all_pairs(self, example: Example) -> list[Pair]:
        """Those of :meth:`pairs`, and tokens that have no token of their own on the other side, with nothing there."""
        xy, yx = example.alignment.x2y.lengths, example.alignment.y2x.lengths
        if (xy == 1).all() and (yx == 1).all():
            return self.pairs(example)
        doc, reference = example.predicted, example.reference
        single = [n == 1 and yx[example.alignment.x2y[t][0]] == 1 for t, n in enumerate(xy)]
        starts = {token.idx for token, one in zip(doc, single, strict=True) if one}
        found = [pair for pair in self.pairs(example) if pair.start in starts]
        for token, one in zip(doc, single, strict=True):
            known = any(self._says(reference[int(k)]) for k in example.alignment.x2y[token.i])
            if not one and known and not token.is_space:
                found.append(Pair(token.idx, token.idx + len(token), NOTHING, self._predicted(token), False))
        taken = {int(example.alignment.x2y[t][0]) for t, one in enumerate(single) if one}
        place = _places(example)
        for token in reference:
            if token.i not in taken and not token.is_space and self._says(token):
                start, end = place[token.idx], place[token.idx + len(token) - 1] + 1
                found.append(Pair(start, end, self._predicted(token), NOTHING, False))
        return found

    def pairs(self, example: Example) -> list[Pair]:
        """Those tokens of which gold says something."""
        golds = self._gold(example)
        doc = example.predicted
        return [
            Pair(t.idx, t.idx + len(t), gold, self._predicted(t), gold == self._predicted(t))
            for t, gold in zip(doc, golds, strict=True)
            if gold is not None
        ]

    def _gold(self, example: Example) -> list[str | None]:
        return [value or None for value in example.get_aligned(self.what.upper(), as_string=True)]

    def _says(self, token: Any) -> bool:
        """Whether a token of the reference has gold."""
        return bool(getattr(token, f"{self.what}_"))

    def _predicted(self, token: Any) -> str:
        return str(getattr(token, f"{self.what}_")) or NOTHING

    def compare(self, example: Example) -> Compared:
        counts: dict[str, list[int]] = {}
        confusions: Counter[tuple[str, str]] = Counter()
        wrong = []
        for pair in self.all_pairs(example):
            gold, predicted = (pair.gold, pair.predicted) if self.matrix else (self.what, self.what)
            if pair.right:
                counts.setdefault(gold, [0, 0, 0])[0] += 1
            else:
                if pair.predicted != NOTHING:
                    counts.setdefault(predicted, [0, 0, 0])[1] += 1
                if pair.gold != NOTHING:
                    counts.setdefault(gold, [0, 0, 0])[2] += 1
                wrong.append((pair.start, pair.end))
            if self.counts_as_confusion(pair):
                confusions[pair.gold, pair.predicted] += 1
        return Compared({label: tuple(n) for label, n in counts.items()}, confusions, tuple(sorted(wrong)))  # type: ignore[misc]

    def counts_as_confusion(self, pair: Pair) -> bool:
        return True

    def gold_at(self, example: Example, start: int, end: int) -> str:
        return next((pair.gold for pair in self.pairs(example) if (pair.start, pair.end) == (start, end)), NOTHING)


class Morphs(Tokens):
    """Part of speech, and whether the features are right too."""

    note = "A token is right if its part of speech and all its features are."

    def __init__(self) -> None:
        super().__init__("pos")

    def pairs(self, example: Example) -> list[Pair]:
        feats = example.get_aligned("MORPH", as_string=True)
        found = []
        for token, pos, morph in zip(example.predicted, super()._gold(example), feats, strict=True):
            if pos is not None or morph:
                right = pos in (None, token.pos_) and morph in (None, "", str(token.morph) or "_")
                found.append(Pair(token.idx, token.idx + len(token), pos or "_", token.pos_ if pos else "_", right))
        return found

    def _says(self, token: Any) -> bool:
        return bool(token.pos_) or token.has_morph()

    def _predicted(self, token: Any) -> str:
        return token.pos_ or ("_" if token.has_morph() else NOTHING)

    def gold_at(self, example: Example, start: int, end: int) -> str:
        both = zip(
            example.predicted,
            example.get_aligned("POS", as_string=True),
            example.get_aligned("MORPH", as_string=True),
            strict=True,
        )
        return next((f"{p or ''} {m or ''}".strip() for t, p, m in both if t.idx == start), NOTHING)


class Arcs(Tokens):
    """Labels of arcs; an arc is right if its head and its label are."""

    note = "An arc is right if its head and its label are; punctuation counts, which scores leave out."

    def __init__(self) -> None:
        super().__init__("dep")

    def pairs(self, example: Example) -> list[Pair]:
        heads, labels = example.get_aligned_parse(projectivize=False)
        return [
            Pair(t.idx, t.idx + len(t), label, t.dep_ or NOTHING, t.head.i == head and t.dep_ == label)
            for t, head, label in zip(example.predicted, heads, labels, strict=True)
            if head is not None and label
        ]

    def counts_as_confusion(self, pair: Pair) -> bool:
        return pair.right or pair.gold != pair.predicted

    def gold_at(self, example: Example, start: int, end: int) -> str:
        heads, labels = example.get_aligned_parse(projectivize=False)
        doc = example.predicted
        for token, head, label in zip(doc, heads, labels, strict=True):
            if token.idx == start and head is not None:
                return f"{label} of {doc[head].text}" if head != token.i else f"{label}, the root"
        return NOTHING


def task_of(pipe: StructuredPipe) -> Task:
    """How the predictions of a component are compared."""
    if isinstance(pipe, MTLEntityRecognizer):
        return Spans("entity")
    if isinstance(pipe, MTLConstituents):
        return Spans("constituent", pipe.spans_key)
    if isinstance(pipe, MTLSegmenter):
        return Spans("word")
    if isinstance(pipe, MTLSenter):
        return Spans("sentence")
    if isinstance(pipe, MTLParser):
        return Arcs()
    if isinstance(pipe, MTLLemmatizer):
        return Tokens("lemma", matrix=False)
    if isinstance(pipe, MTLMorphologizer):
        return Morphs()
    assert isinstance(pipe, MTLTagger)
    return Tokens("tag")
