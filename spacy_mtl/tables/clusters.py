"""A table of word clusters: each form has the path of its cluster in a binary tree, such as 0110, whose first bits are a coarser cluster."""

import re
from collections.abc import Callable, Iterable, Sequence
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


def _with_capital(form: str) -> str:
    return form[:1].upper() + form.lower()[1:]


#: What is looked for, in this order: the form as it is, in lower case, with a capital, and in lower case with 0 for digits.
_VARIANTS: tuple[Callable[[str], str], ...] = (str, str.lower, _with_capital, lambda form: fold_digits(form.lower()))


class ClusterTable:
    """The clusters of n forms.

    keys: uint64[n], ascending, the lowest KEY_BITS bits of the hashes of the forms. numbers: uint16[n], the cluster of each. paths: the path of
    each cluster.
    """

    kind = "clusters"

    def __init__(self, keys: np.ndarray, numbers: np.ndarray, paths: Iterable[str]):
        self.keys, self.numbers, self.paths = keys, numbers, tuple(paths)

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
        number = int(self.numbers_of([form])[0])
        return None if number < 0 else self.paths[number]

    def numbers_of(self, forms: Sequence[str]) -> np.ndarray:
        """The clusters of forms as numbers of paths, int32[n], each found as in :meth:`path`; -1 where the table has no variant of a form."""
        found = np.full(len(forms), -1, np.int32)
        left = np.arange(len(forms) if self.keys.size else 0)
        for variant in _VARIANTS:
            keys = np.array([hash_string(variant(forms[k])) for k in left.tolist()], np.uint64) & np.uint64(_MASK)
            at = np.minimum(np.searchsorted(self.keys, keys), self.keys.size - 1)
            known = self.keys[at] == keys
            found[left[known]] = self.numbers[at[known]]
            left = left[~known]
        return found
