"""Learned attributes of the word form: each has a table that a component learns from its corpus before training, and saves.

==========  ===============================================================================================================
USUAL_TAG   the most frequent tag of a word, for templates that look ahead of the tags being predicted; for rare words the
            ending instead
CHAR_GROUP  the group of a character; the characters of a group have similar neighbours
STEM_TAG    the part of speech of the longest known stem that a word begins with, "" without any
AFTER_STEM  what follows that stem
==========  ===============================================================================================================
"""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, NamedTuple

from spacy_mtl.errors import Errors
from spacy_mtl.stored.values import fields, texts_by_name

from .characters import character
from .stems import after_stem, stem_tag

USUAL_TAG, CHAR_GROUP = "USUAL_TAG", "CHAR_GROUP"
STEM_TAG, AFTER_STEM = "STEM_TAG", "AFTER_STEM"

#: Form -> value of the attribute, for the forms that the corpus says something about.
FormTable = Mapping[str, str]


def usual_tag(tags: FormTable, text: str) -> str:
    """The usual tag of a frequent word; for other words, a value for their last two characters."""
    # no tag begins with a line break, so that endings are never taken for tags
    return tags.get(text) or "\n" + text[-2:]


def char_group(groups: FormTable, text: str) -> str:
    """The group of a character, "" for a rare character."""
    return groups.get(character(text), "")


class Learned(NamedTuple):
    """A learned attribute: how a form is looked up, in which table, the components that learn it, and the template setting that does without."""

    look_up: Callable[[FormTable, str], str]
    table: str
    component: str
    setting: str


_OF_STEMS = "mtl_morphologizer and mtl_lemmatizer", "morph.v1, lemma.v1: stems = false"
LEARNED = {
    USUAL_TAG: Learned(usual_tag, USUAL_TAG, "mtl_tagger", "pos.v1: usual_tags = false"),
    CHAR_GROUP: Learned(char_group, CHAR_GROUP, "mtl_segmenter", "seg.v1: dictionary = false"),
    STEM_TAG: Learned(stem_tag, STEM_TAG, *_OF_STEMS),
    AFTER_STEM: Learned(after_stem, STEM_TAG, *_OF_STEMS),
}


def tables_of(attributes: Iterable[str]) -> set[str]:
    """The names of the tables that attributes are looked up in."""
    return {LEARNED[attr].table for attr in attributes if attr in LEARNED}


def learned_function(attr: str, tables: Mapping[str, FormTable]) -> Callable[[str], str]:
    """The learned attribute as a function of the form."""
    return partial(LEARNED[attr].look_up, tables.get(LEARNED[attr].table, {}))


def check_learned(attributes: Iterable[str], tables: Mapping[str, FormTable]) -> None:
    """Refuse learned attributes without a table, which this component does not learn. Raises ValueError (M132)."""
    for attr in attributes:
        if attr in LEARNED and LEARNED[attr].table not in tables:
            _, _, component, setting = LEARNED[attr]
            raise ValueError(Errors.M132.format(attr=attr, component=component, setting=setting))


def by_value(table: FormTable) -> dict[str, list[str]]:
    """Invert a table to lists of forms by value, which is shorter in a file."""
    forms: dict[str, list[str]] = {}
    for form, value in table.items():
        forms.setdefault(value, []).append(form)
    return forms


def by_form(forms: Mapping[str, list[str]]) -> dict[str, str]:
    """Invert what :func:`by_value` returned."""
    return {form: value for value, several in forms.items() for form in several}


def stored_tables(value: Any, name: str) -> dict[str, FormTable]:
    """The tables of a file, each from what :func:`by_value` returned. Raises StoredValueError."""
    tables = tables_of(LEARNED)
    found = fields(value, name, dict.fromkeys(tables, texts_by_name), missing=dict.fromkeys(tables))
    return {attr: by_form(forms) for attr, forms in found.items() if forms is not None}
