"""Tables of stored keys: keys chosen so that they crowd in a table would make every look-up as slow as a search through all of them."""

import numpy as np

from spacy_mtl.errors import Errors
from spacy_mtl.kernels import kernel

#: The longest way from a key's first slot to its own, and the longest run of taken slots, in a table of hashes. Among ten million real keys in a
#: table that is half full, less than 200 are to be expected.
FURTHEST = 1024


@kernel
def longest_run(taken):
    """The largest number of taken slots side by side. taken: bool."""
    longest = run = 0
    for slot in range(taken.size):
        run = run + 1 if taken[slot] else 0
        longest = max(longest, run)
    return longest


def check_spread(inserted: bool, taken: np.ndarray) -> None:
    """Refuse a table whose keys crowd (M611). inserted: whether every key has found a slot nearby. taken: bool, by slot. Raises ValueError."""
    if not inserted or longest_run(taken) > FURTHEST:
        raise ValueError(Errors.M611)
