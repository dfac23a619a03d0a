"""Copy the annotation of a Doc to another Doc of the same text with different tokens."""

from collections.abc import Callable, Iterable

import numpy as np
from spacy.attrs import SENT_START
from spacy.tokens import Doc, Span, SpanGroup

from .characters import word_offsets

_HOOKS = ("user_hooks", "user_token_hooks", "user_span_hooks")


def carry_over(old: Doc, new: Doc) -> Doc:
    """Return ``new`` with the user data, categories, hooks and context of ``old``, and its spans, entities and sentences.

    Spans, entities and sentences are only kept where their borders are also borders of new tokens. Annotation of single tokens (tags, vectors,
    ``tensor``) is not copied.
    """
    new._context = old._context
    new.user_data.update(old.user_data)
    new.cats.update(old.cats)
    for hooks in _HOOKS:
        getattr(new, hooks).update(getattr(old, hooks))
    if not (old.spans or old.has_annotation("ENT_IOB") or old.has_annotation("SENT_START")):
        return new
    span_of = _span_maker(old, new)
    for key, group in old.spans.items():
        new.spans[key] = SpanGroup(new, name=group.name, attrs=dict(group.attrs), spans=_survivors(group, span_of))
    if old.has_annotation("ENT_IOB"):
        new.set_ents(_survivors(old.ents, span_of))
    if old.has_annotation("SENT_START"):
        _carry_sentences(old, new)
    return new


def _borders(old: Doc, new: Doc) -> tuple[np.ndarray, np.ndarray]:
    """Character offsets, int64, of the old and of the new tokens in their common text."""
    return word_offsets(old)[:-1], np.array([token.idx for token in new], np.int64)


def _survivors(spans: Iterable[Span], span_of: Callable[[Span], Span | None]) -> list[Span]:
    return [span for span in map(span_of, spans) if span is not None]


def _span_maker(old: Doc, new: Doc) -> Callable[[Span], Span | None]:
    """A function that maps a span of ``old`` to one of ``new``, or to None where a border of the span lies inside a new token."""
    begins, new_begins = (part.tolist() for part in _borders(old, new))
    first = {begin: i for i, begin in enumerate(new_begins)}
    last = {token.idx + len(token): token.i + 1 for token in new}

    def span_of(span: Span) -> Span | None:
        if span.start == span.end:
            return None
        begin = first.get(begins[span.start])
        end = last.get(begins[span.end - 1] + len(old[span.end - 1]))
        if begin is None or end is None:
            return None
        return Span(new, begin, end, label=span.label, kb_id=span.kb_id, span_id=span.id)

    return span_of


def _carry_sentences(old: Doc, new: Doc) -> None:
    """Set the sentence starts of all tokens at once: spaCy's setter of one token looks at the whole Doc."""
    begins, new_begins = _borders(old, new)
    starting = begins[old.to_array([SENT_START]) == 1]
    starts = np.where(np.isin(new_begins, starting), 1, -1)
    new.from_array([SENT_START], starts.astype(np.int64).view(np.uint64)[:, None])  # type: ignore[arg-type]
