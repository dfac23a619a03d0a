"""msgpack from a file that may come from anyone: bounded in depth, in the number of values and in text, before anything is made of it."""

from typing import Any

import srsly.msgpack

from .fault import StoredValueError

#: Largest depth of arrays and maps inside each other.
DEEPEST = 8
#: Largest number of values, among them the names in maps: a table of learned attributes has two for each form.
MOST_VALUES = 1 << 19
#: Largest number of arrays and maps, whose memory is many times their single byte.
MOST_CONTAINERS = 1 << 12
#: Largest size in bytes of all strings together: one rare character makes a string four times as large in memory.
MOST_TEXT = 1 << 25

NUMBER, BYTES, TEXT, ARRAY, MAP = range(5)


def _kinds() -> dict[int, tuple[int, int, int]]:
    """By the first byte of a value: its kind, the bytes that its length takes, and the length itself where it takes none.

    The length of a number or constant is its bytes. There are no extensions: no file of this package has any.
    """
    kinds = dict.fromkeys((*range(0x80), 0xC0, 0xC2, 0xC3, *range(0xE0, 0x100)), (NUMBER, 0, 0))
    kinds |= {0xCA: (NUMBER, 0, 4), 0xCB: (NUMBER, 0, 8)}
    kinds |= {first + power: (NUMBER, 0, 1 << power) for first in (0xCC, 0xD0) for power in range(4)}
    for kind, least, most in ((MAP, 0x80, 0x90), (ARRAY, 0x90, 0xA0), (TEXT, 0xA0, 0xC0)):
        kinds |= {first: (kind, 0, first - least) for first in range(least, most)}
    for kind, first, widths in ((BYTES, 0xC4, (1, 2, 4)), (TEXT, 0xD9, (1, 2, 4)), (ARRAY, 0xDC, (2, 4)), (MAP, 0xDE, (2, 4))):  # fmt: skip
        kinds |= {first + k: (kind, width, 0) for k, width in enumerate(widths)}
    return kinds


_KINDS = _kinds()


def read_msgpack(data: Any, name: str) -> Any:
    """Unpack None, bool, int, float, str, bytes, and lists and dicts of these. name: what it is, for the message.

    Raises StoredValueError where the bytes are no msgpack, hold other types, or are more or deeper than the limits above, before they are unpacked.
    """
    try:
        _check_extent(memoryview(data).cast("B"), name)
        # with a hook of our own, the decoders that other packages register are not called
        return srsly.msgpack.loads(data, raw=False, object_pairs_hook=dict)
    except StoredValueError:
        raise
    except Exception:  # whatever msgpack raises
        raise StoredValueError(f"{name} cannot be unpacked") from None


def _check_extent(data: memoryview, name: str) -> None:
    """Refuse what takes much time or memory to unpack. Raises StoredValueError, and IndexError or KeyError for what is no msgpack."""
    at, n_values, n_containers, n_text = 0, 1, 0, 0
    left = [1]  # values still to come in each container that is open; the first is around everything
    while left:
        if not left[-1]:
            left.pop()
            continue
        left[-1] -= 1
        kind, width, length = _KINDS[data[at]]
        at += 1 + width
        if width:
            length = int.from_bytes(data[at - width : at], "big")
        if kind in (ARRAY, MAP):
            inside = length * (1 + (kind == MAP))
            n_values += inside
            n_containers += 1
            left.append(inside)
            if len(left) > DEEPEST + 1:
                raise StoredValueError(f"{name} is nested more than {DEEPEST} levels deep")
        else:
            at += length
            n_text += length * (kind == TEXT)
        if n_values > MOST_VALUES or n_containers > MOST_CONTAINERS or n_text > MOST_TEXT:
            raise StoredValueError(f"{name} has too many values, or too much text")
    data[at - 1]  # its last byte
