"""The known stems of a training corpus: the table behind the attributes STEM_TAG and AFTER_STEM."""

from collections import defaultdict
from collections.abc import Iterable

from spacy_mtl.templates.attributes.stems import LONGEST, SHORTEST, find_stem, own_entry

#: Stem -> part of speech -> the words, in lower case, that have it.
Words = dict[str, dict[str, set[str]]]
#: Stems lack at most this many characters of the lemma: with more, form and lemma have little to do with each other.
MOST_LACKING = 2


def count_stems(words: Iterable[tuple[str, str, str]]) -> dict[str, str]:
    """The table for :func:`.find_stem`.

    words: forms, lemmas and parts of speech. A stem is what form and lemma have in common at their beginnings; without lemmas, the form itself.
    """
    found: Words = defaultdict(lambda: defaultdict(set))
    for form, lemma, tag in set(words):
        word, base = form.lower(), lemma.lower()
        stem = _common(word, base) if base else word
        if max(SHORTEST, len(base) - MOST_LACKING) <= len(stem) <= LONGEST:
            found[stem][tag].add(word)
    general = {stem: _usual(tags, "") for stem, tags in found.items()}
    own = {}
    for word in {word for tags in found.values() for each in tags.values() for word in each}:
        of_others = _without(found, word)
        if of_others != find_stem(general, word):
            key, value = own_entry(word, *of_others)
            own[key] = value
    return dict(sorted((general | own).items()))


def _common(word: str, base: str) -> str:
    """What both begin with."""
    n = next((i for i, (a, b) in enumerate(zip(word, base, strict=False)) if a != b), min(len(word), len(base)))
    return word[:n]


def _usual(tags: dict[str, set[str]], word: str) -> str:
    """The part of speech of most words but this one; "" if there is no other."""
    counts = {tag: len(words) - (word in words) for tag, words in tags.items()}
    best = max(counts, key=lambda tag: (counts[tag], tag))
    return best if counts[best] else ""


def _without(found: Words, word: str) -> tuple[int, str]:
    """Length and part of speech of the longest stem of other words that a word begins with; 0 and "" without any."""
    for n in range(min(len(word), LONGEST), SHORTEST - 1, -1):
        tag = _usual(found[word[:n]], word) if word[:n] in found else ""
        if tag:
            return n, tag
    return 0, ""
