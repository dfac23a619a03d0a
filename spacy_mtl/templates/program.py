"""Compile templates to the flat arrays that the extraction kernels read."""

from collections.abc import Mapping, Sequence
from hashlib import blake2b

import numpy as np

from spacy_mtl.errors import Errors

from .extract import Program
from .grammar import Observation, Template


def compile_program(templates: Sequence[Template], columns: Mapping[str, int]) -> Program:
    """Compile ``templates`` over attribute columns.

    columns: attribute name -> row of the column matrix (uint64[A, N]).
    Keys depend on what a template observes, not on its name, its neighbours or the order of the columns, so they stay the same
    after renaming and across versions and machines. A `TemplateSet` never has two templates of one kind that observe the same thing.
    Raises ValueError (M125) if a template reads an attribute that has no column.
    """
    sizes = [len(template.observations) for template in templates]
    read = [(template, obs) for template in templates for obs in template.observations]
    return Program(
        first=np.cumsum([0, *sizes], dtype=np.int64),
        offset=np.array([obs.offset for _, obs in read], dtype=np.int64),
        column=np.array([_column(template, obs, columns) for template, obs in read], dtype=np.int64),
        seed=_seeds(templates),
    )


def _column(template: Template, obs: Observation, columns: Mapping[str, int]) -> int:
    if obs.attr not in columns:
        known = ", ".join(columns) or "none"
        raise ValueError(Errors.M125.format(template=template.text, attr=obs.attr, known=known))
    return columns[obs.attr]


def _seeds(templates: Sequence[Template]) -> np.ndarray:
    """A hash of kind and observations for each template, uint64[T]."""
    texts = [f"{'B' if template.is_edge else 'U'}:{template.pattern}" for template in templates]
    digests = [blake2b(text.encode("utf8"), digest_size=8).digest() for text in texts]
    return np.array([int.from_bytes(digest, "little") for digest in digests], np.uint64)
