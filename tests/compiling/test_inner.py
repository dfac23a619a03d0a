"""Functions that only kernels call: compiled once, as part of these, without counting references that their callers hold."""

import gc
import os
import subprocess
import sys
from typing import NamedTuple

import numpy as np
import pytest
from numba import njit
from numba.core.errors import TypingError
from numba.core.runtime import _nrt_python, rtsys

from spacy_mtl.compiling.inner import ONCE, SUPPORTED, InnerLibrary, OuterLibrary
from spacy_mtl.kernels import kernel, seldom_kernel, subkernel
from spacy_mtl.models.tree.decode import decode_pairs
from spacy_mtl.trainers.shared.frank_wolfe import ascent_pass


def test_this_numba_has_the_internals_that_are_changed():
    """Where it has not, everything works, but compiles as long as numba does: look for their new names."""
    assert SUPPORTED


class Pair(NamedTuple):
    first: np.ndarray
    second: np.ndarray


@subkernel
def total(pair, scale):
    """Looks at views alone."""
    row, last = pair.first[1:], pair.second[-1]
    for x in row:
        last += scale * x
    return last


@subkernel
def copied(row):
    """Returns an array of its own."""
    out = np.empty(row.size)
    for k in range(row.size):
        out[k] = row[k]
    return out


@subkernel
def for_a_moment(row, chosen):
    """Makes arrays and returns none."""
    return copied(row)[chosen].sum() + np.sort(row)[0]


@kernel
def both(x):
    return 2 * x


@kernel
def everything(pair, chosen):
    kept = copied(pair.first)
    views = Pair(kept[::2], pair.second)
    return total(pair, 1) + total(pair, 3) + for_a_moment(kept, chosen) + both(1) + views.first[1]


@subkernel
def deepest(x):
    return x * 3.0 - 1.0


@subkernel
def middle(x):
    return deepest(x) + deepest(x + 1.0)


@subkernel
def beside(x):
    """Calls what another kernel calls, too."""
    return deepest(x) * 2.0


@kernel
def chain_of_calls(x):
    return beside(x) + middle(x)


def library(compiled):
    (result,) = compiled.overloads.values()
    return result.library


def test_results_and_memory():
    """No array is freed early, and none is left over."""
    pair, chosen = Pair(np.arange(6.0), np.array([1.0, 5.0])), np.array([0, 3])
    wanted = (5 + 15) + (5 + 45) + 3 + 0 + 2 + 2
    assert everything(pair, chosen) == wanted
    _nrt_python.memsys_enable_stats()
    before = rtsys.get_allocation_stats()
    assert [everything(pair, chosen) for _ in range(20)] == [wanted] * 20
    after = rtsys.get_allocation_stats()
    _nrt_python.memsys_disable_stats()
    assert after.alloc - before.alloc == after.free - before.free > 0
    assert [sys.getrefcount(array) for array in pair] == [sys.getrefcount(np.arange(6.0)) + 2] * 2


def test_only_what_python_calls_becomes_machine_code():
    test_results_and_memory()
    assert isinstance(library(everything), OuterLibrary)
    assert {type(library(called)) for called in (total, copied, for_a_moment)} == {InnerLibrary}
    assert "NRT_incref" not in str(library(total)._final_module)
    assert "NRT_MemInfo" in str(library(copied)._final_module)


def test_a_number_known_beforehand_makes_no_version_of_its_own():
    test_results_and_memory()
    assert len(total.overloads) == 1


def test_python_may_call_what_kernels_called_first():
    test_results_and_memory()
    assert both(21) == 42
    assert both(21) == 42
    assert isinstance(library(both), OuterLibrary)


def test_functions_of_others_may_use_what_was_compiled_for_kernels():
    test_results_and_memory()

    @njit
    def other(n):
        return np.empty(n).size + both(n)

    assert other(4) == 12


