"""JSON from a file that may come from anyone: bounded in size, nesting and the number of objects, without NaN, with distinct names."""

import json
import re
from typing import Any, NoReturn

from .fault import StoredValueError

#: Largest size in bytes: more than a dictionary of millions of words needs.
MOST_BYTES = 1 << 28
#: Largest number of lists, and twice the objects: a list takes about 100 bytes of memory where its text may have 2, an object 200.
MOST_CONTAINERS = 1 << 20
#: Largest depth of lists and objects inside each other.
DEEPEST = 16

_OBJECTS_AS_LISTS = bytes.maketrans(b"{}", b"[]")
_OTHERS = bytes(set(range(256)) - set(b'"[]{}'))
#: Half a character, which can be written as an escape but not as UTF-8; an escaped backslash before it is looked at later.
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


def read_json(data: bytes, name: str = "the header") -> Any:
    """Parse UTF-8 JSON. name: what it is, for the message.

    Raises StoredValueError if it is too large, too deep or invalid, has too many lists and objects, repeats a name in an object, or has NaN, Infinity
    or a string that is not valid Unicode. A number too large for a float, such as 1e999, becomes inf, which no check of numbers lets through.
    """
    if len(data) > MOST_BYTES:
        raise StoredValueError(f"{name} is larger than {MOST_BYTES >> 20} megabytes")
    check_nesting(data, name)
    try:
        text = data.decode("utf8")
        value = json.loads(text, object_pairs_hook=_object, parse_constant=_refuse_constant)
    except StoredValueError as fault:
        raise StoredValueError(f"{name} has {fault}") from None
    except (ValueError, RecursionError):
        raise StoredValueError(f"{name} is not valid JSON") from None
    if _SURROGATE.search(text):
        _check_strings(value, name)
    return value


def fault_of_json(error: Exception) -> str:
    """What was wrong with a text that ``json.loads`` did not take, in words: of its ValueError, which may be of a number, or RecursionError."""
    told = "it is nested too deep" if isinstance(error, RecursionError) else getattr(error, "msg", str(error))
    return told.removesuffix(" at").removesuffix(" starting")  # the place would follow


def check_nesting(data: bytes, name: str) -> None:
    """Refuse JSON with too many lists and objects, or nested too deep, before a parser makes them. Raises StoredValueError."""
    if b"\\" in data:
        data = data.replace(b"\\\\", b"").replace(b'\\"', b"")
    strings = data.translate(None, _OTHERS).split(b'"')  # every second part was inside a string
    brackets = b"".join(strings[::2])
    if brackets.count(b"[") + 2 * brackets.count(b"{") > MOST_CONTAINERS:
        raise StoredValueError(f"{name} has more than {MOST_CONTAINERS} lists, or objects, which count twice")
    brackets = brackets.translate(_OBJECTS_AS_LISTS)
    for _ in range(DEEPEST):
        if not brackets:
            return
        brackets = brackets.replace(b"[]", b"")  # one level, from the inside
    if brackets:
        raise StoredValueError(f"{name} is not valid JSON, or nested more than {DEEPEST} levels deep")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise StoredValueError("an object with the same name twice")
    return found


def _refuse_constant(text: str) -> NoReturn:
    raise StoredValueError(f"the number {text}, which is not finite")


def _check_strings(value: Any, name: str) -> None:
    """Refuse strings that cannot be encoded as UTF-8, as which they will be stored again."""
    if isinstance(value, str):
        try:
            value.encode("utf8")
        except UnicodeEncodeError:
            raise StoredValueError(f"{name} has a string that is not valid Unicode") from None
    elif isinstance(value, list):
        for item in value:
            _check_strings(item, name)
    elif isinstance(value, dict):
        for key, item in value.items():
            _check_strings(key, name)
            _check_strings(item, name)
