"""Annotation of other tools, which stands under other keys than Prodigy's and would be passed over."""

from collections.abc import Mapping
from typing import Any

from spacy_mtl.settings import brief, is_whole

#: The key of entities, and how they are written.
SPANS = "spans"
FORM = "a list of objects with 'start', 'end' and 'label'"
_OWN = (SPANS, "tokens")
#: Keys of lists of entities; a list under another key may hold anything.
_LISTS = frozenset({"annotation", "annotations", "ent", "entities", "entity", "ents", "label", "labels", "ner", "tags"})
_NO_LABELS = ("text", "id")


def check_keys(task: Mapping[str, Any]) -> None:
    """Raise ValueError with the fault if a task has no spans, but another key with what looks like entities."""
    if task.get(SPANS) is not None:
        return
    for key, value in task.items():
        if key not in _OWN and isinstance(value, list) and any(_like_entity(key, each) for each in value):
            raise ValueError(f"it has entities under '{brief(key)}', where '{SPANS}' is read, {FORM}")


def none_has_spans(task: Mapping[str, Any]) -> str:
    """The fault of a file none of whose tasks has spans. task: the first of them."""
    keys = ", ".join(f"'{brief(key)}'" for key in task)
    return f"no task has '{SPANS}', {FORM} ([] for a text without entities); the first has {keys}"


def _like_entity(key: str, value: Any) -> bool:
    """Whether a value in a list under this key has a beginning, an end and a label: ``[0, 3, "PER"]`` or ``{"start_offset": 0, "end_offset": 3,
    "label": "PER"}``. Sentences may have both ends and a text or an id, too, which are no labels.
    """
    known = key.lower() in _LISTS
    if isinstance(value, list):
        return known and sum(map(is_whole, value)) >= 2 and any(isinstance(each, str) for each in value)
    if not isinstance(value, dict):
        return False
    ends = {name for key, each in value.items() for name in ("start", "end") if key.startswith(name) and is_whole(each)}
    return len(ends) == 2 and any(
        isinstance(each, str) and (known or name.lower() not in _NO_LABELS) for name, each in value.items()
    )
