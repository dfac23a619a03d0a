"""Known stems: words of a corpus without what is put behind them, which words not seen before may begin with, too.

A table has an entry for each stem, with its part of speech. Training words have entries of their own where they themselves are the only reason to
know a stem: what a training word begins with is said by the other words alone, as for words that are new.
"""

from collections.abc import Mapping

#: Before a training word in a key, and between its stem's length and part of speech in the value.
_OWN = "\t"
#: Shorter stems are not looked for.
SHORTEST = 2
#: Longer stems are not looked for, so that the time for a word is bounded.
LONGEST = 40
#: Digits of the length of a stem.
_DIGITS = len(str(LONGEST))

Stems = Mapping[str, str]


def find_stem(stems: Stems, text: str) -> tuple[int, str]:
    """Length and part of speech of the longest known stem that a word, in lower case, begins with; 0 and "" without any."""
    word = text.lower()
    size, between, tag = stems.get(_OWN + word, "").partition(_OWN)
    if between:
        return (int(size) if size.isdecimal() and len(size) <= _DIGITS else 0), tag
    for n in range(min(len(word), LONGEST), SHORTEST - 1, -1):
        if word[:n] in stems:
            return n, stems[word[:n]]
    return 0, ""


def own_entry(word: str, size: int, tag: str) -> tuple[str, str]:
    """Key and value of a training word, in lower case, that begins with such a stem."""
    return _OWN + word, f"{size}{_OWN}{tag}"


def stem_tag(stems: Stems, text: str) -> str:
    """The part of speech of the longest known stem that a word begins with."""
    return find_stem(stems, text)[1]


def after_stem(stems: Stems, text: str) -> str:
    """What follows the longest known stem; a line break for words without any."""
    size, _ = find_stem(stems, text)
    return text.lower()[size:] if size else "\n"
