"""A JSON value with one thing changed, at any depth: deleted, doubled, moved, of another type, extreme, swapped, renamed, nested."""

import json
from collections.abc import Callable
from typing import Any

EXTREMES: list[Any] = [
    None, True, False, 0, -1, 1, 2, 7, 255, 256, 1.0, 0.5, -0.0, 1e308, -1e308, 5e-324, float("nan"), float("inf"), float("-inf"),
    2**31 - 1, 2**31, -(2**31) - 1, 2**32, 2**53 + 1, 2**63 - 1, 2**63, -(2**63), 2**64 - 1, 2**64, 10**400,
    "", "x", "\0", "\ud800", "。", "true", "0", "O", "🙂" * 3, "é" * 5000, [], {}, [[]], [None], [0], [-1], [1e9], [""], {"": 0}, {"x": [99]},
]  # fmt: skip
#: Levels of nesting that are tried. json.dumps writes no more than a thousand, so deep values are written by hand.
_DEPTHS = (3, 20, 200, 100_000)
_MARK = "@@nested@@"


def mutate_json(value: Any, others: list[Any], rng: Any) -> tuple[Any, str, bytes | None]:
    """The changed value, what was done, and its text where ``json.dumps`` would not write it. others: values of other files."""
    holder = [json.loads(json.dumps(value))]
    container, key, path = _place(holder, rng)
    change = _CHANGES[int(rng.integers(len(_CHANGES)))]
    what = change(container, key, others, rng)
    text = None
    if what.startswith("nested"):
        depth = int(what.split()[1])
        around = [(b"[", b"]"), (b'{"x":', b"}")][int(rng.integers(2))]
        nested = around[0] * depth + b"0" + around[1] * depth
        text = json.dumps(holder[0]).encode().replace(json.dumps(_MARK).encode(), nested)
    return holder[0], f"{'.'.join(map(str, path))} {what}"[:300], text


def _place(holder: list[Any], rng: Any) -> tuple[Any, Any, list[Any]]:
    """A container, a key in it, and the path there: a walk from the root that may stop at any level, so that all levels have their share."""
    container: Any = holder
    key: Any = 0
    path: list[Any] = []
    while True:
        value = container[key]
        if not isinstance(value, list | dict) or not value or (path and rng.random() < 0.25):
            return container, key, path
        keys = list(value) if isinstance(value, dict) else range(len(value))
        container, key = value, keys[int(rng.integers(len(keys)))]
        path.append(key)


def _delete(container: Any, key: Any, others: list[Any], rng: Any) -> str:
    container.pop(key)
    if isinstance(container, list) and not container:
        container.append(None)  # the root must stay
    return "deleted"


def _duplicate(container: Any, key: Any, others: list[Any], rng: Any) -> str:
    value = container[key]
    times = int(rng.choice([1, 2, 7, 300, 5000]))
    if isinstance(container, list):
        container[key:key] = [value] * times
        return f"{times} times more"
    for k in range(min(times, 300)):
        container[f"{key}{k}"] = value
    return f"under {min(times, 300)} more names"


def _reorder(container: Any, key: Any, others: list[Any], rng: Any) -> str:
    if isinstance(container, list):
        order = rng.permutation(len(container)) if rng.random() < 0.5 else range(len(container))[::-1]
        container[:] = [container[k] for k in order]
        return "and its neighbours in another order"
    values = list(container.values())
    for name, k in zip(list(container), rng.permutation(len(values)), strict=True):
        container[name] = values[k]
    return "and its neighbours with each other's values"


def _retype(container: Any, key: Any, others: list[Any], rng: Any) -> str:
    value = container[key]
    forms: list[Callable[[Any], Any]] = [str, lambda v: [v], lambda v: {"x": v}, lambda v: bool(v), lambda v: None]
    if isinstance(value, int | float):
        forms += [float, lambda v: v + 0.5, lambda v: -v - 1, lambda v: v * 2 + 1, str]
    if isinstance(value, str):
        forms += [len, lambda v: [*v], lambda v: v[::-1], lambda v: v + v, lambda v: v[:-1], lambda v: v + "\n"]
    if isinstance(value, list):
        forms += [lambda v: dict(enumerate(v)), lambda v: v[:-1], lambda v: v[::2], lambda v: " ".join(map(str, v))]
    if isinstance(value, dict):
        forms += [lambda v: list(v.items()), lambda v: list(v), lambda v: dict(list(v.items())[:-1])]
    form = forms[int(rng.integers(len(forms)))]
    try:
        container[key] = form(value)
    except OverflowError:  # an integer that no float can hold
        container[key] = float("inf")
    return f"became {str(container[key])[:80]!r}"


def _extreme(container: Any, key: Any, others: list[Any], rng: Any) -> str:
    value = EXTREMES[int(rng.integers(len(EXTREMES)))]
    container[key] = value
    return f"became {str(value)[:80]!r}"


def _number(container: Any, key: Any, others: list[Any], rng: Any) -> str:
    value = int(rng.integers(-3, 400)) if rng.random() < 0.7 else int(rng.integers(-(2**62), 2**62))
    container[key] = value
    return f"became {value}"


def _swap(container: Any, key: Any, others: list[Any], rng: Any) -> str:
    """With a value from elsewhere in the same file, or of another one."""
    source = [others[int(rng.integers(len(others)))] if rng.random() < 0.5 else _root_of(container)]
    other, name, path = _place(source, rng)
    container[key] = json.loads(json.dumps(other[name]))
    return f"became what is at {'.'.join(map(str, path))}"


def _root_of(container: Any) -> Any:
    return container if isinstance(container, dict) else list(container)


def _rename(container: Any, key: Any, others: list[Any], rng: Any) -> str:
    if isinstance(container, list):
        return _extreme(container, key, others, rng)
    name = str(EXTREMES[int(rng.integers(len(EXTREMES)))])[:50]
    container[name] = container.pop(key)
    return f"renamed to {name!r}"


def _add(container: Any, key: Any, others: list[Any], rng: Any) -> str:
    value = EXTREMES[int(rng.integers(len(EXTREMES)))]
    if isinstance(container, list):
        container.insert(key, value)
    else:
        container["more"] = value
    return f"has {str(value)[:80]!r} beside it"


def _nest(container: Any, key: Any, others: list[Any], rng: Any) -> str:
    container[key] = _MARK
    return f"nested {rng.choice(_DEPTHS)} levels deep"


_CHANGES = [_delete, _duplicate, _reorder, _retype, _retype, _extreme, _extreme, _number, _swap, _rename, _add, _nest]
