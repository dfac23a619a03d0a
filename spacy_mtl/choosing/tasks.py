"""Texts as tasks of annotation tools, with what the pipeline has found in them: for Prodigy, and for Label Studio."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from spacy.tokens import Doc

from spacy_mtl.corpora.conllu_kept import given_text, raw_starts

Task = dict[str, Any]


class _Marked(NamedTuple):
    """An entity in the raw text: first and last token, and characters from ``start`` to ``end`` (exclusive)."""

    first: int
    last: int
    start: int
    end: int
    label: str


class _Raw:
    """A text as it was given, and its tokens: a multiword token is one, whatever its words. ends: of each token, by where it begins; spaced: those
    with a space after them, by where they begin.
    """

    def __init__(self, doc: Doc):
        self.text = given_text(doc)
        self._starts = raw_starts(doc)
        words = list(zip(doc, self._starts, [*self._starts, len(self.text)][1:], strict=True))
        # of words that share a token, the last one counts
        self.ends = {start: then - len(word.whitespace_) for word, start, then in words}
        self.spaced = {start for word, start, then in words if then > start and word.whitespace_}
        self._doc = doc

    def entities(self) -> Iterator[_Marked]:
        """The entities, each as all of its tokens; without those that begin in a token where another one ends."""
        number = {start: k for k, start in enumerate(self.ends)}
        reached = 0
        for ent in self._doc.ents:
            start, last = self._starts[ent.start], self._starts[ent.end - 1]
            if start >= reached:
                reached = self.ends[last]
                yield _Marked(number[start], number[last], start, reached, ent.label_)


def prodigy(doc: Doc, meta: Task) -> Task:
    """A task of Prodigy: the text, its tokens, and the entities as spans that are marked already."""
    raw = _Raw(doc)
    tokens = [
        {"text": raw.text[start:end], "start": start, "end": end, "id": k, "ws": start in raw.spaced}
        for k, (start, end) in enumerate(raw.ends.items())
    ]
    spans = [
        {"start": ent.start, "end": ent.end, "token_start": ent.first, "token_end": ent.last, "label": ent.label}
        for ent in raw.entities()
    ]
    return {"text": raw.text, "tokens": tokens, "spans": spans, "meta": meta}


def label_studio(doc: Doc, meta: Task) -> Task:
    """A task of Label Studio, for the names that its template of named entities has: ``<Labels name="label">`` and ``<Text name="text">``."""
    raw = _Raw(doc)
    found = [
        {
            "id": f"{ent.start}-{ent.end}",
            "from_name": "label",
            "to_name": "text",
            "type": "labels",
            "value": {"start": ent.start, "end": ent.end, "text": raw.text[ent.start : ent.end], "labels": [ent.label]},
        }
        for ent in raw.entities()
    ]
    predictions = [{"model_version": str(meta.get("model", "")), "score": meta.get("score"), "result": found}]
    return {
        "data": {"text": raw.text, **{key: value for key, value in meta.items() if key != "model"}},
        "predictions": predictions,
    }


#: The kinds of tasks by their names.
FORMATS: dict[str, Callable[[Doc, Task], Task]] = {"prodigy": prodigy, "label-studio": label_studio}