def test_what_is_cached_for_linking_is_linked(tmp_path):
    """A second kernel, in a second process, takes the subkernel from the cache."""
    (tmp_path / "mine.py").write_text(
        "import numpy as np\nfrom spacy_mtl.kernels import kernel, subkernel\n\n"
        "@subkernel\ndef inner(x):\n    return np.full(3, x).sum()\n\n"
        "@kernel\ndef one(x):\n    return inner(x) + 1\n\n"
        "@kernel\ndef two(x):\n    return inner(x) + 2\n"
    )
    path = os.pathsep.join([str(tmp_path), os.getcwd()])
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": path}
    for call, hits in (("one(2.0)", 0), ("two(2.0)", 1), ("two(2.0)", 0)):
        code = f"import mine; print(mine.{call}, sum(mine.inner.stats.cache_hits.values()))"
        done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
        assert done.stdout.split() == [str(6.0 + (1 if "one" in call else 2)), str(hits)]


def defined(compiled):
    """Names of the functions that stand in the module of a kernel."""
    return " ".join(
        function.name for function in library(compiled)._final_module.functions if not function.is_declaration
    )


def test_a_kernel_is_linked_once_however_deep_it_is_called():
    """Not into every kernel on the way, each of which would optimize it again."""
    assert chain_of_calls(2.0) == 2 * 5.0 + 5.0 + 8.0
    assert "deepest" in defined(deepest)
    assert "deepest" not in defined(middle)
    assert {wanted.name for wanted in library(middle).kernels} == {"deepest"}
    assert [each.name for each in library(chain_of_calls)._linking_libraries if each.name == "deepest"] == ["deepest"]


def test_garbage_is_collected_after_compiling():
    chain_of_calls(2.0)
    assert gc.isenabled()

    @kernel
    def not_typed(x):
        return x.of_no_such_field

    with pytest.raises(TypingError):
        not_typed(1.0)
    assert gc.isenabled()
    gc.disable()
    try:
        assert kernel(lambda x: x + 1.0)(1.0) == 2.0
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_what_is_cached_for_linking_has_all_that_it_calls(tmp_path):
    """A kernel of a second process takes the middle one from the cache, and nothing below it."""
    (tmp_path / "deep.py").write_text(
        "from spacy_mtl.kernels import kernel, subkernel\n\n"
        "@subkernel\ndef deepest(x):\n    return x * 3.0\n\n"
        "@subkernel\ndef beside(x):\n    return x - 1.0\n\n"
        "@subkernel\ndef deep(x):\n    return deepest(x) + 1.0\n\n"
        "@subkernel\ndef middle(x):\n    return deep(x) + deepest(x) + beside(x)\n\n"
        "@kernel\ndef one(x):\n    return middle(x) + 1.0\n\n"
        "@kernel\ndef two(x):\n    return middle(x) + deep(x)\n\n"
        "@kernel\ndef three(x):\n    return middle(x) * 2.0\n"
    )
    path = os.pathsep.join([str(tmp_path), os.getcwd()])
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": path}
    for call, result, missed in (("one", 15.0, 1), ("two", 21.0, 0), ("three", 28.0, 0)):
        code = f"import deep; print(deep.{call}(2.0), sum(deep.deepest.stats.cache_misses.values()))"
        done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
        assert done.stdout.split() == [str(result), str(missed)]


def test_kernels_of_prediction_are_optimized_once():
    assert getattr(decode_pairs.py_func, ONCE)
    assert not hasattr(ascent_pass.py_func, ONCE)


def test_what_runs_seldom_is_optimized_once(monkeypatch):
    """Twice where kernels below others were linked, so that loops of what was inlined are optimized as well."""
    rounds = []
    plain = OuterLibrary.__mro__[1]._optimize_final_module
    monkeypatch.setattr(
        OuterLibrary.__mro__[1], "_optimize_final_module", lambda self: (rounds.append(self.name), plain(self))
    )

    def of_middle(x):
        return middle(x)

    def of_deepest(x):
        return deepest(x)

    for make, function, count in ((kernel, of_middle, 2), (kernel, of_deepest, 1), (seldom_kernel, of_middle, 1)):
        rounds.clear()
        compiled = make(function)
        monkeypatch.setattr(compiled._cache, "load_overload", lambda *_: None)
        assert compiled(2.0) == (13.0 if function is of_middle else 5.0)
        assert rounds.count(function.__qualname__) == count
