"""Jobs on a cluster."""

import time
import uuid
from pathlib import Path

import pytest

from spacy_mtl.cluster.executor import RayExecutor


def met(job):
    """Whether the other of two jobs has begun before this one has waited for the time in ``job``."""
    folder, seconds = Path(job[0]), job[1]
    (folder / str(uuid.uuid4())).touch()
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if len(list(folder.iterdir())) == 2:
            return True
        time.sleep(0.01)
    return False


@pytest.mark.parametrize(("limit", "seconds"), [(1, 0.5), (None, 100)])
def test_a_limit_of_workers_is_kept(cluster, tmp_path, limit, seconds):
    """Of two CPUs, one job at a time takes only one, and the second begins when the first has ended."""
    executor = RayExecutor(cluster, met, limit)
    for _ in range(2):
        executor.submit((str(tmp_path), seconds))
    found = []
    while len(found) < 2:
        found += [outcome.value for outcome in executor.outcomes(10)]
    assert all(found) == (limit is None)
    assert executor.slots() == (limit or 2)
