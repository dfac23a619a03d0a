"""What annotating components will have put on the documents by the time that a later component is shown them."""

from collections.abc import Sequence

from spacy.language import Language

#: places that factories name otherwise than the attributes they hold
_PLACES = {
    "doc.ents": ("ENT_IOB", "ENT_TYPE", "ENT_ID", "ENT_KB_ID"),
    "doc.sents": ("SENT_START",),
    "token.is_sent_start": ("SENT_START",),
}


def annotated(nlp: Language, names: Sequence[str]) -> frozenset[str] | None:
    """Attributes that these components set, as far as their factories say; None where one of them does not say."""
    found: set[str] = set()
    for name in names:
        places = nlp.get_pipe_meta(name).assigns if name in nlp.component_names else ()
        if not places:  # as of the attribute ruler, which may set any
            return None
        for place in places:
            found.update(_PLACES.get(place, (place.rpartition(".")[2].upper(),)))
    return frozenset(found)
