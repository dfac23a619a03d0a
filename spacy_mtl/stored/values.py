"""Checks of JSON values: exact types, ranges, closed lists of names.

A check takes a value and the name under which a message mentions it, returns the value, and raises :class:`.StoredValueError` if it is not allowed.
Types are exact: true is no integer and 1.0 is none either, since kernels would be compiled anew for other types.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from itertools import chain
from math import isnan
from typing import Any

from .fault import StoredValueError, shown

Check = Callable[[Any, str], Any]


def refuse(value: Any, name: str, expected: str) -> StoredValueError:
    """The fault of a value that is not what is expected."""
    return StoredValueError(f"{name} is {shown(value)}, not {expected}")


def text(value: Any, name: str) -> str:
    if type(value) is not str:
        raise refuse(value, name, "text")
    return value


def boolean(value: Any, name: str) -> bool:
    if type(value) is not bool:
        raise refuse(value, name, "true or false")
    return value


def integer(least: int, most: int) -> Check:
    """A check of whole numbers, least and most included."""

    def check(value: Any, name: str) -> int:
        if type(value) is not int or not least <= value <= most:
            raise refuse(value, name, f"a whole number from {least} to {most}")
        return value

    return check


def number(least: float, most: float) -> Check:
    """A check of numbers, whole or not, between two finite limits, both included."""

    def check(value: Any, name: str) -> float:
        if type(value) not in (int, float) or not least <= value <= most:
            raise refuse(value, name, f"a number from {least:g} to {most:g}")
        return value

    return check


def one_of(*allowed: Any) -> Check:
    """A check of values from a short list; true and 1 are different values."""

    def check(value: Any, name: str) -> Any:
        if not any(type(value) is type(each) and value == each for each in allowed):
            raise refuse(value, name, " or ".join(map(shown, allowed)))
        return value

    return check


def optional(check: Check) -> Check:
    """A check that also allows null."""
    return lambda value, name: None if value is None else check(value, name)


def list_of(check: Check, least: int = 0, most: int | None = None) -> Check:
    """A check of lists, from the number of their items to each of these."""

    def check_list(value: Any, name: str) -> list:
        if type(value) is not list:
            raise refuse(value, name, "a list")
        if len(value) < least or (most is not None and len(value) > most):
            limits = f"at least {least}" if most is None else f"{least} to {most}"
            raise StoredValueError(f"{name} has {len(value)} items, not {limits}")
        for item in value:
            check(item, f"an item of {name}")
        return value

    return check_list


def texts(value: Any, name: str) -> list[str]:
    """Check a list of strings, however long, quickly."""
    if type(value) is not list:
        raise refuse(value, name, "a list of text")
    _all_of_type(value, (str,), name, "text")
    return value


def integers(least: int, most: int) -> Check:
    """A check of lists of whole numbers, however long, quickly."""

    def check(value: Any, name: str) -> list[int]:
        if type(value) is not list:
            raise refuse(value, name, "a list of whole numbers")
        _all_of_type(value, (int,), name, "a whole number")
        _all_within(value, least, most, name)
        return value

    return check


def numbers(least: float, most: float) -> Check:
    """A check of lists of numbers, whole or not, between two finite limits, however long, quickly."""

    def check(value: Any, name: str) -> list[float]:
        if type(value) is not list:
            raise refuse(value, name, "a list of numbers")
        _all_of_type(value, (int, float), name, "a number")
        _all_within(value, least, most, name)
        return value

    return check


def distinct_texts(value: Any, name: str) -> list[str]:
    if len(set(texts(value, name))) != len(value):
        raise StoredValueError(f"{name} has the same item twice")
    return value


def mapping(value: Any, name: str) -> dict[str, Any]:
    """Check an object with any names."""
    if type(value) is not dict:
        raise refuse(value, name, "an object")
    return value


def mapping_of(check: Check) -> Check:
    """A check of objects with any names, from that of each value."""

    def check_mapping(value: Any, name: str) -> dict[str, Any]:
        for item in mapping(value, name).values():
            check(item, f"an item of {name}")
        return value

    return check_mapping


def texts_by_name(value: Any, name: str) -> dict[str, list[str]]:
    """Check an object of lists of strings."""
    _all_of_type(mapping(value, name).values(), (list,), name, "a list")
    _all_of_type(chain.from_iterable(value.values()), (str,), name, "text")
    return value


def numbers_by_name(most: int) -> Check:
    """A check of objects of lists of whole numbers from 0 to ``most``, however many, quickly."""

    def check(value: Any, name: str) -> dict[str, list[int]]:
        _all_of_type(mapping(value, name).values(), (list,), name, "a list")
        _all_of_type(chain.from_iterable(value.values()), (int,), name, "a whole number")
        _all_within(set(chain.from_iterable(value.values())), 0, most, name)
        return value

    return check


def _all_of_type(values: Iterable[Any], kinds: tuple[type, ...], name: str, expected: str) -> None:
    others = set(map(type, values)).difference(kinds)
    if others:
        raise StoredValueError(f"{name} has an item of type {min(kind.__name__ for kind in others)}, not {expected}")


def _all_within(values: Collection[float], least: float, most: float, name: str) -> None:
    if not values:
        return
    # where nan stands behind another number, neither min nor max tells of it
    if not (least <= min(values) and max(values) <= most) or any(map(isnan, values)):
        other = next(value for value in values if not least <= value <= most)
        raise refuse(other, f"an item of {name}", f"from {least:g} to {most:g}")


def fields(
    value: Any, name: str, checks: Mapping[str, Check], missing: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Check an object that has exactly these names, each with its check, and return it as a new dict.

    missing: names that older files may lack, with the values that these stand for.
    """
    mapping(value, name)
    unknown, lacking = value.keys() - checks.keys(), checks.keys() - value.keys() - set(missing or ())
    if unknown:
        raise StoredValueError(f"{name} has an unknown entry {min(map(shown, unknown))}")
    if lacking:
        raise StoredValueError(f"{name} lacks the entry {min(map(shown, lacking))}")
    older = missing or {}
    return {key: check(value[key], f"{key} of {name}") if key in value else older[key] for key, check in checks.items()}
