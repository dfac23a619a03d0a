"""What the numbers and hashes of context attributes say, as text for people: the codes are those of :mod:`.context`."""

from functools import cache

import numpy as np
from spacy.strings import hash_string  # type: ignore[attr-defined]

from spacy_mtl.templates.extract import mix

#: Capitalisation classes of forms that begin with a letter, see :func:`.case_pattern`.
_CASES = ("x", "xX", "Xx", "X", "XX", "X.", "XxX")
_CODES = 32


def count_text(value: int) -> str:
    """DOC_COUNT: ``2``, ``4+``, or nothing for a form that is not counted."""
    return "" if not value else f"{value - 1}+" if value == 5 else str(value - 1)


def place_text(value: int) -> str:
    """RUN_PLACE: ``2 of 3``, with + for a longer run or a later place, or nothing outside of runs."""
    length, place = divmod(value - 1, 8)
    return f"{place + 1}{'+' * (place == 3)} of {length}{'+' * (length == 5)}" if value else ""


def case_text(value: int) -> str | None:
    """DOC_CASE: ``Xx inside, elsewhere x``; nothing for a form without letters, None for a value that is none."""
    return _case_texts().get(value) if value else ""


@cache
def _case_texts() -> dict[int, str]:
    """The text of every value of DOC_CASE."""
    found = {}
    for case in _CASES:
        for code in range(1, _CODES):
            place = {1: "inside", 2: "at a start"}.get(code & 3)
            if place is not None:
                ways = [way for bit, way in ((4, "x"), (8, "X inside"), (16, "XX")) if code & bit]
                text = f"{case} {place}" + (f", elsewhere {' and '.join(ways)}" if ways else "")
                found[int(mix(np.uint64(hash_string(case)), np.uint64(code)))] = text
    return found
