"""How an annotation that was begun differs from one that is asked for."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from spacy_mtl.errors import Errors
from spacy_mtl.settings import brief

#: Settings of a manifest that are options of the command; others follow from the model.
_OPTIONS = {
    "kind": "--format",
    "documents": "--documents",
    "encoding": "--encoding",
    "text": "--text-column",
    "id": "--id-column",
}
_INPUTS, _SIZE, _NUMBER = "list of inputs", "partition size", "number of partitions"


def check_same(folder: Path, found: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
    """Compare the manifest of a folder with the one that is wanted.

    Raises ValueError: M908 they are the same but for the size or time of an input, M914 they differ, and how the first was begun.
    """
    differences = list(_differences(found, wanted))
    if not differences and found.get(_NUMBER) != wanted[_NUMBER] and found[_INPUTS] == wanted[_INPUTS]:
        differences = ["other partitions"]
    if differences:
        told = differences[0] if len(differences) == 1 else f"{', '.join(differences[:-1])} and {differences[-1]}"
        raise ValueError(Errors.M914.format(path=folder, what=told, else_=""))
    for old, new in zip(found[_INPUTS], wanted[_INPUTS], strict=True):
        if old != new:
            raise ValueError(_changed(folder, old, new))


def _differences(found: Mapping[str, Any], wanted: Mapping[str, Any]) -> Iterator[str]:
    """What was other than is wanted; inputs that have changed are none."""
    if found.get("version") != wanted["version"]:
        yield "another version of this package"
    if found.get("model") != wanted["model"]:
        yield "another model"
    if found.get("output") != wanted["output"]:
        yield f"--output-format {_shown(found.get('output'))}"
    yield from _other_settings(found.get("settings"), wanted["settings"])
    if (size := found.get(_SIZE)) != wanted[_SIZE]:
        yield f"--partition-size {size / (1 << 20):g}" if isinstance(size, int) else "another --partition-size"
    names = [each["name"] for each in wanted[_INPUTS]]
    if _names(found.get(_INPUTS)) != names:
        yield "other inputs"


def _other_settings(found: Any, wanted: Mapping[str, Any]) -> Iterator[str]:
    found = found if isinstance(found, dict) else {}
    for name, value in wanted.items():
        old = found.get(name)
        if old == value:
            continue
        if name == "borders":
            yield "--borders" if old else "--no-borders"
        elif name in _OPTIONS:
            yield f"{_OPTIONS[name]} {_shown(old)}"
        else:
            yield f"{name} = {_shown(old)}"


def _changed(folder: Path, old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
    name, hint = new["name"], "."
    if old["bytes"] != new["bytes"]:
        what = f"it had {old['bytes']:,} bytes, and now has {new['bytes']:,}"
    else:
        what = "its time is another"
        seconds, rest = divmod(old["modified"], 10**9)
        hint = f", or its old time if its content is the same: touch -d @{seconds}.{rest:09d} '{name}'"
    return Errors.M908.format(name=name, path=folder, what=what, hint=hint)


def _names(inputs: Any) -> list[Any] | None:
    """The names of inputs; None where a manifest has none as they are written."""
    if not isinstance(inputs, list):
        return None
    return [each.get("name") for each in inputs] if all(map(_is_input, inputs)) else None


def _is_input(value: Any) -> bool:
    return isinstance(value, dict) and _is_number(value.get("bytes")) and _is_number(value.get("modified"))


def _is_number(value: Any) -> bool:
    return type(value) is int


def _shown(value: Any) -> str:
    return brief(str(value), 100)
