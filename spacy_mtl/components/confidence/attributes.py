"""What documents keep of how sure components are: extension attributes and groups of spans with scores, which survive ``to_bytes``."""

from typing import Any

import numpy as np
from spacy.tokens import Doc, Span, SpanGroup, Token

from spacy_mtl.confidence.result import Confidence, Spans

#: ``doc._.mtl_confidence``: the probability of what is predicted for each token, float32[n], by component ("NAME.label": of the labels of arcs).
CONFIDENCE = "mtl_confidence"
#: ``doc._.mtl_log_probability``: of the whole analysis, by component.
LOG_PROBABILITY = "mtl_log_probability"
#: Where spaCy keeps them in ``doc.user_data``: an assignment to ``doc._`` takes as long as the whole prediction for a short text.
_TOLD, _LOG = (("._.", name, None, None) for name in (CONFIDENCE, LOG_PROBABILITY))


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


def write(doc: Doc, name: str, confidence: Confidence, tokens: np.ndarray | None = None) -> None:
    """Keep on a document what a component of this name tells of it. tokens: in place of the probabilities of tokens, float32[n]."""
    tokens = confidence.tokens if tokens is None else tokens
    data: Any = doc.user_data  # its keys are no text, whatever its type says
    told = dict(data.get(_TOLD, {}))
    if tokens.size:
        told[name] = tokens.astype(np.float32)
    if confidence.labels.size:
        told[f"{name}.label"] = confidence.labels.astype(np.float32)
    data[_TOLD] = told
    data[_LOG] = {**data.get(_LOG, {}), name: confidence.log_probability}


def write_spans(doc: Doc, key: str, spans: Spans) -> None:
    """Set ``doc.spans[key]``, with the probabilities as ``attrs["scores"]``, as spaCy's ``spancat`` does."""
    names = spans.names
    found = [Span(doc, start, end, names[kind] if names else "") for start, end, kind in spans.places.tolist()]
    scores = spans.probabilities.astype(np.float32)
    doc.spans[key] = SpanGroup(doc, name=key, spans=found, attrs={"scores": scores})


register()
