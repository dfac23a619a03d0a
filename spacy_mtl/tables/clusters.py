"""A table of word clusters: each form has the path of its cluster in a binary tree, such as 0110, whose first bits are a coarser cluster."""

import re
from collections.abc import Iterable, Iterator
from itertools import islice

import numpy as np
from spacy.strings import hash_string  # type: ignore[attr-defined]

#: Bits of a form's hash that are kept. Of a million forms, another one is taken for one of them once in a million times.
KEY_BITS = 40
_MASK = (1 << KEY_BITS) - 1
#: Largest number of forms and of clusters, and longest path.
MOST_FORMS, MOST_CLUSTERS, LONGEST_PATH = 1 << 24, 1 << 16, 64
_PATH = re.compile(f"[01]{{1,{LONGEST_PATH}}}")
_DIGIT = re.compile(r"\d")


def is_path(path: str) -> bool:
    """Whether a text is the path of a cluster: at most 64 times 0 or 1."""
    return _PATH.fullmatch(path) is not None


def fold_digits(form: str) -> str:
    """The form with 0 in place of every digit."""
    return _DIGIT.sub("0", form)


def _variants(form: str) -> Iterator[str]:
    """The form as it is, in lower case, with a capital, and in lower case with 0 for digits."""
    yield form
    lower = form.lower()
    yield lower
    yield form[:1].upper() + lower[1:]
    yield fold_digits(lower)


class ClusterTable:
    """The clusters of n forms.

    keys: uint64[n], ascending, the lowest KEY_BITS bits of the hashes of the forms. numbers: uint16[n], the cluster of each. paths: the path of
    each cluster.
    """

    kind = "clusters"

    def __init__(self, keys: np.ndarray, numbers: np.ndarray, paths: Iterable[str]):
        self.keys, self.numbers, self.paths = keys, numbers, tuple(paths)
        self._last: tuple[str, str | None] = ("", None)

    @classmethod
    def of(cls, entries: Iterable[tuple[str | int, str]], most: int | None = None) -> "ClusterTable":
        """Make a table of (form or its hash, path), frequent forms first: of forms that the keys cannot tell apart, the first stays.

        most: leave out all forms but so many. Raises ValueError for more clusters than MOST_CLUSTERS.
        """
        number_of: dict[str, int] = {}
        hashes, numbers = [], []
        for form, path in islice(entries, most):
            hashes.append(hash_string(form) if isinstance(form, str) else form)
            numbers.append(number_of.setdefault(path, len(number_of)))
        if len(number_of) > MOST_CLUSTERS:
            raise ValueError(f"{len(number_of)} clusters")
        keys, first = np.unique(np.array(hashes, np.uint64) & np.uint64(_MASK), return_index=True)
        return cls(keys, np.array(numbers, np.uint16)[first], number_of)

    def __len__(self) -> int:
        return self.keys.size

    def path(self, form: str) -> str | None:
        """The path of a form, or of its variant in lower case, with a capital or without digits; None if the table has none of them."""
        last = self._last
        if last[0] == form:  # the attributes of a form are asked for one after another
            return last[1]
        found = next((path for variant in _variants(form) if (path := self._find(variant)) is not None), None)
        self._last = (form, found)
        return found

    def _find(self, form: str) -> str | None:
        if not self.keys.size:
            return None
        key = hash_string(form) & _MASK
        at = int(np.searchsorted(self.keys, np.uint64(key)))
        return self.paths[self.numbers[at]] if at < self.keys.size and int(self.keys[at]) == key else None
