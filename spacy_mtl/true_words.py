"""Docs whose text is the one that was given, whatever the string store of their vocabulary holds.

spaCy knows strings by hashes of 64 bits without a secret, so anybody can make a text with the hash of another one, and the store has room for one of
the two. Parts of such a word have other hashes.
"""

from collections.abc import Sequence

from spacy.strings import StringStore
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_mtl.errors import Errors


def is_kept(strings: StringStore, word: str, orth: int) -> bool:
    """Whether the store has this word under the id that adding it has returned, and not another text."""
    return strings[orth] == word


def cut_apart(strings: StringStore, word: str) -> list[str]:
    """The word, or the parts of it that the store can hold. Raises ValueError (M426) for a character that it cannot."""
    if is_kept(strings, word, strings.add(word)):
        return [word]
    if len(word) == 1:
        raise ValueError(Errors.M426.format(code=f"U+{ord(word):04X}"))
    middle = len(word) // 2
    return [*cut_apart(strings, word[:middle]), *cut_apart(strings, word[middle:])]


def true_doc(vocab: Vocab, words: Sequence[str], spaces: Sequence[bool]) -> Doc:
    """A Doc of these words, of which those that the store cannot hold are cut in two or more. Raises ValueError (M426)."""
    strings = vocab.strings
    orths = [strings.add(word) for word in words]
    if all(map(is_kept, [strings] * len(words), words, orths)):
        return Doc(vocab, words=orths, spaces=spaces)  # type: ignore[arg-type]
    parts = [cut_apart(strings, word) for word in words]
    after = [k == len(cut) and space for cut, space in zip(parts, spaces, strict=True) for k in range(1, len(cut) + 1)]
    return Doc(vocab, words=[part for cut in parts for part in cut], spaces=after)
