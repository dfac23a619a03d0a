"""What numba's compiler does again and again while it compiles a kernel, done faster with the same results.

- It compares settings one by one, thousands of times.
- It tries all that an operator or a function of NumPy may mean, at every place where one stands, also for types that it has seen there before.
- It lists the variables of each instruction nine times, by asking everything inside what it is.
- It finds out nine times which variables live where, and reads that once.
- It tells listeners of every one of the tens of thousands of calls of LLVM, and of its own passes, with a description of each.
- It looks for new functions in some thirty lists before each function that it compiles, and imports the modules that they are in.
- It prepares the terminal for the colours of a message that nobody will see.

numba has no interface for any of this. Where its internals are not as expected (:data:`SUPPORTED`), all is done as numba does it.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from operator import add
from types import NoneType
from typing import Any

from numba.core import base, compiler_machinery, errors, event, ir, postproc, targetconfig, transforms
from numba.core.types import functions
from numba.core.typing import context, typeof

_errors: Any = errors
_CONFIG: Any = getattr(targetconfig, "TargetConfig", None)
_FUNCTION: Any = getattr(functions, "BaseFunction", None)
_INSTRUCTION: Any = getattr(ir, "Inst", None)
_AFTER: Any = getattr(postproc, "PostProcessor", None)
_event: Any = event
_PASSES: Any = getattr(compiler_machinery, "PassManager", None)
_TYPES: Any = getattr(context, "BaseContext", None)
_TARGETS: Any = getattr(base, "BaseContext", None)
#: Whether this numba has all that is changed here.
SUPPORTED = (
    hasattr(_CONFIG, "values")
    and hasattr(targetconfig, "ConfigStack")
    and hasattr(errors, "_termcolor_inst")
    and hasattr(_FUNCTION, "get_call_type")
    and hasattr(_INSTRUCTION, "_rec_list_vars")
    and hasattr(_AFTER, "run")
    and hasattr(postproc, "VariableLifetime")
    and hasattr(transforms, "canonicalize_cfg")
    and all(hasattr(_event, name) for name in ("start_event", "end_event"))
    and hasattr(_PASSES, "_runPass")
    and hasattr(_TYPES, "refresh")
    and hasattr(_TARGETS, "refresh")
    and hasattr(typeof, "_termcolor")
)
#: Event of a call of LLVM.
_LLVM = "numba:llvm_lock"
#: Modules of functions that mean the same wherever they are called with the same types.
_KNOWN = {add.__module__, "builtins", "math", "numpy"}
#: What the parts of instructions are that have no variables inside, most often.
_LEAVES = {str, int, float, bool, NoneType, type(add), type, ir.Loc}
#: Signatures that calls were resolved to, with the numba type of the function, which must live as long as its number is a key.
_found: dict[tuple, tuple[Any, Any]] = {}


def _equal(plain: Any) -> Any:
    def equal(self: Any, other: Any) -> Any:
        if self is other:
            return True
        if type(self) is not type(other):
            return plain(self, other)
        set_here, set_there = self._values, other._values
        return set_here == set_there or all(
            getattr(self, name) == getattr(other, name) for name in set_here.keys() | set_there.keys()
        )

    return equal


def _hash(plain: Any) -> Any:
    """numba's own looks at the names of the options only, which are those of the class."""
    found: dict[type, int] = {}

    def hashed(self: Any) -> int:
        kind = type(self)
        if kind not in found:
            found[kind] = plain(self)
        return found[kind]

    return hashed


def _resolve(plain: Any) -> Any:
    def get_call_type(self: Any, context: Any, args: Any, kws: Any) -> Any:
        if getattr(self.typing_key, "__module__", "") not in _KNOWN:
            return plain(self, context, args, kws)
        flags = targetconfig.ConfigStack.top_or_none()
        key = (id(self), id(context), tuple(args), tuple(kws.items()), flags and flags.copy())
        if key in _found:
            return _found[key][0]
        signature = plain(self, context, args, kws)
        if signature is not None:
            _found[key] = signature, (self, context)
        return signature

    return get_call_type


def _list_variables(plain: Any) -> Any:
    def listed(self: Any, value: Any) -> list:
        kind = type(value)
        if kind is dict:
            value = value.values()
        elif kind is not list and kind is not tuple:
            return plain(self, value)
        found: list = []
        for part in value:
            kind = type(part)
            if kind is ir.Var:
                found.append(part)
            elif kind not in _LEAVES:
                found.extend(self._rec_list_vars(part))
        return found

    return listed


def _live_later(plain: Any) -> Any:
    """numba reads what is left out in Python's own mode and in generators only, and writes it once more before it makes code."""

    def run(self: Any, emit_dels: bool = False, **settings: Any) -> None:
        function = self.func_ir
        if emit_dels or settings or function.is_generator:
            plain(self, emit_dels, **settings)
            return
        function.blocks = transforms.canonicalize_cfg(function.blocks)
        function.variable_lifetime = postproc.VariableLifetime(function.blocks)
        function.generator_info = None

    return run


def _but_of_llvm(plain: Any) -> Any:
    def tell(kind: str, *details: Any, **named: Any) -> None:
        if kind != _LLVM:
            plain(kind, *details, **named)

    return tell


def _pass_quietly(plain: Any) -> Any:
    def run(self: Any, index: int, step: Any, state: Any) -> None:
        if self._print_before or self._print_after or self._print_wrap or self._ENFORCING:
            plain(self, index, step, state)
            return
        step.analysis = self._analysis
        for part in (step.run_initialization, step.run_pass, step.run_finalizer):
            part(state)

    return run


def _when_changed(plain: Any) -> Any:
    """Look for new functions when their number, or that of the modules they may be in, has changed."""
    seen: dict[int, tuple[int, ...]] = {}

    def state(self: Any) -> tuple[int, ...]:
        kept = (*self._registries, *getattr(self, "typing_context", self)._registries)
        return len(sys.modules), *(
            len(listed) for lists in kept for listed in vars(lists).values() if type(listed) is list
        )

    def refresh(self: Any) -> None:
        if seen.get(id(self._registries)) != state(self):
            plain(self)
            seen[id(self._registries)] = state(self)

    return refresh


class _NoColours:
    """Leaves messages as they are, whatever their kind."""

    def __getattr__(self, name: str) -> Any:
        return str


@contextmanager
def done_faster() -> Iterator[None]:
    """While this holds, numba's compiler works as this file says; under its lock."""
    if not SUPPORTED:
        yield
        return
    changes: list[tuple[Any, str, Any]] = [
        (_CONFIG, "__eq__", _equal),
        (_CONFIG, "__hash__", _hash),
        (_FUNCTION, "get_call_type", _resolve),
        (_INSTRUCTION, "_rec_list_vars", _list_variables),
        (_AFTER, "run", _live_later),
        (_event, "start_event", _but_of_llvm),
        (_event, "end_event", _but_of_llvm),
        (_PASSES, "_runPass", _pass_quietly),
        (_TYPES, "refresh", _when_changed),
        (_TARGETS, "refresh", _when_changed),
        (_errors, "_termcolor_inst", lambda _: _NoColours()),
        (typeof, "_termcolor", lambda _: _NoColours()),
    ]
    before = [(owner, name, getattr(owner, name)) for owner, name, _ in changes]
    for (owner, name, plain), (_, _, change) in zip(before, changes, strict=True):
        setattr(owner, name, change(plain))
    try:
        yield
    finally:
        for owner, name, plain in before:
            setattr(owner, name, plain)
