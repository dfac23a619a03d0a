"""How the functions of the contract find their implementation: by the type of the problem, when a kernel is compiled.

``implements`` is public; the rest of this file is the registry, which :mod:`.groups` and the tests read.
"""

from collections.abc import Callable
from functools import cache, wraps
from inspect import signature
from typing import Any, NamedTuple

from numba import config, types
from numba.core.typing.templates import _OverloadFunctionTemplate, infer, infer_global, make_overload_template

from spacy_mtl.kernels import subkernel, watch


class Derived(NamedTuple):
    """The default of a contract function, for types that do not implement it. built_on: the functions that it uses."""

    function: Callable
    built_on: tuple["Function", ...]


class Function(NamedTuple):
    """A function of the contract, with the class of its argument ``scale`` if it is implemented separately for Scale and for Weights."""

    generic: Callable
    scale: type | None = None

    @property
    def name(self) -> str:
        """The name for messages, such as ``curvature (Weights)``."""
        return self.generic.__name__ + (f" ({self.scale.__name__})" if self.scale else "")


_OWN: dict[tuple[Function, type], Callable] = {}
_DERIVED: dict[Function, Derived] = {}


def generic(function: Callable) -> Callable:
    """Decorator: make a function part of the contract; its name, arguments and docstring are used, but not its body.

    Kernels that call it get the implementation for the type of the problem. Python can only call it if numba's JIT is switched off
    (NUMBA_DISABLE_JIT=1): everything is then plain Python, which a debugger can step through. Otherwise it raises TypeError.
    """
    scale_at = _scale_place(function)

    @wraps(function)
    def call(*arguments: Any) -> Any:
        if not config.DISABLE_JIT:  # type: ignore[attr-defined]
            raise TypeError(f"{function.__name__} can be called from compiled functions only; make it a kernel.")
        scale = type(arguments[scale_at]) if scale_at else None
        return chosen(call, type(arguments[0]), scale)(*arguments)

    return call


@cache
def _scale_place(function: Callable) -> int:
    """The position of the argument ``scale``, 0 if there is none."""
    names = list(signature(function).parameters)
    return names.index("scale") if "scale" in names else 0


def own(generic: Callable, problem_type: type, scale: type | None) -> Callable | None:
    """The type's own implementation, for this class of ``scale`` or for any."""
    return _OWN.get((Function(generic, scale), problem_type)) or _OWN.get((Function(generic), problem_type))


def chosen(generic: Callable, problem_type: type, scale: type | None) -> Callable:
    """The Python function to which a call is resolved. Raises NotImplementedError if there is none."""
    found = own(generic, problem_type, scale)
    derived = _DERIVED.get(Function(generic, scale)) or _DERIVED.get(Function(generic))
    if found is None and derived is None:
        raise NotImplementedError(f"{problem_type.__name__} does not implement {Function(generic, scale).name}.")
    return found or derived.function  # type: ignore[union-attr]


def given(function: Function, problem_type: type) -> bool:
    """Whether a type has this function: it implements the function, or all functions that the default uses."""
    if own(function.generic, problem_type, function.scale):
        return True
    derived = _DERIVED.get(function)
    return derived is not None and all(given(other, problem_type) for other in derived.built_on)


def derived_from(function: Function) -> tuple[Function, ...] | None:
    """The functions that the default of a function uses; None for functions that every type must implement."""
    return _DERIVED[function].built_on if function in _DERIVED else None


def _instance_class(value: Any) -> type | None:
    """The NamedTuple class of a numba type, None for other types."""
    return value.instance_class if isinstance(value, types.BaseNamedTuple) else None  # type: ignore[attr-defined]


class _Chosen(_OverloadFunctionTemplate):
    """Calls of a generic function, resolved directly to the kernel that implements it for the problem's type.

    ``numba.extending.overload`` would compile a function of its own around every kernel, with all of the kernel's code in it once more.
    """

    def _get_impl(self, args, kws):
        return self._overload_func(*args, **kws), args  # type: ignore[attr-defined]


def _register(generic: Callable, function: Callable, fits: Callable[[type, type | None], bool]) -> None:
    """Make numba use ``function`` for ``generic`` if ``fits`` is true of the class of the problem and that of ``scale``."""
    kernel, scale_at = subkernel(function), _scale_place(generic)

    def choose(*arguments):
        problem_type = _instance_class(arguments[0])
        scale = _instance_class(arguments[scale_at]) if scale_at else None
        return kernel if problem_type and fits(problem_type, scale) else None

    made = make_overload_template(generic, choose, {}, strict=False, inline="never")
    template = type(made.__name__, (_Chosen,), {name: vars(made)[name] for name in vars(made) if name[:2] != "__"})
    infer(template)
    infer_global(generic, types.Function(template))


def implements(generic: Callable, problem_type: type, scale_type: type | None = None) -> Callable:
    """Decorator: this function is ``generic`` for problems of ``problem_type`` (a NamedTuple class).

    scale_type: only if the argument ``scale`` is of this class (Scale or Weights); None for functions that work for both.
    """

    def register(function: Callable) -> Callable:
        _OWN[Function(generic, scale_type), problem_type] = function
        watch(problem_type, function)
        _register(generic, function, lambda cls, scale: cls is problem_type and scale_type in (None, scale))
        return function

    return register


def derived(generic: Callable, *built_on: Function, scale_type: type | None = None) -> Callable:
    """Decorator: this function is the default of ``generic``, for every type that does not implement it. It uses the functions ``built_on``.

    The choice is made when a kernel is compiled, so a default costs nothing if a type has its own implementation.
    """

    def register(function: Callable) -> Callable:
        _DERIVED[Function(generic, scale_type)] = Derived(function, built_on)
        _register(
            generic, function, lambda cls, scale: scale_type in (None, scale) and own(generic, cls, scale) is None
        )
        return function

    return register
