"""Check what the templates of a component read: existing attributes, of the positions of a chain or of the words of an arc."""

from collections.abc import Sequence

from spacy_mtl.errors import Errors
from spacy_mtl.templates.attributes.reader import check_attributes
from spacy_mtl.templates.grammar import Template, TemplateSet


def check_places(name: str, templates: Sequence[Template], allowed: str, scores: str, use: str) -> None:
    """Refuse templates that look at a place (see :class:`.Observation`) not in ``allowed``. Raises ValueError (M129).

    name: of the component. scores, use: for the message, what the component scores and how its templates are written.
    """
    for template in templates:
        for obs in template.observations:
            if obs.place not in allowed:
                found = f"%{obs.place}"
                raise ValueError(
                    Errors.M129.format(template=template.text, found=found, name=name, scores=scores, use=use)
                )


def check_known(templates: TemplateSet) -> None:
    """Refuse templates that read an unknown attribute. Raises ValueError (M110)."""
    check_attributes(
        templates.attributes,
        lambda attr: next(t.text for t in templates.templates if any(o.attr == attr for o in t.observations)),
    )
