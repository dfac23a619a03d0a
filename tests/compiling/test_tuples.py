"""Kernels that hand on NamedTuples by address: the same results as without, whoever calls them, and no array is lost or freed early."""

import sys
from typing import NamedTuple

import llvmlite.ir as llvm
import numpy as np
import pytest
from numba import njit
from numba.core.runtime import _nrt_python, rtsys

from spacy_mtl.compiling.tuples import MARK, SUPPORTED, _stays_until_now
from spacy_mtl.kernels import kernel, subkernel


def test_this_numba_has_the_internals_that_are_changed():
    assert SUPPORTED


class Parts(NamedTuple):
    left: np.ndarray
    swapped: bool
    right: np.ndarray
    missing: None = None


@subkernel
def weighted(parts, i, others):
    """Reads fields in a loop."""
    total = 0.0
    for k in range(parts.left.size):
        total += parts.left[k] * others.right[i] + parts.swapped
    return total


@subkernel
def turned(parts):
    """A tuple of arrays of its own."""
    return Parts(2 * parts.right, not parts.swapped, parts.left + 1, None)


@subkernel
def add_length(parts, total, missing):
    if missing is None:
        return total
    return total + parts.of_no_such_field


@kernel
def walk(parts, n):
    """Gives its argument other values, hands on what it was given and what it made, and keeps the tuple of the round before."""
    total, before = 0.0, parts
    for i in range(n):
        now = turned(parts)
        total += weighted(parts, i, now) + 10 * weighted(now, i, before)
        before = parts
        parts = Parts(now.left, now.swapped, parts.right, None)
    return add_length(before, total, before.missing), parts


@kernel
def down(parts, n):
    return parts.left[0] if n == 0 else down(turned(parts), n - 1) + 1


@kernel
def itself(parts, again):
    """Returns its argument, or arrays of its own."""
    return turned(turned(parts)) if again else parts


@njit
def plain(parts):
    total, _ = walk(parts, 2)
    return total + down(parts, 1)


@pytest.fixture
def parts():
    return Parts(np.arange(3.0), True, np.array([1.0, 5.0, 2.0]))


def expected(parts, n):
    total, before = 0.0, parts
    for i in range(n):
        now = turned.py_func(parts)
        total += weighted.py_func(parts, i, now) + 10 * weighted.py_func(now, i, before)
        before, parts = parts, Parts(now.left, now.swapped, parts.right)
    return total, parts


@pytest.mark.parametrize("n", [0, 1, 3])
def test_results(parts, n):
    total, last = walk(parts, n)
    wanted, tuple_ = expected(parts, n)
    assert total == wanted
    np.testing.assert_equal(last, tuple_)


def test_other_compiled_functions_call_them(parts):
    assert down(parts, 2) == 2 * (parts.left[0] + 1) + 2
    assert plain(parts) == expected(parts, 2)[0] + 2 * parts.right[0] + 1


def test_memory(parts):
    """No array is freed early, and none is left over."""
    wanted = walk(parts, 3)[0]
    _nrt_python.memsys_enable_stats()
    before = rtsys.get_allocation_stats()
    assert [walk(parts, 3)[0] for _ in range(20)] == [wanted] * 20
    after = rtsys.get_allocation_stats()
    _nrt_python.memsys_disable_stats()
    assert after.alloc - before.alloc == after.free - before.free > 0


def test_arguments_that_are_returned(parts):
    before = [sys.getrefcount(array) for array in (parts.left, parts.right)]
    for again in (False, True, False):
        found = itself(parts, again)
        assert (found.left is parts.left, found.right is parts.right) == (not again, not again)
        np.testing.assert_array_equal(found.left, 2 * (parts.left + 1) if again else parts.left)
    del found
    assert [sys.getrefcount(array) for array in (parts.left, parts.right)] == before


def test_tuples_are_one_argument(parts):
    walk(parts, 1)
    (result,) = walk.overloads.values()
    assert MARK in result.fndesc.mangled_name
    inner = next(iter(weighted.overloads.values())).library.get_llvm_str()
    (line,) = [line for line in inner.splitlines() if line.startswith("define") and "weighted" in line and MARK in line]
    assert line.count("%arg.") == 3


def test_what_was_read_stays_until_something_is_written_there():
    """In the same block, and for all of it where the memory is the caller's."""
    kind = llvm.LiteralStructType([llvm.IntType(64), llvm.DoubleType()])
    function = llvm.Function(llvm.Module(), llvm.FunctionType(llvm.VoidType(), [kind.as_pointer(), kind]), "f")
    builder = llvm.IRBuilder(function.append_basic_block())
    here, there = builder.alloca(kind), builder.alloca(kind)
    value, given = builder.load(here), builder.load(function.args[0])
    assert _stays_until_now(builder, value)
    builder.store(value, there)
    assert _stays_until_now(builder, value)
    assert _stays_until_now(builder, given)
    builder.store(function.args[1], here)
    assert not _stays_until_now(builder, value)
    assert not _stays_until_now(builder, function.args[1])
    fresh = builder.load(there)
    assert _stays_until_now(builder, fresh)
    builder.position_at_end(function.append_basic_block())
    assert not _stays_until_now(builder, fresh)
    assert _stays_until_now(builder, given)
