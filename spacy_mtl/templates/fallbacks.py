"""Template sets for any corpus: what is read in place of attributes that a corpus does not have."""

from collections.abc import Collection, Mapping
from dataclasses import replace

import numpy as np

from spacy_mtl.distinct import distinct

from .grammar import Observation, Template, TemplateSet


def adapted(templates: TemplateSet, absent: Collection[str]) -> TemplateSet:
    """The set for a corpus without some attributes, which are replaced by their fallbacks. Of templates that then observe the same, the first stays.

    Attributes without a fallback stay, too. Raises ValueError (M121) if no template is left.
    """
    instead = {attr: other for attr, other in templates.fallbacks if attr in absent}
    if not instead:
        return templates
    kept: dict[tuple[bool, frozenset[Observation]], Template] = {}
    for template in templates.templates:
        read = [_read(obs, instead) for obs in template.observations]
        present = [obs for obs in read if obs is not None]
        if len(present) == len(read):
            new = replace(template, observations=tuple(dict.fromkeys(present)))
            kept.setdefault((new.is_edge, frozenset(new.observations)), new)
    return replace(templates, templates=tuple(kept.values()))


def _read(observation: Observation, instead: Mapping[str, str | None]) -> Observation | None:
    """The observation, or the one in its place, whose attribute may have a fallback again; None if there is none."""
    attr: str | None = observation.attr
    for _ in instead:
        attr = instead.get(attr, attr) if attr is not None else None
    return None if attr is None else replace(observation, attr=attr)


def absent_attributes(templates: TemplateSet, columns: np.ndarray, names: Mapping[str, int]) -> list[str]:
    """Attributes with a fallback that say nothing in a corpus: all tokens have the same value, or another value wherever the fallback has another.

    columns: uint64[A, N], by ``names``; attributes without a column are not looked at.
    """
    return [
        attr for attr, other in templates.fallbacks
        if attr in names and _says_nothing(columns[names[attr]], columns[names[other]] if other and other in names else None)
    ]  # fmt: skip


def _says_nothing(column: np.ndarray, other: np.ndarray | None) -> bool:
    values = distinct(column).size
    if values <= 1 or other is None:
        return values <= 1
    if distinct(other).size != values:
        return False
    order = np.argsort(column)
    same = np.diff(column[order]) == 0
    return not np.diff(other[order])[same].any()
