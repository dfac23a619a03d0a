"""Two things that numba does for every function that a call in a kernel might mean, thousands of times: done faster.

It compares the settings of its compiler one by one, and prepares the terminal for the colours of a message that nobody will see.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from numba.core import errors, targetconfig

_errors: Any = errors
_CONFIG: Any = getattr(targetconfig, "TargetConfig", None)
#: Whether this numba has all that is changed here.
SUPPORTED = hasattr(_CONFIG, "values") and hasattr(errors, "_termcolor_inst")


def _equal(plain: Any) -> Any:
    def equal(self: Any, other: Any) -> Any:
        if self is other or (type(self) is type(other) and self._values == other._values):
            return True
        return plain(self, other)

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


class _NoColours:
    """Leaves messages as they are, whatever their kind."""

    def __getattr__(self, name: str) -> Any:
        return str


@contextmanager
def done_faster() -> Iterator[None]:
    """While this holds, settings with the same values are equal without looking at each; under numba's compiler lock."""
    if not SUPPORTED:
        yield
        return
    equal, hashed, colours = _CONFIG.__eq__, _CONFIG.__hash__, _errors._termcolor_inst
    _CONFIG.__eq__, _CONFIG.__hash__, _errors._termcolor_inst = _equal(equal), _hash(hashed), _NoColours()
    try:
        yield
    finally:
        _CONFIG.__eq__, _CONFIG.__hash__, _errors._termcolor_inst = equal, hashed, colours
