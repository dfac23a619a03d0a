"""Texts as tasks of annotation tools, with what the pipeline has found in them: for Prodigy, and for Label Studio."""

from collections.abc import Callable
from typing import Any

from spacy.tokens import Doc

Task = dict[str, Any]


def prodigy(doc: Doc, meta: Task) -> Task:
    """A task of Prodigy: the text, its tokens, and the entities as spans that are marked already."""
    tokens = [
        {"text": t.text, "start": t.idx, "end": t.idx + len(t), "id": t.i, "ws": bool(t.whitespace_)} for t in doc
    ]
    spans = [
        {
            "start": ent.start_char,
            "end": ent.end_char,
            "token_start": ent.start,
            "token_end": ent.end - 1,
            "label": ent.label_,
        }
        for ent in doc.ents
    ]
    return {"text": doc.text, "tokens": tokens, "spans": spans, "meta": meta}


def label_studio(doc: Doc, meta: Task) -> Task:
    """A task of Label Studio, for the names that its template of named entities has: ``<Labels name="label">`` and ``<Text name="text">``."""
    found = [
        {
            "id": f"{ent.start_char}-{ent.end_char}",
            "from_name": "label",
            "to_name": "text",
            "type": "labels",
            "value": {"start": ent.start_char, "end": ent.end_char, "text": ent.text, "labels": [ent.label_]},
        }
        for ent in doc.ents
    ]
    predictions = [{"model_version": str(meta.get("model", "")), "score": meta.get("score"), "result": found}]
    return {
        "data": {"text": doc.text, **{key: value for key, value in meta.items() if key != "model"}},
        "predictions": predictions,
    }


#: The kinds of tasks by their names.
FORMATS: dict[str, Callable[[Doc, Task], Task]] = {"prodigy": prodigy, "label-studio": label_studio}
