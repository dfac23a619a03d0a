"""Template sets for columns of a treebank: lemmas."""

from collections.abc import Iterable
from dataclasses import replace

from spacy_mtl.errors import Errors
from spacy_mtl.registry import mtl_templates
from spacy_mtl.settings import is_switch, shown

from .grammar import TemplateSet


def _switches(**settings: object) -> None:
    for name, value in settings.items():
        if not is_switch(value):
            raise ValueError(Errors.M133.format(setting=name, expected="true or false", value=shown(value)))


def _numbered(patterns: Iterable[str], min_count: int, *transitions: str) -> TemplateSet:
    """A set of state templates U00, U01, ... and of transitions."""
    texts = [f"U{i:02d}:{pattern}" for i, pattern in enumerate(patterns)]
    return TemplateSet.from_texts([*texts, *transitions], min_count)


def _here(*attributes: str) -> str:
    """The pattern of attributes of the token itself."""
    return "/".join(f"%x[0,{attr}]" for attr in attributes)


@mtl_templates("spacy_mtl.lemma.v1")
def lemma(tags: bool = True, min_count: int = 2) -> TemplateSet:
    """Templates for lemmas: affixes and casing of the form, by themselves and with part of speech and morphology.

    They do not read the form itself, since the lemmas of known words are looked up, and have no transitions: the script of a word does not depend on
    those of its neighbours.

    tags: read POS and MORPH, or TAG where there is no POS: those that the training corpus or components before have. min_count: leave out
    observations that occur less often.
    """
    _switches(tags=tags)
    endings = [f"SUFFIX{n}" for n in range(1, 9)]
    patterns = [_here(attr) for attr in (*endings, *(f"PREFIX{n}" for n in range(1, 5)), "CASE")]
    if tags:
        patterns += [_here(tag) for tag in ("POS", "MORPH")]
        patterns += [_here(attr, tag) for tag in ("POS", "MORPH") for attr in endings[:5]]
    return replace(_numbered(patterns, min_count), fallbacks=(("POS", "TAG"), ("TAG", None), ("MORPH", None)))
