"""Functions that only compiled functions call become machine code as part of these, and not once more by themselves.

numba makes a library of every function it compiles: it links what the function calls into it, optimizes all of that, and makes machine code of it,
most of which never runs. Here a function without an entry from Python is kept for linking only, and numba's own small functions are optimized only as
parts of kernels. The kernel that Python calls links all of them and is translated as a whole.

Functions that make no arrays need not count references to those they are given, since their callers hold them: half of the code of a function that
hands on a problem of twenty arrays would do nothing else.

numba has no interface for either. Where its internals are not as expected (:data:`SUPPORTED`), everything is compiled as numba does it.
"""

import gc
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from llvmlite.binding import ModulePassManager, create_new_module_pass_manager
from numba import types
from numba.core import codegen as _codegen
from numba.core import ir, typed_passes
from numba.core.compiler_lock import global_compiler_lock
from numba.core.environment import lookup_environment
from numba.core.sigutils import normalize_signature

from . import tuples
from .faster import done_faster
from .loading import loader
from .progress import progress

_PASS: Any = getattr(typed_passes, "BaseNativeLowering", None)
_LIBRARY: Any = getattr(_codegen, "JITCodeLibrary", object)
_INTERNALS = (
    "_optimize_functions", "_optimize_final_module", "_finalize_final_module", "_finalize_dynamic_globals", "_get_module_for_linking",
    "get_pointer_to_function", "serialize_using_object_code",
)  # fmt: skip
_PASSES = ("sroa", "simplify_cfg", "aggressive_dce", "global_dead_code_eliminate")
#: Whether this numba has all that is changed here.
SUPPORTED = (
    hasattr(_PASS, "run_pass")
    and all(hasattr(_LIBRARY, name) for name in _INTERNALS)
    and all(hasattr(ModulePassManager, f"add_{name}_pass") for name in _PASSES)
)
#: Expressions of numba's intermediate code whose value, if it is an array, belongs to what they are made of.
_VIEWS = {
    "getattr", "getitem", "static_getitem", "cast", "phi", "build_tuple", "exhaust_iter", "getiter", "iternext", "pair_first", "pair_second",
}  # fmt: skip
#: Name of what is true of a function that a second round of optimizing would not make faster, or that runs seldom.
ONCE = "optimized_once"
#: The kernels that are being compiled, each for the one before it. Read and written under numba's compiler lock.
_compiling: list[Callable] = []


def is_nested() -> bool:
    """Whether a kernel is being compiled for another one, and not for a call from Python."""
    return len(_compiling) > 1


class _WithoutAddresses:
    """A code generator for libraries without machine code, which have no place for an environment."""

    def __init__(self, codegen: Any):
        self._codegen = codegen

    def __getattr__(self, name: str) -> Any:
        return getattr(self._codegen, name)

    def set_env(self, name: str, environment: Any) -> None:
        """Do nothing: the library that links this one sets it."""


def _tidy(codegen: Any, module: Any) -> None:
    """Drop what is not used, such as addresses of Python objects: a function that refers to one is not cached."""
    module.data_layout = codegen._data_layout
    passes = create_new_module_pass_manager()
    for name in _PASSES:
        getattr(passes, f"add_{name}_pass")()
    passes.run(module, codegen._pass_builder(opt=1, loop_vectorize=False, slp_vectorize=False))


class InnerLibrary(_LIBRARY):
    """A function that only compiled functions call, and all that it calls: code for linking, which has no address.

    It is not optimized unless it is a kernel: with loops that are optimized before they become a part of larger ones, training is 5 to 10% faster.
    """

    of_kernel = False
    kernels: tuple[Any, ...] = ()
    _linking_libraries: list[Any]

    @property
    def codegen(self) -> Any:
        return _WithoutAddresses(self._codegen)

    def finalize(self) -> None:
        """Link what it calls but for kernels, which the kernel that Python calls links: they would be optimized once more in each that calls them."""
        kept = self._linking_libraries
        self._linking_libraries = [library for library in kept if not _is_kernel(library)]
        self.kernels = tuple(_kernels_behind(kept))
        super().finalize()

    def _optimize_functions(self, module: Any) -> None:
        _tidy(self._codegen, module)

    def _optimize_final_module(self) -> None:
        if self.of_kernel:
            super()._optimize_final_module()

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """0, as for a function that is not there."""
        self._ensure_finalized()
        return 0

    def serialize_using_object_code(self) -> tuple[str, str, bytes]:
        whole = self._get_module_for_linking()
        if self.kernels:
            whole = whole.clone()
            for library in self.kernels:
                whole.link_in(library._get_module_for_linking(), preserve=True)
        return self.name, "bitcode", whole.as_bitcode()


