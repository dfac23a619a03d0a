"""What annotation tools export: texts, and the spans that somebody has marked in them."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from spacy_mtl.corpora.lines.text import text_lines
from spacy_mtl.corpora.settings import check_file
from spacy_mtl.errors import Errors
from spacy_mtl.settings import brief, is_whole
from spacy_mtl.stored.json import fault_of_json

from .elsewhere import SPANS, check_keys, none_has_spans

#: The answers of Prodigy that are annotations; a task without an answer counts as one.
ACCEPTED = (None, "accept")


class Marked(NamedTuple):
    """A text. spans: start, end and label of each, in characters, without space around it. tokens: start and end of the tokens, None where the tool
    says none.
    """

    text: str
    spans: list[tuple[int, int, str]]
    tokens: list[tuple[int, int]] | None


def read_tasks(path: str | Path, encoding: str = "utf8") -> Iterator[tuple[str, Marked]]:
    """Stream the annotated texts of a file with their places, such as "Line 3"; the path is checked at once, the texts as they are read.

    A file that ends in .json is a list of tasks; others have one on each line. Prodigy's tasks that were not accepted are passed over, and those of
    Label Studio that nobody has annotated or that were cancelled. Of several annotations of a text, the last one counts.

    Raises ValueError where the file cannot be read (M501) or decoded (M502, M513), has what is no task (M573), or no annotated text (M574). A task
    without spans but with entities under another key is none, and so is a file in which no task of Prodigy has spans.
    """
    path = Path(path)
    check_file(path)
    return _annotated(path, encoding)


def _annotated(path: Path, encoding: str) -> Iterator[tuple[str, Marked]]:
    first: Mapping[str, Any] | None = None
    has_spans = False
    for place, task in _tasks(path, encoding):
        try:
            found = _label_studio(task) if "data" in task else _prodigy(task)
        except ValueError as fault:
            raise ValueError(Errors.M573.format(place=place, path=path, fault=fault)) from None
        if found is not None and found.text.strip():
            first = task if first is None else first
            has_spans = has_spans or "data" in task or task.get(SPANS) is not None
            yield place, found
    if first is None:
        raise ValueError(Errors.M574.format(path=path))
    if not has_spans:
        raise ValueError(Errors.M573.format(place="The text", path=path, fault=none_has_spans(first)))


def _tasks(path: Path, encoding: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    lines = text_lines(path, encoding)
    if path.suffix.lower() != ".json":
        for n, line in enumerate(lines, 1):
            if line.strip():
                yield f"Line {n}", _an_object(_parsed(line, path, f"Line {n}"), path, f"Line {n}")
        return
    tasks = _parsed("".join(lines), path, "The text")
    if not isinstance(tasks, list):
        fault = "a .json file has a list of tasks; one on each line is .jsonl"
        raise ValueError(Errors.M573.format(place="The text", path=path, fault=fault))
    for n, task in enumerate(tasks, 1):
        yield f"Task {n}", _an_object(task, path, f"Task {n}")


def _parsed(text: str, path: Path, place: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        fault = f"it is no JSON ({fault_of_json(error)})"
        raise ValueError(Errors.M573.format(place=place, path=path, fault=fault)) from None


def _an_object(value: Any, path: Path, place: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(Errors.M573.format(place=place, path=path, fault="it is no object"))
    return value


def _prodigy(task: Mapping[str, Any]) -> Marked | None:
    """A task of Prodigy, None if it was not accepted. Raises ValueError with the fault."""
    if task.get("answer") not in ACCEPTED:
        return None
    text = _text(task, "text")
    check_keys(task)
    spans = [_span(span, span, text) for span in _objects(task, SPANS)]
    tokens = None if task.get("tokens") is None else [_place(token, text) for token in _objects(task, "tokens")]
    return Marked(text, spans, tokens)


def _label_studio(task: Mapping[str, Any]) -> Marked | None:
    """A task of Label Studio, None if nobody has annotated it. Raises ValueError with the fault."""
    text = _text(_mapping(task, "data"), "text")
    done = [each for each in _objects(task, "annotations") if not each.get("was_cancelled")]
    if not done:
        return None
    values = [_mapping(each, "value") for each in _objects(done[-1], "result") if each.get("type") == "labels"]
    return Marked(text, [_span({**value, **_agreeing(value, text)}, _label_of(value), text) for value in values], None)


def _label_of(value: Mapping[str, Any]) -> Mapping[str, Any]:
    labels = value.get("labels")
    if not isinstance(labels, list) or len(labels) != 1:
        raise ValueError(f"'labels' must be a list of one label, but is {brief(labels)}")
    return {"label": labels[0]}


def _agreeing(value: Mapping[str, Any], text: str) -> dict[str, int]:
    """Where a span is, if its own text says that places count UTF-16 code units, as they do in a browser."""
    start: Any = value.get("start")
    end: Any = value.get("end")
    own = value.get("text")
    if not (is_whole(start) and is_whole(end) and isinstance(own, str)) or text[start:end] == own:
        return {}
    units = text.encode("utf-16-le", "surrogatepass")
    begin = len(units[: 2 * start].decode("utf-16-le", "ignore"))
    if text[begin : begin + len(own)] != own:
        raise ValueError(f"the text from {start} to {end} is not {brief(own)}")
    return {"start": begin, "end": begin + len(own)}


def _text(task: Mapping[str, Any], key: str) -> str:
    text = task.get(key)
    if not isinstance(text, str):
        raise ValueError(f"'{key}' must be a text, but is {brief(text)}")
    return text


def _mapping(task: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = task.get(key)
    if not isinstance(value, dict):
        raise ValueError(f"'{key}' must be an object, but is {brief(value)}")
    return value


def _objects(task: Mapping[str, Any], key: str) -> Sequence[Mapping[str, Any]]:
    found = task.get(key)
    found = [] if found is None else found
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        raise ValueError(f"'{key}' must be a list of objects, but is {brief(found)}")
    return found


def _span(place: Mapping[str, Any], labelled: Mapping[str, Any], text: str) -> tuple[int, int, str]:
    label = labelled.get("label")
    if not isinstance(label, str) or not label:
        raise ValueError(f"'label' must be a text, but is {brief(label)}")
    start, end = _place(place, text)
    marked = text[start:end]
    if not marked.strip():
        raise ValueError(f"there is only space from {start} to {end}")
    return start + len(marked) - len(marked.lstrip()), start + len(marked.rstrip()), label


def _place(value: Mapping[str, Any], text: str) -> tuple[int, int]:
    start: Any = value.get("start")
    end: Any = value.get("end")
    if not (is_whole(start) and is_whole(end)) or not start < end <= len(text):
        told = f"{brief(start)} to {brief(end)}"
        raise ValueError(f"a span must lie within its text, which has {len(text)} characters, but goes from {told}")
    return start, end
