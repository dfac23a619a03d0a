"""Settings of numba's compiler that are compared faster are equal when they were equal before."""

import operator
from contextlib import ExitStack, nullcontext

import numpy as np
import pytest
from numba import njit, types
from numba.core import compiler_machinery, event, ir, postproc
from numba.core.compiler import Flags, run_frontend
from numba.core.errors import TypingError, termcolor
from numba.core.registry import cpu_target
from numba.core.typing import typeof
from numba.extending import overload

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


def counting(n):
    for i in range(n):
        yield i * 2


def lifetimes(function):
    code = run_frontend(function)
    postproc.PostProcessor(code).run()
    found = code.variable_lifetime
    names = {offset: sorted(live) for offset, live in found.livemap.items()}
    waiting = [sorted(point.live_vars) for point in code.generator_info.get_yield_points()] if code.is_generator else []
    return names, sorted(found.usedefs.defmap), waiting


@pytest.mark.parametrize("function", [example, counting])
def test_variables_live_where_they_did_before(function):
    before = lifetimes(function)
    assert any(before[0].values())
    assert bool(before[2]) == (function is counting)
    with done_faster():
        assert lifetimes(function) == before


def test_listeners_hear_of_all_but_calls_of_llvm():
    heard = []

    class Ears(event.Listener):
        def on_start(self, event):
            heard.append(event.kind)

        def on_end(self, event):
            heard.append(event.kind)

    with ExitStack() as stack:
        for kind in ("numba:compile", "numba:llvm_lock"):
            stack.enter_context(event.install_listener(kind, Ears()))
        for change in (nullcontext(), done_faster()):
            with change:
                for kind in ("numba:compile", "numba:llvm_lock"):
                    with event.trigger_event(kind):
                        pass
    assert heard == ["numba:compile"] * 2 + ["numba:llvm_lock"] * 2 + ["numba:compile"] * 2


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


def deletions(function):
    code = run_frontend(function)
    postproc.PostProcessor(code).run(emit_dels=True)
    return [str(step) for block in code.blocks.values() for step in block.body if isinstance(step, ir.Del)]


def test_variables_are_deleted_where_pythons_own_mode_asks_for_it():
    before = deletions(example)
    assert before
    with done_faster():
        assert deletions(example) == before


def stub(x):
    raise NotImplementedError


def test_functions_that_are_added_between_two_kernels_are_found():
    with done_faster():
        assert njit(lambda x: x + 1)(1) == 2

        @overload(stub)
        def twice(x):
            return lambda x: x * 2

        assert njit(lambda x: stub(x))(3) == 6


@pytest.mark.parametrize("of", [lambda: cpu_target.typing_context, lambda: cpu_target.target_context])
def test_new_functions_are_looked_for_only_if_there_are_any(of, monkeypatch):
    context = of()
    looked = []
    plain = type(context).load_additional_registries
    monkeypatch.setattr(type(context), "load_additional_registries", lambda self: looked.append(plain(self)))
    context.refresh()
    before = len(looked)
    with done_faster():
        context.refresh()
        context.refresh()
        assert len(looked) - before == 1

        @overload(stub)
        def same(x):
            return lambda x: x

        context.refresh()
        assert len(looked) - before == 2


def passes_told(changed):
    """Names of the passes that listeners hear of while a function is compiled, and what the function returns."""
    heard = []

    class Ears(event.Listener):
        def on_start(self, event):
            heard.append(event.data["name"])

        def on_end(self, event):
            pass

    with event.install_listener("numba:run_pass", Ears()), changed:
        return heard, njit(lambda a: a.sum() + a.size)(np.arange(4.0))


def test_passes_run_as_before_but_listeners_do_not_hear_of_them():
    heard, found = passes_told(nullcontext())
    assert len(heard) > 20
    assert found == 10
    assert passes_told(done_faster()) == ([], 10)


def test_passes_whose_code_is_to_be_printed_run_as_before(monkeypatch, capsys):
    wanted = ["nopython_type_inference"], [], []
    monkeypatch.setattr(compiler_machinery.PassManager, "_debug_init", lambda self: wanted)
    with done_faster():
        assert njit(lambda x: x + 1)(1) == 2
    assert "nopython_type_inference" in capsys.readouterr().out


def test_the_terminal_is_not_prepared_for_messages_of_values_without_a_type(monkeypatch):
    monkeypatch.setattr(typeof, "_termcolor", None)  # which would fail
    with done_faster(), pytest.raises(ValueError, match=r"^Cannot determine Numba type of <class 'object'>$"):
        typeof.typeof(object())
    assert typeof._termcolor is None
