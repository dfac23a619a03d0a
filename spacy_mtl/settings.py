"""What values settings may have: tests of single values, which hold for any value at all and never raise."""

from collections.abc import Collection
from numbers import Integral, Real
from pathlib import Path
from typing import Any

#: The largest whole number that a setting may be, unless it has a smaller limit of its own: kernels take them as 64-bit numbers.
MOST = 2**31 - 1
_SHOWN = 60


def shown(value: Any) -> str:
    """A value as messages show it: on one line and never longer than about sixty characters."""
    text = " ".join(repr(value[: _SHOWN + 1] if isinstance(value, str) else value).split())
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def brief(value: Any, most: int = _SHOWN) -> str:
    """A value as text of about ``most`` characters, for messages that put it between quotation marks."""
    text = " ".join(str(value[: most + 1] if isinstance(value, str) else value).split())
    return text if len(text) <= most else f"{text[:most]}..."


def of_the_name(*names: str | None) -> str:
    """What a message about a component says where one was asked for by its name, or several; nothing without one."""
    named = ", ".join(f"'{brief(name)}'" for name in names if name is not None)
    return f" of the name {named}" if named else ""


def is_number(value: Any, least: float = float("-inf"), most: float = float("inf")) -> bool:
    """Whether a value is a number, but neither true nor false nor nan, in this range."""
    return isinstance(value, Real) and not isinstance(value, bool) and bool(least <= value <= most)  # type: ignore[operator]


def is_whole(value: Any, least: int = 0, most: float = MOST) -> bool:
    """Whether a value is a whole number in this range."""
    return isinstance(value, Integral) and not isinstance(value, bool) and bool(least <= value <= most)  # type: ignore[operator]


def is_switch(value: Any) -> bool:
    """Whether a value is true or false."""
    return isinstance(value, bool)


def is_choice(value: Any, known: Collection[str]) -> bool:
    """Whether a value is one of these strings."""
    return isinstance(value, str) and value in known


def is_path(value: Any) -> bool:
    """Whether a value can be the path of a file."""
    return isinstance(value, Path | str) and bool(str(value)) and "\0" not in str(value)


def is_list(value: Any, kind: type | tuple[type, ...] = str) -> bool:
    """Whether a value is a list (or tuple) of values of this kind."""
    return isinstance(value, list | tuple) and all(isinstance(item, kind) for item in value)
