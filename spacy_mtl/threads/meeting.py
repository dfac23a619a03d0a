"""Where threads inside one kernel meet: a barrier, and numbers that each is handed out once. Python and its lock have no part in it.

The state is int64[STATE], in one array for all threads of a crew, and only changed by atomic instructions.
"""

import sys

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from spacy_mtl.kernels import subkernel

#: Places of the state: threads that wait, number of the meeting, whether one has failed, next task. A cache line apart.
WAITING, MEETING, FAILED, NEXT = 0, 8, 16, 24
STATE = 32
#: How often a thread looks before it lets others run.
LOOKS = 4000
#: The function of the system that lets others run.
_YIELD = "SwitchToThread" if sys.platform == "win32" else "sched_yield"


def new_state() -> np.ndarray:
    """The state of a crew that nobody waits in."""
    return np.zeros(STATE, np.int64)


def _pointer(context, builder, signature, state, place):
    array = context.make_array(signature.args[0])(context, builder, state)
    return builder.gep(array.data, [place])


@intrinsic
def fetch_add(typing_context, state, place, amount):
    """Add ``amount`` to state[place]; return what it was before."""

    def generate(context, builder, signature, args):
        return builder.atomic_rmw("add", _pointer(context, builder, signature, *args[:2]), args[2], "seq_cst")

    return types.int64(state, types.int64, types.int64), generate


@intrinsic
def load(typing_context, state, place):
    """state[place], as it is in memory now."""

    def generate(context, builder, signature, args):
        return builder.load_atomic(_pointer(context, builder, signature, *args), "seq_cst", 8)

    return types.int64(state, types.int64), generate


@intrinsic
def store(typing_context, state, place, value):
    """Set state[place], for all threads to see."""

    def generate(context, builder, signature, args):
        builder.store_atomic(args[2], _pointer(context, builder, signature, *args[:2]), "seq_cst", 8)
        return context.get_dummy_value()

    return types.void(state, types.int64, types.int64), generate


@intrinsic
def let_others_run(typing_context):
    """Give the processor to another thread that waits for it."""

    def generate(context, builder, signature, args):
        function = cgutils.get_or_insert_function(builder.module, ir.FunctionType(ir.IntType(32), []), _YIELD)
        builder.call(function, [])
        return context.get_dummy_value()

    return types.void(), generate


@subkernel
def meet(state, n_threads):
    """Wait until all threads are here; return whether none has failed. The next tasks are numbered from 0 again."""
    meeting = load(state, MEETING)  # type: ignore[call-arg, var-annotated]
    if fetch_add(state, WAITING, 1) == n_threads - 1:
        store(state, WAITING, 0)
        store(state, NEXT, 0)
        store(state, MEETING, meeting + 1)
    looks = 0
    while load(state, MEETING) == meeting and load(state, FAILED) == 0:
        looks += 1
        if looks > LOOKS:
            let_others_run()
    return load(state, FAILED) == 0


@subkernel
def next_task(state):
    """The number of a task that no other thread has."""
    return fetch_add(state, NEXT, 1)  # type: ignore[call-arg]
