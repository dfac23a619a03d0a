"""Aliases of spaCy's knowledge bases."""

from pathlib import Path
from typing import BinaryIO

from spacy.kb import InMemoryLookupKB
from spacy.vocab import Vocab

from spacy_mtl.errors import Errors
from spacy_mtl.settings import brief

#: Sizes in the file that spaCy writes, in bytes: of a count, an entity besides its vector, a number of a vector, an alias besides its entities.
_COUNT, _ENTITY, _NUMBER, _ALIAS = 8, 16, 4, 16


def read_aliases(path: Path, vocab: Vocab) -> list[str]:
    """The aliases of a saved InMemoryLookupKB, sorted. path: the folder. Raises ValueError (M749) if it is none."""
    try:
        _check_size(path / "contents")
        base = InMemoryLookupKB(vocab, entity_vector_length=1)
        base.from_disk(path)
        return sorted(base.get_alias_strings())
    except (OSError, ValueError, KeyError, TypeError, AssertionError, MemoryError) as error:
        reason = (getattr(error, "strerror", None) or str(error) or "it is damaged").splitlines()[0].rstrip(".")
        raise ValueError(Errors.M749.format(path=brief(path, 300), reason=reason)) from None


def _check_size(contents: Path) -> None:
    """Refuse a file that promises more than it has, for which spaCy would take memory. Raises ValueError."""
    size = contents.stat().st_size
    with contents.open("rb") as file:
        entities, width = _count(file), _count(file)
        aliases_at = 2 * _COUNT + entities * (_ENTITY + _NUMBER * width)
        if aliases_at > size:
            raise ValueError("it is damaged")
        file.seek(aliases_at)
        if _count(file) * _ALIAS > size - file.tell():
            raise ValueError("it is damaged")


def _count(file: BinaryIO) -> int:
    number = int.from_bytes(file.read(_COUNT), "little", signed=True)
    if number < 0:
        raise ValueError("it is damaged")
    return number
