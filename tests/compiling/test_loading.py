"""Kernels come from the cache without what only compiling needs, and all that they call is there."""

import os
import subprocess
import sys
from types import SimpleNamespace

from spacy_mtl.compiling.loading import SUPPORTED, loader

MINE = """
import numpy as np
from spacy_mtl.kernels import kernel

@kernel
def sums(x):
    total = 2.0
    for value in x:
        total += value
    return total

@kernel
def one(x):
    known = {3: x.sum()}
    found = np.empty(4)
    found[0] = known[3]
    found[1] = hash(2.5) == hash(x[0] + 1.5)
    found[2] = np.exp(x[1]) + np.random.random() * 0
    found[3] = hash(str(x.size)) == hash(str(x.size))
    return found

@kernel
def fails(x):
    if x < 0:
        raise ValueError("negative")
    return np.sort(np.full(2, x))
"""
CALL = """
import sys, mine, numpy as np
assert mine.sums(np.arange(3.0)) == 5.0
compiler = "numba.np.linalg" in sys.modules
assert mine.one(np.array([1.0, 0.0])).tolist() == [1.0, 1.0, 1.0, 1.0]
assert mine.fails(2.0).tolist() == [2.0, 2.0]
try:
    mine.fails(-1.0)
except ValueError as error:
    assert str(error) == "negative"
print(sum(mine.one.stats.cache_hits.values()), compiler)
from numba import njit
@njit
def later(x):
    return np.linalg.solve(x, x).sum() + mine.one(x[0])[0]
assert later(np.eye(2)) == 3.0
"""


def test_this_numba_has_what_is_used():
    assert SUPPORTED


def test_kernels_work_when_they_come_from_the_cache_and_so_do_those_that_are_compiled_then(tmp_path):
    """With arrays, dictionaries, hashes, random numbers, texts and errors."""
    (tmp_path / "mine.py").write_text(MINE)
    path = os.pathsep.join([str(tmp_path), os.getcwd()])
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": path}
    for said in ("0 True", "1 False"):
        done = subprocess.run([sys.executable, "-c", CALL], env=environment, capture_output=True, text=True)
        assert (done.stdout.strip(), done.returncode) == (said, 0), done.stderr


def test_a_cache_of_another_kind_loads_as_it_does():
    assert loader(SimpleNamespace(load_overload=max))(1, 2) == 2
