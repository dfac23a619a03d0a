"""Templates of spans compiled to flat arrays."""

from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import NamedTuple

import numpy as np

from spacy_mtl.errors import Errors
from spacy_mtl.templates.grammar import Template

#: What an observation is relative to: the first word of a span, its last word, the first word of its second half, or (a length) nothing.
PLACES = "ijkd"


class SpanProgram(NamedTuple):
    """T templates with O observations in all.

    first: int64[T + 1], template t reads the observations ``first[t]:first[t + 1]``. place: int64[O], number in PLACES. offset: int64[O].
    column: int64[O], row of the column matrix, -1 for lengths. seed: uint64[T], keeps equal values of different templates apart.
    """

    first: np.ndarray
    place: np.ndarray
    offset: np.ndarray
    column: np.ndarray
    seed: np.ndarray


def check_span_templates(templates: Sequence[Template]) -> None:
    """Refuse templates that spans do not have (M130), and two of one kind that observe the same thing (M126). Raises ValueError."""
    seen: dict[tuple, Template] = {}
    for template in templates:
        for obs in template.observations:
            if obs.place not in PLACES or (obs.place == "d" and obs.offset):
                raise ValueError(
                    Errors.M130.format(template=template.text, fault=f"looks at {obs}, which a span does not have")
                )
            if obs.place == "k" and not template.is_edge:
                fault = "looks at the split of a span (%k), which only templates of rules (B) can do"
                raise ValueError(Errors.M130.format(template=template.text, fault=fault))
        first = seen.setdefault((template.is_edge, frozenset(template.observations)), template)
        if first is not template:
            raise ValueError(Errors.M126.format(first=first.name, second=template.name, pattern=template.pattern))


def compile_spans(templates: Sequence[Template], columns: Mapping[str, int]) -> SpanProgram:
    """Compile templates of one kind. columns: attribute name -> row of the column matrix (uint64[A, N]).

    Keys depend only on what a template observes. Raises ValueError: M125 a template reads an attribute without a column; M126, M130 as
    :func:`check_span_templates`.
    """
    check_span_templates(templates)
    read = [(template, obs) for template in templates for obs in template.observations]
    for template, obs in read:
        if obs.attr and obs.attr not in columns:
            raise ValueError(
                Errors.M125.format(template=template.text, attr=obs.attr, known=", ".join(columns) or "none")
            )
    texts = [f"{'B' if template.is_edge else 'U'}:{template.pattern}" for template in templates]
    digests = [blake2b(text.encode("utf8"), digest_size=8).digest() for text in texts]
    return SpanProgram(
        np.cumsum([0, *(len(template.observations) for template in templates)], dtype=np.int64),
        np.array([PLACES.index(obs.place) for _, obs in read], np.int64),
        np.array([obs.offset for _, obs in read], np.int64),
        np.array([columns[obs.attr] if obs.attr else -1 for _, obs in read], np.int64),
        np.array([int.from_bytes(digest, "little") for digest in digests], np.uint64),
    )
