"""What looks as if it were meant otherwise in a column file that can be read: a line for people each."""

import re
from collections import Counter
from collections.abc import Sequence

from spacy_mtl.corpora.columns import IGNORED, MISSING

from .found import Survey

#: Numbers of tokens, those of multiword tokens and empty words of CoNLL-U included.
NUMBER = re.compile(r"\d+([-.]\d+)?")
#: Tags of words in spans.
SPAN_TAG = re.compile(r"[BILUEMS]-\S+")
#: Places of characters in words; and the share of words from which on what they have in common is no chance.
_PLACES, _MOST = {"B", "I", "M", "E", "S"}, 0.95
#: A language before each word, and the place of a character in its word after it.
_PREFIX, _PLACE = re.compile(r"([a-z]{2,3}):."), re.compile(r".\d")


def doubts(found: Survey, counts: Sequence[Counter[str]], named: bool) -> list[str]:
    """All of them. counts: the values of each column. named: whether the user has named the columns, and so knows which are left over."""
    lines = []
    if "ORTH" in found.columns:
        words = counts[found.columns.index("ORTH")]
        lines += [*_characters(words, counts), *_prefix(words), *_places(words)]
    return lines if named else [*lines, *_left_over(found, counts)]


def not_annotated(number: int, values: Counter[str]) -> list[str]:
    """A warning where a column of entities has no "O", but tokens without annotation."""
    missing = {tag: values[tag] for tag in MISSING if values[tag]}
    if not missing or values["O"]:
        return []
    n, shown = sum(missing.values()), " and ".join(f"'{tag}'" for tag in sorted(missing))
    return [
        f"column {number}: {n:,} of {values.total():,} tokens have {shown}, which says that they are not annotated, and none has 'O'. If they are "
        "no entities, write O: nothing else tells the training what is none"
    ]


def _share(words: Counter[str], pattern: re.Pattern[str]) -> float:
    return sum(count for word, count in words.items() if pattern.fullmatch(word)) / words.total()


def _prefix(words: Counter[str]) -> list[str]:
    """A warning where each word has the name of a language before it."""
    begins: Counter[str] = Counter()
    for word, count in words.items():
        if match := _PREFIX.match(word):
            begins[match[1]] += count
    (prefix, n), *_ = [*begins.most_common(1), ("", 0)]
    if n < _MOST * words.total():
        return []
    return [f"all words begin with '{prefix}:', which texts do not have. Take it away: sed 's/^{prefix}://' FILE"]


def _places(words: Counter[str]) -> list[str]:
    """A warning where each word is a character with a digit."""
    if _share(words, _PLACE) < _MOST:
        return []
    return [
        "the words are a character and a digit, which texts do not have. Take the digit away: sed -E 's/^(.)[0-9]/\\1/' FILE"
    ]


def _characters(words: Counter[str], counts: Sequence[Counter[str]]) -> list[str]:
    """A warning where the words are characters, and a column says where in its word each of them is."""
    single = sum(count for word, count in words.items() if len(word) == 1)
    places = [
        number
        for number, values in enumerate(counts, 1)
        if "B" in values and set(values) <= _PLACES and len(values) > 1
    ]
    if not places or single < _MOST * words.total():
        return []
    shown = ", ".join(sorted(counts[places[0] - 1]))
    return [
        f"the words are single characters, and column {places[0]} ({shown}) seems to say where in a word each of them is; it is not read so. "
        "For a segmenter, write a text with a sentence a line and spaces between its words"
    ]


def _left_over(found: Survey, counts: Sequence[Counter[str]]) -> list[str]:
    lines = []
    for number, (name, values) in enumerate(zip(found.columns, counts, strict=True), 1):
        if name == IGNORED and len(values) > 1 and not all(map(NUMBER.fullmatch, values)):
            spans = any(map(SPAN_TAG.fullmatch, values))
            kind = ", which look like spans of another kind" if spans else ""
            shown = ", ".join(value for value, _ in values.most_common(3))
            lines.append(
                f"column {number} is not used; it holds {shown}{kind}. If it is the one to learn, give --columns"
            )
    return lines
