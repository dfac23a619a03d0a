"""Whether a file of words is a column file, by its first lines, whatever its ending."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby, islice
from pathlib import Path

#: Lines that are looked at, and the share of them that must be a word.
_PEEK, _MOSTLY = 2000, 0.9


def has_columns(path: Path, tokenize: Callable[[str], Sequence[str]], encoding: str = "utf8") -> bool:
    """Whether a text file has a word a line and empty lines between sentences, in columns or as the only column.

    Text has sentences or paragraphs, so that ``tokenize`` makes several words of a line, or lines with numbers. Raises ValueError (M501, M502, M513).
    """
    from spacy_mtl.corpora.lines.text import text_lines
    from spacy_mtl.survey.kinds import kind_of

    lines = [line.strip() for line in islice(text_lines(path, encoding), _PEEK)]
    while lines and not lines[-1]:
        lines.pop()
    if all(lines) or not any(len(block) > 1 for block in _blocks(lines)):
        return False  # each line a sentence of its own, or none apart
    full, kind = [line for line in lines if line], kind_of(path, encoding)
    if kind == "trees":
        return True
    if kind == "columns":
        return not _mostly(_is_numbered_text(line) or line.split()[0].isdigit() for line in full)
    return _mostly(len(tokenize(line)) == 1 for line in full)


def _mostly(found: Iterable[bool]) -> bool:
    values = list(found)
    return sum(values) > _MOSTLY * len(values)


def _is_numbered_text(line: str) -> bool:
    """Whether a line has something, a tab, and a text: many words in few fields."""
    fields = line.split("\t")
    return len(fields) > 1 and len(line.split()) > 2 * len(fields)


def _blocks(lines: list[str]) -> Iterator[list[str]]:
    """Runs of lines that are not empty."""
    return (list(block) for full, block in groupby(lines, bool) if full)
