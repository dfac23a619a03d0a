"""From sentences to the lines of a file of clusters."""

from collections.abc import Callable
from typing import NamedTuple
from unicodedata import category

from .exchange import exchange
from .hierarchy import paths_of
from .neighbours import Text

#: Categories of characters that would end a line or a column, or that no file can hold.
_NOT_IN_LINES = frozenset(("Cc", "Cs"))


class Learned(NamedTuple):
    """entries: bit path, word and count of every word, by the paths and then by falling count. clusters: how many. finished: False if it was
    interrupted."""

    entries: list[tuple[str, str, int]]
    clusters: int
    finished: bool


def learn_clusters(
    text: Text,
    n_clusters: int,
    passes: int,
    placed: Callable[[int], None] = lambda n: None,
    compared: Callable[[int], None] = lambda n: None,
    stopped: Callable[[], bool] = lambda: False,
) -> Learned:
    """Cluster the words of a text; no more clusters than words.

    placed, compared: are told how many words have been placed, and then how many clusters have been compared. stopped: whether to end the search.
    """
    n_clusters = min(n_clusters, len(text.words))
    clusters, finished = exchange(text, n_clusters, passes, progress=placed, stopped=stopped)
    paths = paths_of(clusters, compared)
    of_words = zip(clusters.cluster.tolist(), text.words, text.counts.tolist(), strict=True)
    entries = [(paths[cluster], word, count) for cluster, word, count in of_words if _fits(word)]
    entries.sort(key=lambda entry: (entry[0], -entry[2], entry[1]))
    return Learned(entries, len({path for path, _, _ in entries}), finished)


def _fits(word: str) -> bool:
    """Whether a word can be in a line of a file. Many words of Persian and of Indian scripts have a joiner, which Python does not call printable."""
    return 0 < len(word) <= 200 and (word.isprintable() or not any(category(char) in _NOT_IN_LINES for char in word))
