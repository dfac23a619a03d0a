"""Files of Brown clusters: a line for each word with its bit path, the word and how often it occurs, separated by tabs."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from spacy_mtl.errors import Errors
from spacy_mtl.registry import mtl_tables
from spacy_mtl.settings import brief, is_whole, shown

from .clusters import MOST_CLUSTERS, MOST_FORMS, ClusterTable, is_path
from .lines import read_lines


def check_most(most: int | None) -> None:
    """Refuse a limit of the number of forms that is no whole number above 0. Raises ValueError (M960)."""
    if most is not None and not is_whole(most, 1):
        expected = "a whole number above 0, or null"
        raise ValueError(Errors.M960.format(setting="most", expected=expected, value=shown(most)))


@mtl_tables("spacy_mtl.brown.v1")
def read_brown(path: Path, min_count: int = 1, most: int | None = None) -> ClusterTable:
    """Read clusters in the format of Brown clusters, such as ``spacy mtl clusters`` writes.

    min_count: leave out rarer words. most: keep so many of the most frequent words only. Raises ValueError: M801 the file cannot be read, M802 and
    M803 a line is not what it should be, M804 there are no words left, M805 there are too many words or clusters, M960 for other settings.
    """
    check_most(most)
    if not is_whole(min_count, 0):
        expected = "a whole number of at least 0"
        raise ValueError(Errors.M960.format(setting="min_count", expected=expected, value=shown(min_count)))
    entries = [entry for entry in _entries(path) if entry[2] >= min_count]
    entries = sorted(entries, key=lambda entry: -entry[2])[:most]
    if not entries:
        raise ValueError(Errors.M804.format(path=brief(path, 300), min_count=min_count))
    clusters = len({bits for bits, _, _ in entries})
    if clusters > MOST_CLUSTERS or len(entries) > MOST_FORMS:
        raise ValueError(
            Errors.M805.format(path=brief(path, 300), n=len(entries), clusters=clusters, most=MOST_CLUSTERS)
        )
    return ClusterTable.of((word, bits) for bits, word, _ in entries)


def _entries(path: str | Path) -> Iterator[tuple[str, str, int]]:
    """Bit path, word and count of each line. Raises ValueError (M801-M803)."""
    for number, line in read_lines(path):
        bits, _, rest = line.partition("\t")
        word, _, count = rest.partition("\t")
        if not (is_path(bits) and word and count.isdecimal() and len(count) < 16):
            raise ValueError(Errors.M803.format(path=brief(path, 300), line=number, found=brief(line)))
        yield bits, word, int(count)


def brown_text(entries: Iterable[tuple[str, str, int]]) -> str:
    """The text of a file. entries: bit path, word and count of each word."""
    return "".join(f"{bits}\t{word}\t{count}\n" for bits, word, count in entries)
