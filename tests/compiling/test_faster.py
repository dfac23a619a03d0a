"""Settings of numba's compiler that are compared faster are equal when they were equal before."""

import operator

import numpy as np
import pytest
from numba import types
from numba.core import ir
from numba.core.compiler import Flags, run_frontend
from numba.core.errors import TypingError, termcolor
from numba.core.registry import cpu_target

from spacy_mtl.compiling.faster import SUPPORTED, done_faster


def test_this_numba_has_the_internals_that_are_changed():
    assert SUPPORTED


def some_flags():
    plain, set_, default, other = Flags(), Flags(), Flags(), Flags()
    set_.nrt = default.nrt = True
    default.nrt = Flags().nrt  # set, but to what it is anyway
    other.boundscheck = True
    return [plain, set_, default, other, set_.copy()]


def test_settings_are_equal_as_before():
    flags = some_flags()
    before = [[a == b for b in flags] for a in flags]
    assert {True, False} == {value for row in before for value in row}
    hashes = [hash(a) for a in flags]
    with done_faster():
        assert [[a == b for b in flags] for a in flags] == before
        assert [hash(a) for a in flags] == hashes
        assert flags[0] != "flags"


def test_messages_are_as_they_are():
    with pytest.raises(TypingError, match=r"^wrong type\n?$"), done_faster():
        raise TypingError("wrong type")
    assert termcolor().errmsg("x") == termcolor().errmsg("x")


def example(a, b):
    total = 0.0
    for i, x in enumerate(a[1:]):
        total += max(x, b[i]) if x > 0 else np.sqrt(b[i])
    return (total, a.size), [total, b]


def variables():
    blocks = run_frontend(example).blocks.values()
    return [[var.name for var in inst.list_vars()] for block in blocks for inst in block.body]


def test_variables_of_instructions_are_those_of_before():
    before = variables()
    assert sum(map(len, before)) > 40
    with done_faster():
        assert variables() == before
        jump, loc = ir.Jump(1, ir.unknown_loc), ir.unknown_loc
        assert jump.list_vars() == []
        inner = ir.Expr.build_tuple([ir.Var(None, "x", loc), ir.Var(None, "y", loc)], loc)
        assert [var.name for var in ir.Expr.build_list([inner, ir.Var(None, "z", loc)], loc).list_vars()] == [
            "x",
            "y",
            "z",
        ]


@pytest.mark.parametrize(
    "kinds", [(types.int32, types.float32), (types.int64, types.int64), (types.float64[:], types.int8)]
)
def test_calls_are_resolved_as_before_also_the_second_time(kinds):
    context = cpu_target.typing_context
    context.refresh()
    for function in (operator.add, operator.mul, max):
        kind = context.resolve_value_type(function)
        if function is max and isinstance(kinds[0], types.Array):
            continue
        before = kind.get_call_type(context, kinds, {})
        with done_faster():
            assert [kind.get_call_type(context, kinds, {}) for _ in range(2)] == [before, before]
            assert (
                kind.get_call_type(context, kinds[::-1], {}).args == kind.get_call_type(context, kinds[::-1], {}).args
            )
            with pytest.raises(TypingError):
                kind.get_call_type(context, (types.unicode_type, types.float32), {})