def _is_kernel(library: Any) -> bool:
    return isinstance(library, InnerLibrary) and library.of_kernel


def _kernels_behind(libraries: list[Any]) -> list[Any]:
    """Kernels among these libraries, and those that these libraries need, each once and after all that call it.

    LLVM drops a function that nothing has called so far when it is linked.
    """
    found: dict[Any, None] = {}
    for library in libraries:
        found.update(dict.fromkeys(reversed(getattr(library, "kernels", ()))))
        if _is_kernel(library):
            found[library] = None
    return list(reversed(found))


class OuterLibrary(_LIBRARY):
    """A kernel that Python calls, with all that it calls."""

    _linking_libraries: list[Any]
    twice = True

    def finalize(self) -> None:
        kept = [library for library in self._linking_libraries if not _is_kernel(library)]
        self._linking_libraries = kept + _kernels_behind(self._linking_libraries)
        super().finalize()

    def _optimize_functions(self, module: Any) -> None:
        """As little as in those it links: the whole module is optimized later."""
        _tidy(self._codegen, module)

    def _optimize_final_module(self) -> None:
        """Twice where kernels are linked that were optimized without what they call: after one round, training is 3 to 13% slower.

        Prediction is not.
        """
        super()._optimize_final_module()
        if self.twice and any(getattr(library, "kernels", ()) for library in self._linking_libraries):
            super()._optimize_final_module()

    def _finalize_final_module(self) -> None:
        super()._finalize_final_module()
        # of the functions linked in, as numba does it for a kernel from the cache
        for variable in self._final_module.global_variables:
            environment = lookup_environment(variable.name) if variable.name.startswith("_ZN08NumbaEnv") else None
            if environment is not None:
                self._codegen.set_env(variable.name, environment)


def _is_counted(state: Any, kind: Any) -> bool:
    """Whether references to values of a numba type are counted."""
    return state.targetctx.data_model_manager[kind].contains_nrt_meminfo()


def _picks(kind: Any) -> bool:
    """Whether indexing with a value of this type copies what it picks: with an array or a list, alone or in a tuple."""
    parts = kind.types if isinstance(kind, types.BaseTuple) else (kind,)  # type: ignore[attr-defined]
    return any(isinstance(part, types.Buffer | types.Sequence) for part in parts)


def makes_arrays(state: Any) -> bool:
    """Whether a function makes or returns something whose references are counted; views of what it was given are not."""
    if isinstance(state.return_type, types.Generator) or _is_counted(state, state.return_type):
        return True
    for block in state.func_ir.blocks.values():
        for assign in block.find_insts(ir.Assign):
            value = assign.value
            if not isinstance(value, ir.Expr) or not _is_counted(state, state.typemap[assign.target.name]):
                continue
            if value.op not in _VIEWS or (value.op == "getitem" and _picks(state.typemap[value.index.name])):
                return True
    return False


def _library(state: Any, of_kernel: bool) -> Any:
    kind = InnerLibrary if state.flags.no_cpython_wrapper else OuterLibrary
    library = kind(state.targetctx.codegen(), state.func_id.func_qualname)
    library.of_kernel = of_kernel
    library.twice = not getattr(state.func_id.func, ONCE, False)
    library.enable_object_caching()
    return library


