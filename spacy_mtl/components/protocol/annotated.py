"""Which attributes the annotating components set on documents before a later component sees them."""

from collections.abc import Sequence

from spacy.language import Language

#: Names in a factory's ``assigns`` that differ from those of the attributes that they set.
_PLACES = {
    "doc.ents": ("ENT_IOB", "ENT_TYPE", "ENT_ID", "ENT_KB_ID"),
    "doc.sents": ("SENT_START",),
    "token.is_sent_start": ("SENT_START",),
}


def annotated(nlp: Language, names: Sequence[str]) -> frozenset[str] | None:
    """Attributes that these components set, according to their factories; None if a factory does not say."""
    found: set[str] = set()
    for name in names:
        places = nlp.get_pipe_meta(name).assigns if name in nlp.component_names else ()
        if not places:  # like the attribute ruler, which may set any attribute
            return None
        for place in places:
            found.update(_PLACES.get(place, (place.rpartition(".")[2].upper(),)))
    return frozenset(found)
