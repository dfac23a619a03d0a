"""What the templates of a component may look at: attributes that exist, of a position of a chain or of an arc."""

from collections.abc import Sequence

from spacy_mtl.errors import Errors
from spacy_mtl.templates.attributes.reader import check_attributes
from spacy_mtl.templates.grammar import Template, TemplateSet


def check_places(name: str, templates: Sequence[Template], allowed: str, scores: str, use: str) -> None:
    """Refuse templates that look at a place (see :class:`.Observation`) which is none of ``allowed``: ValueError (M129).

    name: of the component. scores, use: for the message, what it scores and what its templates are made of.
    """
    for template in templates:
        for obs in template.observations:
            if obs.place not in allowed:
                found = f"%{obs.place}"
                raise ValueError(
                    Errors.M129.format(template=template.text, found=found, name=name, scores=scores, use=use)
                )


def check_known(templates: TemplateSet) -> None:
    """Refuse templates that read an attribute nobody knows: ValueError (M110)."""
    check_attributes(
        templates.attributes,
        lambda attr: next(t.text for t in templates.templates if any(o.attr == attr for o in t.observations)),
    )
