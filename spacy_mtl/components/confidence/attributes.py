"""What documents keep of how sure components are: extension attributes and groups of spans with scores, which survive ``to_bytes``."""

from collections.abc import Sequence

import numpy as np
from spacy.tokens import Doc, Span, SpanGroup, Token

from spacy_mtl.confidence.result import Confidence, SpanProbability

#: ``doc._.mtl_confidence``: the probability of what is predicted for each token, float32[n], by component ("NAME.label": of the labels of arcs).
CONFIDENCE = "mtl_confidence"
#: ``doc._.mtl_log_probability``: of the whole analysis, by component.
LOG_PROBABILITY = "mtl_log_probability"


def of_token(token: Token) -> dict[str, float]:
    """``token._.mtl_confidence``: the probability of what each component predicts for a token; nothing where tokens were merged or split later."""
    told = getattr(token.doc._, CONFIDENCE)
    return {name: float(values[token.i]) for name, values in told.items() if len(values) == len(token.doc)}


def register() -> None:
    """Make the extension attributes known to spaCy."""
    for name in (CONFIDENCE, LOG_PROBABILITY):
        if not Doc.has_extension(name):
            Doc.set_extension(name, default={})
    if not Token.has_extension(CONFIDENCE):
        Token.set_extension(CONFIDENCE, getter=of_token)


def write(doc: Doc, name: str, confidence: Confidence) -> None:
    """Keep on a document what a component of this name tells of it."""
    told = dict(getattr(doc._, CONFIDENCE))
    if confidence.tokens.size:
        told[name] = confidence.tokens.astype(np.float32)
    if confidence.labels.size:
        told[f"{name}.label"] = confidence.labels.astype(np.float32)
    setattr(doc._, CONFIDENCE, told)
    setattr(doc._, LOG_PROBABILITY, {**getattr(doc._, LOG_PROBABILITY), name: confidence.log_probability})


def write_spans(doc: Doc, key: str, spans: Sequence[SpanProbability]) -> None:
    """Set ``doc.spans[key]``, with the probabilities as ``attrs["scores"]``, as spaCy's ``spancat`` does."""
    scores = np.array([span.probability for span in spans], np.float32)
    found = [Span(doc, span.start, span.end, span.label) for span in spans]
    doc.spans[key] = SpanGroup(doc, name=key, spans=found, attrs={"scores": scores})


register()