def _lowering(plain: Callable) -> Callable:
    """numba's pass that makes machine code of a function, with a library of ours."""

    def run_pass(self: Any, state: Any) -> bool:
        if state.library is not None:
            state.targetctx = tuples.unmarked(state.targetctx)
            return plain(self, state)
        flags, is_kernel = state.flags, _compiling[-1] is state.func_id.func
        flags.no_cpython_wrapper = bool(flags.no_cpython_wrapper or (is_kernel and is_nested()))
        flags.no_cfunc_wrapper = bool(flags.no_cfunc_wrapper or flags.no_cpython_wrapper)
        state.library = _library(state, is_kernel)
        if not is_kernel:
            return plain(self, state)
        original = state.targetctx
        if tuples.SUPPORTED and not isinstance(state.return_type, types.Generator):
            state.targetctx, self = tuples.marked(original), tuples.Lowering()
        try:
            return _without_counting(plain, self, state)
        finally:
            state.targetctx = original

    return run_pass


def _without_counting(plain: Callable, self: Any, state: Any) -> bool:
    """Run the pass on a kernel, without counting references if it makes no arrays."""
    if makes_arrays(state):
        return plain(self, state)
    counting = state.targetctx
    state.targetctx = counting.subtarget(enable_nrt=False)
    try:
        return plain(self, state)
    except Exception:  # it makes arrays for a moment, as some of numba's own functions do
        state.targetctx, state.library = counting, _library(state, True)
        return plain(self, state)


@contextmanager
def _without_collecting() -> Iterator[None]:
    """While this holds, Python does not look for garbage: nearly all of the millions of objects that compiling makes stay until its end."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


@contextmanager
def _with_our_libraries() -> Iterator[None]:
    """While this holds, numba makes libraries as this file says."""
    plain = _PASS.run_pass
    _PASS.run_pass = _lowering(plain)
    try:
        yield
    finally:
        _PASS.run_pass = plain


@contextmanager
def _linked_once(function: Callable) -> Iterator[None]:
    """While this holds, ``function`` is compiled, and what it calls for linking only."""
    with ExitStack() as stack:
        stack.enter_context(global_compiler_lock)
        if not _compiling:
            for change in (_without_collecting(), _with_our_libraries(), done_faster()):
                stack.enter_context(change)
        _compiling.append(function)
        try:
            yield
        finally:
            _compiling.pop()


@contextmanager
def _inner_libraries(codegen: Any) -> Iterator[None]:
    """While this holds, libraries that are read from the cache are inner ones."""
    codegen._library_class = InnerLibrary
    try:
        yield
    finally:
        del codegen._library_class


def compile_for_linking(compiled: Any) -> None:
    """Have a kernel compiled as this file says; its cache must tell nested kernels (:func:`is_nested`) from others.

    Also, a number that is known when the caller is compiled makes no version of its own: numba would compile the kernel again for each.
    """
    if not SUPPORTED or not hasattr(compiled, "get_call_template"):  # numba's JIT may be switched off
        return
    compile_plain, add_plain, template = compiled.compile, compiled.add_overload, compiled.get_call_template
    load_plain = loader(compiled._cache)
    name = f"{compiled.py_func.__module__.partition('.')[2]}.{compiled.py_func.__name__}"

    def compile(signature: Any) -> Any:
        with _linked_once(compiled.py_func):
            arguments = tuple(normalize_signature(signature)[0])
            found = compiled.overloads.get(arguments)
            if found is not None and isinstance(found.library, InnerLibrary) and not is_nested():
                del compiled.overloads[arguments]  # Python calls what only kernels have called so far
            misses = sum(compiled.stats.cache_misses.values())
            try:
                entry = compile_plain(signature)
            finally:
                if not is_nested():
                    progress.stop()
            if not is_nested() and sum(compiled.stats.cache_misses.values()) > misses:
                progress.end(name)
            return entry

    def add_overload(result: Any) -> None:
        if isinstance(result.library, InnerLibrary):  # nothing that a call from Python should find
            compiled.overloads[tuple(result.signature.args)] = result
        else:
            add_plain(result)

    def get_call_template(arguments: Any, named: Any) -> Any:
        plain = {name: types.unliteral(value) for name, value in named.items()}
        return template(tuple(types.unliteral(value) for value in arguments), plain)

    def load_overload(signature: Any, context: Any) -> Any:
        if not is_nested():
            found = load_plain(signature, context)
            (progress.begin if found is None else progress.ready)(name)
            return found
        with _inner_libraries(context.codegen()):
            return load_plain(signature, context)

    compiled.compile, compiled.add_overload, compiled.get_call_template = compile, add_overload, get_call_template
    compiled._cache.load_overload = load_overload
