"""Annotation of other tools, which stands under other keys than Prodigy's and would be passed over."""

from collections.abc import Mapping
from typing import Any

from spacy_mtl.settings import brief, is_whole

#: The key of entities, and how they are written.
SPANS = "spans"
FORM = "a list of objects with 'start', 'end' and 'label'"
_OWN = (SPANS, "tokens")


def check_keys(task: Mapping[str, Any]) -> None:
    """Raise ValueError with the fault if a task has no spans, but another key with what looks like entities."""
    if task.get(SPANS) is not None:
        return
    for key, value in task.items():
        if key not in _OWN and isinstance(value, list) and any(map(_like_entity, value)):
            raise ValueError(f"it has entities under '{brief(key)}', where '{SPANS}' is read, {FORM}")


def none_has_spans(task: Mapping[str, Any]) -> str:
    """The fault of a file none of whose tasks has spans. task: the first of them."""
    keys = ", ".join(f"'{brief(key)}'" for key in task)
    return f"no task has '{SPANS}', {FORM} ([] for a text without entities); the first has {keys}"


def _like_entity(value: Any) -> bool:
    """Whether a value has a beginning, an end and a text: ``[0, 3, "PER"]`` or ``{"start_offset": 0, "end_offset": 3, "label": "PER"}``."""
    if isinstance(value, list):
        return sum(map(is_whole, value)) >= 2 and any(isinstance(each, str) for each in value)
    if not isinstance(value, dict):
        return False
    ends = {name for key, each in value.items() for name in ("start", "end") if key.startswith(name) and is_whole(each)}
    return len(ends) == 2 and any(isinstance(each, str) for each in value.values())
