"""Template sets for columns of a treebank: morphology, lemmas and sentence borders."""

from collections.abc import Iterable
from dataclasses import replace

from spacy_mtl.errors import Errors
from spacy_mtl.registry import mtl_templates
from spacy_mtl.settings import is_switch, shown

from .attributes.learned import AFTER_STEM, STEM_TAG, USUAL_TAG
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


def _at(*places: tuple[int, str]) -> str:
    return "/".join(f"%x[{offset},{attr}]" for offset, attr in places)


@mtl_templates("spacy_mtl.morph.v1")
def morph(usual_tags: bool = True, stems: bool = True, min_count: int = 2) -> TemplateSet:
    """Templates for parts of speech and morphological features.

    They read suffixes of up to 10 characters, beginnings of up to 8 in lower case, parts in front of an ending, where languages put one affix after
    another, the forms and endings in a window of 2, pairs of these, the usual analyses of the words around, and the stem of a known word that a word
    begins with.

    usual_tags, stems: read the usual analyses, and the known stems, which only ``mtl_morphologizer`` knows. min_count: leave out observations that
    occur less often.
    """
    _switches(usual_tags=usual_tags, stems=stems)
    parts = [f"INNER{first}_{last}" for first, last in ((4, 2), (5, 2), (5, 3), (6, 3), (6, 4), (7, 4), (8, 5))]
    affixes = [f"SUFFIX{n}" for n in range(1, 11)] + [f"STEM{n}" for n in range(2, 9)] + parts
    patterns = [_here(attr) for attr in ("ORTH", "LOWER", *affixes, "SHAPE", "CHAR_TYPE", "CASE")]
    patterns += [_here("STEM3", "SUFFIX3"), _here("STEM4", "SUFFIX2"), _here("STEM5", "SUFFIX1")]
    patterns += [_here("SUFFIX3", "PREFIX2"), _here("SUFFIX4", "SHAPE")]
    patterns += [_at((at, "LOWER")) for at in (-2, -1, 1, 2)]
    patterns += [_at((at, ending)) for ending in ("SUFFIX2", "SUFFIX3") for at in (-2, -1, 1, 2)]
    for ending in ("SUFFIX2", "SUFFIX3"):
        patterns += [_at((-1, ending), (0, ending)), _at((0, ending), (1, ending))]
    patterns += [_at((-1, "LOWER"), (0, "SUFFIX3")), _at((0, "SUFFIX3"), (1, "LOWER"))]
    patterns += [_at((-1, "LOWER"), (0, "LOWER")), _at((0, "LOWER"), (1, "LOWER"))]
    if usual_tags:
        patterns += [_at((at, USUAL_TAG)) for at in (-2, -1, 1, 2)]
        patterns += [_at((-1, USUAL_TAG), (0, ending)) for ending in ("SUFFIX2", "LOWER")]
        patterns += [_at((0, ending), (1, USUAL_TAG)) for ending in ("SUFFIX2", "LOWER")]
        patterns += [_at((-1, USUAL_TAG), (1, USUAL_TAG))]
    if stems:
        patterns += [_here(STEM_TAG), _here(AFTER_STEM), _here(STEM_TAG, AFTER_STEM)]
    return _numbered(patterns, min_count, "B")


@mtl_templates("spacy_mtl.lemma.v1")
def lemma(tags: bool = True, stems: bool = True, min_count: int = 2) -> TemplateSet:
    """Templates for lemmas: affixes and casing of the form and what follows a known stem, by themselves and with part of speech and morphology.

    They do not read the form itself, since the lemmas of known words are looked up, and have no transitions: the script of a word does not depend on
    those of its neighbours.

    tags: read POS and MORPH, or TAG where there is no POS: those that the training corpus or components before have. stems: read the known stems,
    which only ``mtl_lemmatizer`` and ``mtl_morphologizer`` know. min_count: leave out observations that occur less often.
    """
    _switches(tags=tags, stems=stems)
    endings = [f"SUFFIX{n}" for n in range(1, 9)]
    patterns = [_here(attr) for attr in (*endings, *(f"PREFIX{n}" for n in range(1, 5)), "CASE")]
    if tags:
        patterns += [_here(tag) for tag in ("POS", "MORPH")]
        patterns += [_here(attr, tag) for tag in ("POS", "MORPH") for attr in endings[:5]]
    if stems:
        patterns += [_here(STEM_TAG), _here(AFTER_STEM), _here(STEM_TAG, AFTER_STEM)]
        patterns += [_here(AFTER_STEM, tag) for tag in ("POS", "MORPH") if tags]
    return replace(_numbered(patterns, min_count), fallbacks=(("POS", "TAG"), ("TAG", None), ("MORPH", None)))


@mtl_templates("spacy_mtl.sent.v1")
def sent(min_count: int = 1) -> TemplateSet:
    """Templates for sentence borders.

    They read forms in a window of 3, shapes, endings and character types around a token, pairs of these across the possible border and behind it, and
    whether a space follows.

    min_count: leave out observations that occur less often.
    """
    patterns = [_at((at, "LOWER")) for at in (-3, -2, -1, 0, 1, 2, 3)]
    patterns += [_at((at, "SHAPE")) for at in (-2, -1, 0, 1)]
    patterns += [_at((at, attr)) for attr in ("CHAR_TYPE", "CASE", "SUFFIX3") for at in (-1, 0)]
    patterns += [_at((at, "SUFFIX2")) for at in (1, 2)]
    patterns += [_at((-1, "SPACY")), _at((-1, "LOWER"), (-1, "SPACY"))]
    for before, after in (
        ("LOWER", "LOWER"),
        ("LOWER", "SHAPE"),
        ("LOWER", "CASE"),
        ("SHAPE", "SHAPE"),
        ("CHAR_TYPE", "CASE"),
    ):
        patterns.append(_at((-1, before), (0, after)))
    patterns += [
        _at((-2, "LOWER"), (-1, "LOWER")),
        _at((0, "LOWER"), (1, "LOWER")),
        _at((-1, "SUFFIX2"), (0, "SUFFIX2")),
        _at((0, "LOWER"), (2, "LOWER")),
        _at((0, "LOWER"), (1, "LOWER"), (2, "LOWER")),
        _at((-1, "SUFFIX2"), (0, "LOWER")),
        _at((0, "LOWER"), (1, "SUFFIX2")),
    ]
    patterns += [_at((-2, "SHAPE"), (-1, "LOWER"), (0, "SHAPE")), _at((-1, "LOWER"), (0, "CASE"), (1, "CASE"))]
    return _numbered(patterns, min_count, "B")
