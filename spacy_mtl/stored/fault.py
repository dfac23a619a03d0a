"""The exception of all checks of stored values."""

from typing import Any

#: Longest text of a value in a message.
_SHOWN = 40


class StoredValueError(ValueError):
    """A stored value is not what its format allows. The message says which value and why, without naming the file."""


def shown(value: Any) -> str:
    """A value as messages show it, on one line; of a container, only its type."""
    if isinstance(value, str):
        return repr(value if len(value) <= _SHOWN else value[:_SHOWN] + "...")
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value) if abs(value) < 10**_SHOWN else "a huge number"
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, list | dict):
        return "a list" if isinstance(value, list) else "an object"
    return type(value).__name__
