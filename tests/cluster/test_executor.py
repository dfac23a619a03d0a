"""Jobs on a cluster."""

import os
import time
from itertools import pairwise

import pytest

from spacy_mtl.cluster.executor import RayExecutor


def spent(job):
    begin = time.time()
    time.sleep(job)
    return begin, time.time(), os.getpid()


@pytest.mark.parametrize("limit", [1, None])
def test_a_limit_of_workers_is_kept(cluster, limit):
    """Of two CPUs, one job at a time takes only one, however many jobs there are."""
    executor = RayExecutor(cluster, spent, limit)
    for _ in range(4):
        executor.submit(0.5)
    found = []
    while len(found) < 4:
        found += [outcome.value for outcome in executor.outcomes(10)]
    found.sort()
    together = sum(later[0] < earlier[1] for earlier, later in pairwise(found))
    assert together == 0 if limit == 1 else together > 0
    assert executor.slots() == (limit or 2)
