"""Attributes of the word form alone that only a training corpus can tell: a table each, which a component learns before it trains, and keeps.

==========  ===============================================================================================================
USUAL_TAG   what a word mostly is, for templates that look ahead of the tags that are being found; of rare words the ending
CHAR_GROUP  the group of a character: characters of one group stand beside the same others
==========  ===============================================================================================================
"""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import NamedTuple

from spacy_mtl.errors import Errors

from .characters import character

USUAL_TAG, CHAR_GROUP = "USUAL_TAG", "CHAR_GROUP"

#: What a corpus tells of each form it tells anything of.
FormTable = Mapping[str, str]


def usual_tag(tags: FormTable, text: str) -> str:
    """The usual tag of a frequent word; all others are told by their last two characters."""
    # no tag begins with a line break, so that endings are never taken for tags
    return tags.get(text) or "\n" + text[-2:]


def char_group(groups: FormTable, text: str) -> str:
    """The group of a character, "" for one that is rare."""
    return groups.get(character(text), "")


class Learned(NamedTuple):
    """How a form is looked up, which component learns the table, and which setting of which template set does without."""

    look_up: Callable[[FormTable, str], str]
    component: str
    setting: str


LEARNED = {
    USUAL_TAG: Learned(usual_tag, "mtl_tagger", "pos.v1: usual_tags = false"),
    CHAR_GROUP: Learned(char_group, "mtl_segmenter", "seg.v1: dictionary = false"),
}


def learned_function(attr: str, tables: Mapping[str, FormTable]) -> Callable[[str], str]:
    """The attribute as a function of the form."""
    return partial(LEARNED[attr].look_up, tables.get(attr, {}))


def check_learned(attributes: Iterable[str], tables: Mapping[str, FormTable]) -> None:
    """Refuse attributes that this component does not learn (M132)."""
    for attr in attributes:
        if attr in LEARNED and attr not in tables:
            _, component, setting = LEARNED[attr]
            raise ValueError(Errors.M132.format(attr=attr, component=component, setting=setting))


def by_value(table: FormTable) -> dict[str, list[str]]:
    """The forms of each value, which is shorter to write down."""
    forms: dict[str, list[str]] = {}
    for form, value in table.items():
        forms.setdefault(value, []).append(form)
    return forms


def by_form(forms: Mapping[str, list[str]]) -> dict[str, str]:
    """The reverse."""
    return {form: value for value, several in forms.items() for form in several}
