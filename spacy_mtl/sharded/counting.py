"""One index of features for all shards, by hash partition: every observation belongs to one worker, which adds up how often it occurs.

Keys are hashes, so equal ranges of them have about as many observations each.
"""

from collections.abc import Sequence

import numpy as np

from spacy_mtl.templates.index import FeatureIndex
from spacy_mtl.templates.indexing import Counts


def owners_of(keys: np.ndarray, workers: int) -> np.ndarray:
    """Which of so many workers each key (uint64[R]) belongs to, int64[R]: by its 32 leading bits, which are spread evenly once multiplied."""
    mixed = (keys * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(32)
    return (mixed * np.uint64(workers) >> np.uint64(32)).astype(np.int64)


def parted(counts: Counts, workers: int) -> list[Counts]:
    """The counts that go to each worker."""
    owner = owners_of(counts.keys, workers)
    return [some(counts, np.flatnonzero(owner == k)) for k in range(workers)]


def some(counts: Counts, places: np.ndarray) -> Counts:
    """The counts at these places."""
    return counts._replace(keys=counts.keys[places], owners=counts.owners[places], times=counts.times[places])


def added(parts: Sequence[Counts]) -> Counts:
    """The sum of counts of the same observations in several shards; only those that occur ``min_count`` times in all."""
    keys, owners = (np.concatenate([getattr(part, name) for part in parts]) for name in ("keys", "owners"))
    times = np.concatenate([part.times for part in parts])
    distinct, first, number = np.unique(keys, return_index=True, return_inverse=True)
    total = np.bincount(number, weights=times, minlength=distinct.size).astype(np.int64)
    found = Counts(distinct, owners[first], total, parts[0].n_templates, parts[0].min_count)
    return some(found, np.flatnonzero(total >= found.min_count))


def index_of(parts: Sequence[Counts]) -> FeatureIndex:
    """The index of what the workers have added up: a block for each template, frequent rows first, whatever the number of workers."""
    keys, owners, times = (
        np.concatenate([getattr(part, name) for part in parts]) for name in ("keys", "owners", "times")
    )
    order = np.lexsort((keys, -times, owners))
    blocks = np.searchsorted(owners[order], np.arange(parts[0].n_templates + 1)).astype(np.int64)
    return FeatureIndex(keys[order], blocks)
