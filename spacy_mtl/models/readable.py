"""The templates of a stored model: they can be read, look at places that the structure has, and read attributes that there are."""

from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from spacy_mtl.stored.fault import StoredValueError, shown
from spacy_mtl.templates.arcs.program import check_arc_templates
from spacy_mtl.templates.attributes.characters import OF_CORPUS
from spacy_mtl.templates.attributes.learned import tables_of
from spacy_mtl.templates.attributes.of_tables import kind_of_name, without_table
from spacy_mtl.templates.attributes.reader import check_attributes
from spacy_mtl.templates.grammar import Template, parse_template
from spacy_mtl.templates.spans.program import PLACES, check_span_templates

#: The places (see :class:`.Observation`) that templates of chains and of trees look at.
_CHAIN, _TREE = "xvt", "hmsgbcd"


class ReadTemplates(NamedTuple):
    """Templates, the places that they look at and the attributes that they read, without repetitions."""

    templates: tuple[Template, ...]
    places: tuple[str, ...]
    attributes: tuple[str, ...]

    @classmethod
    def of(cls, templates: tuple[Template, ...]) -> "ReadTemplates":
        read = [obs for template in templates for obs in template.observations]
        places, attributes = (
            dict.fromkeys(obs.place for obs in read),
            dict.fromkeys(obs.attr for obs in read if obs.attr),
        )
        return cls(templates, tuple(places), tuple(attributes))


@lru_cache(maxsize=16)  # a pipeline is often loaded several times in a process
def chain_templates(texts: tuple[str, ...]) -> ReadTemplates:
    """The templates of a chain. Raises StoredValueError."""
    return ReadTemplates.of(_templates(texts, _CHAIN))


@lru_cache(maxsize=16)
def tree_templates(texts: tuple[str, ...]) -> ReadTemplates:
    """The templates of trees. Raises StoredValueError."""
    templates = _templates(texts, _TREE)
    try:
        check_arc_templates(templates)
    except ValueError as error:
        raise StoredValueError(f"its templates do not fit each other ({_reason(error)})") from None
    return ReadTemplates.of(templates)


@lru_cache(maxsize=16)
def span_templates(texts: tuple[str, ...]) -> ReadTemplates:
    """The templates of spans and their splits. Raises StoredValueError."""
    templates = _templates(texts, PLACES)
    try:
        check_span_templates(templates)
    except ValueError as error:
        raise StoredValueError(f"its templates do not fit each other ({_reason(error)})") from None
    return ReadTemplates.of(templates)


def _templates(texts: Sequence[str], places: str) -> tuple[Template, ...]:
    return tuple(_template(text, places) for text in texts)


def _template(text: str, places: str) -> Template:
    try:
        template = parse_template(text)
        check_attributes([obs.attr for obs in template.observations if obs.attr], lambda _: shown(text))
    except ValueError as error:
        raise StoredValueError(f"the template {shown(text)} is not valid ({_reason(error)})") from None
    if any(obs.place not in places for obs in template.observations):
        raise StoredValueError(f"the template {shown(text)} looks at places that this kind of model does not have")
    return template


def _reason(error: ValueError) -> str:
    """The first sentence of a coded message, without braces and line breaks."""
    first = str(error).splitlines()[0].partition(". ")[0]
    return first.replace("{", "(").replace("}", ")")[:200].rstrip(".: ")


def check_tables(attributes: Sequence[str], learned: Collection[str], words: bool) -> None:
    """Refuse attributes whose tables a model lacks. learned: attributes with a table. words: whether it has a dictionary. Raises StoredValueError."""
    for attr in attributes:
        if (not tables_of([attr]).issubset(learned)) or (attr in OF_CORPUS and not words):
            raise StoredValueError(f"its templates read {attr}, for which it has no table")


def check_own(attributes: Sequence[str], tables: Mapping[str, Any]) -> None:
    """Refuse attributes whose clusters or lists of phrases a model lacks. tables: by name. Raises StoredValueError."""
    missing = without_table(attributes, tables)
    if missing is not None:
        raise StoredValueError(f"its templates read {missing}, for which it has no table")
    for name, table in tables.items():
        kind = kind_of_name(name)
        if kind is None or not isinstance(table, kind):
            raise StoredValueError(f"its table {shown(name)} is not what the name says")
