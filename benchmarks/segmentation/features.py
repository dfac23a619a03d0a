"""Characters with features and tags, as python-crfsuite takes them: our templates evaluated in Python, and words as tags B, M, E or S."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import accumulate, pairwise

from spacy.util import registry

from spacy_mtl.segmentation.corpus_breaks import OFTEN
from spacy_mtl.templates.attributes.breaks import FIRST, SHARES
from spacy_mtl.templates.attributes.characters import character, character_class
from spacy_mtl.templates.grammar import TemplateSet

from .data import Sentence

#: Characters that a word of the dictionary is looked up with, and the longest that its length tells apart.
LONGEST, LONGEST_TOLD = 12, 5
WORD_ATTRIBUTES = ("WORD_BEGIN", "WORD_END", "WORD_INSIDE")


def tags_of(words: Sentence) -> list[str]:
    """The tag of each character: B, M and E for the first, inner and last of a word, S for a word of one."""
    return [tag for word in words for tag in ("S" if len(word) == 1 else f"B{'M' * (len(word) - 2)}E")]


def words_of(text: str, tags: Sequence[str]) -> Sentence:
    """The words of tagged characters: one begins at each B and S, and after each E and S."""
    begins = [i for i, tag in enumerate(tags) if i and (tag in "BS" or tags[i - 1] in "ES")]
    return [text[a:b] for a, b in zip([0, *begins], [*begins, len(text)], strict=True)] if text else []


def template_set(name: str) -> TemplateSet:
    """A registered set of the package: tp1.v1, tp2.v1, seg.v1."""
    return registry.resolve({"templates": {"@mtl_templates": f"spacy_mtl.{name}"}})["templates"]


normal, char_class = cache(character), cache(character_class)


def repeated(chars: str, distance: int) -> list[str]:
    """Whether each character equals the one so far before it."""
    before = ["", "", *chars]
    return ["=" if a == b else "" for a, b in zip(before[2 - distance :], chars, strict=False)]


def dictionary(sentences: Iterable[Sentence], at_least: int) -> set[str]:
    """Words of two characters and more, normalised, that occur so often."""
    counts = Counter(word for words in sentences for word in words)
    normalised: Counter[str] = Counter()
    for word, count in counts.items():
        normalised["".join(map(normal, word))] += count
    return {word for word, count in normalised.items() if count >= at_least and len(word) > 1}


def dictionary_columns(chars: str, known: set[str]) -> dict[str, list[str]]:
    """WORD_BEGIN, WORD_END and WORD_INSIDE of each character: the length of the longest word that begins, ends, goes on there."""
    n = len(chars)
    begin, end, inside = [0] * n, [0] * n, [0] * n
    for i in range(n):
        longest = 0
        for length in range(2, min(LONGEST, n - i) + 1):
            if chars[i : i + length] in known:
                longest = length
                told = min(length, LONGEST_TOLD)
                end[i + length - 1] = max(end[i + length - 1], told)
        begin[i] = min(longest, LONGEST_TOLD)
        for k in range(i + 1, i + longest - 1):
            inside[k] = max(inside[k], begin[i])
    return {name: list(map(str, row)) for name, row in zip(WORD_ATTRIBUTES, (begin, end, inside), strict=True)}


def breaks(sentences: Iterable[Sentence]) -> dict[str, int]:
    """How often words part between two normalised characters, in steps, of pairs that are frequent enough to tell."""
    times: Counter[str] = Counter()
    apart: Counter[str] = Counter()
    for words in sentences:
        text = "".join(map(normal, "".join(words)))
        pairs = list(map("".join, pairwise(text)))
        borders = [end - 1 for end in accumulate(map(len, words[:-1]))]
        times.update(pairs)
        apart.update(pairs[border] for border in borders)
    return {pair: 1 + bisect_left(SHARES, apart[pair] / n) for pair, n in times.items() if n >= OFTEN}


def break_column(chars: str, known: Mapping[str, int]) -> list[str]:
    """BREAK of each character."""
    pairs = map("".join, pairwise(chars))
    return [str(FIRST), *(str(known.get(pair, 0)) for pair in pairs)][: len(chars)]


class TextFeatures:
    """A list of strings for every character, a template at a time and not a character at a time, which is the quicker way to write it.

    words, groups, breaks: what the templates may look up, see :func:`dictionary`, ``group_characters`` and :func:`breaks`.
    """

    groups: Mapping[str, str] = {}
    breaks: Mapping[str, int] = {}

    def __init__(self, templates: str, words: set[str] | None = None):
        patterns = template_set(templates).node
        self.patterns = [(template.name, [(o.offset, o.attr) for o in template.observations]) for template in patterns]
        self.reach = max(abs(offset) for _, observations in self.patterns for offset, _ in observations)
        self.attributes = {attr for _, observations in self.patterns for _, attr in observations}
        self.words = words or set()

    def __call__(self, text: str) -> list[Sequence[str]]:
        before = [f"_B-{i}" for i in range(self.reach, 0, -1)]
        after = [f"_B+{i}" for i in range(1, self.reach + 1)]
        padded = {name: [*before, *values, *after] for name, values in self._columns(text).items()}
        return list(zip(*(self._feature(*pattern, padded, len(text)) for pattern in self.patterns), strict=True))

    def _columns(self, text: str) -> dict[str, Sequence[str]]:
        """Each attribute of every character."""
        if self.attributes == {"ORTH"}:
            return {"ORTH": text}
        chars = "".join(map(normal, text))
        if self.attributes == {"CHAR"}:
            return {"CHAR": chars}
        columns: dict[str, Sequence[str]] = {"ORTH": text, "CHAR": chars, "CHAR_CLASS": list(map(char_class, text))}
        columns |= {"SAME_1": repeated(chars, 1), "SAME_2": repeated(chars, 2)}
        columns |= {
            "CHAR_GROUP": [self.groups.get(char, "") for char in chars],
            "BREAK": break_column(chars, self.breaks),
        }
        if self.attributes & set(WORD_ATTRIBUTES):
            columns |= dictionary_columns(chars, self.words)
        return {name: columns[name] for name in self.attributes}

    def _feature(
        self, name: str, observed: list[tuple[int, str]], padded: dict[str, list[str]], n: int
    ) -> Sequence[str]:
        values = [padded[attr][self.reach + offset : self.reach + offset + n] for offset, attr in observed]
        if len(values) == 1:
            return [f"{name}={value}" for value in values[0]]
        return [f"{name}={'/'.join(group)}" for group in zip(*values, strict=True)]
