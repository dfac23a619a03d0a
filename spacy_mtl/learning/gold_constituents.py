"""The gold constituents of an Example, for the words and sentences of its predicted Doc."""

from collections.abc import Mapping, Sequence

import numpy as np
from spacy.tokens import Span
from spacy.training import Example

from spacy_mtl.errors import Errors


def gold_constituents(
    example: Example, starts: np.ndarray, key: str, numbers: Mapping[str, int], name: str
) -> tuple[np.ndarray, np.ndarray]:
    """Words with a gold tree, int32[n], 0 or -1, and the constituents, int32[k, 3]: first word, end and label, each before those inside it.

    A sentence has no gold tree if it has no constituent, if one of its constituents does not begin and end where words of the predicted Doc do, or
    reaches into another sentence. starts: borders of the predicted sentences, int64[S + 1]. key: of ``doc.spans``. numbers: of the labels. name: of
    the component. Raises ValueError (M463) for constituents that cross each other.
    """
    spans = example.reference.spans.get(key, ())
    known = np.zeros(len(starts) - 1, bool)
    broken = np.zeros(len(starts) - 1, bool)
    table = []
    for span, (start, end, exact) in zip(spans, _places(example, spans), strict=True):
        if start == end:
            continue
        first, last = np.searchsorted(starts, [start, end - 1], side="right") - 1
        known[first] = True
        if not exact or first != last or span.label_ not in numbers:
            broken[first : last + 1] = True
        else:
            table.append((start, end, numbers[span.label_], span))
    ordered = sorted(table, key=lambda line: (line[0], -line[1]))
    sentence = np.repeat(np.arange(known.size), np.diff(starts))
    kept = [line for line in ordered if not broken[sentence[line[0]]]]
    _check_nested(kept, example, name)
    found = np.array([line[:3] for line in kept], np.int32).reshape(-1, 3)
    return np.where((known & ~broken)[sentence], 0, -1).astype(np.int32), found


def _places(example: Example, spans: Sequence[Span]) -> list[tuple[int, int, bool]]:
    """First word and end of spans of the reference in the predicted Doc, and whether they are the same text."""
    predicted, reference = example.predicted, example.reference
    if np.array_equal(predicted.to_array(["ORTH"]), reference.to_array(["ORTH"])):
        return [(span.start, span.end, True) for span in spans]
    there, back = example.alignment.y2x, example.alignment.x2y
    found = []
    for span in spans:
        words = there[span.start : span.end]
        start, end = (int(words[0]), int(words[-1]) + 1) if len(words) else (0, 0)
        origin = back[start:end]
        found.append((start, end, len(origin) > 0 and (origin[0], origin[-1] + 1) == (span.start, span.end)))
    return found


def _check_nested(ordered: Sequence[tuple[int, int, int, Span]], example: Example, name: str) -> None:
    """Refuse constituents that cross each other. ordered: by first word, the wider one first. Raises ValueError (M463)."""
    around: list[int] = []
    for start, end, _, span in ordered:
        while around and around[-1] <= start:
            around.pop()
        if around and end > around[-1]:
            text = example.reference.text[:40]
            raise ValueError(Errors.M463.format(name=name, text=text, span=span.text[:40], label=span.label_))
        around.append(end)
