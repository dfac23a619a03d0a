"""The rich templates of ``parse.v1``: those of MSTParser, affixes, a wider context, lemmas, morphology, pairs, and dependents for labels."""

from collections.abc import Sequence
from itertools import pairwise

from spacy_mtl.templates.grammar import Observation, Template, TemplateSet

from . import morphology
from .mst import (
    ENDINGS,
    Pattern,
    arc_patterns,
    count_names,
    dependent_patterns,
    grandparent_patterns,
    sibling_patterns,
    with_variants,
    word_patterns,
)


def _h(attr: str, offset: int = 0) -> Observation:
    return Observation(offset, attr, "h")


def _m(attr: str, offset: int = 0) -> Observation:
    return Observation(offset, attr, "m")


def _s(attr: str) -> Observation:
    return Observation(0, attr, "s")


def affix_patterns(tag: str) -> list[Pattern]:
    """Prefixes and suffixes of forms, for words not seen in training."""
    patterns = [(_h(affix), _m(tag)) for affix in ("SUFFIX3", "PREFIX5")]
    return [*patterns, (_h("SUFFIX3"), _m("SUFFIX3")), *((_h(tag), _m(affix)) for affix in ("SUFFIX3", "PREFIX5"))]


def wide_patterns(tag: str) -> list[Pattern]:
    """Tags in a wider window, of the head with the modifier's tag and the other way round."""
    h, m = [_h(tag, i) for i in range(-2, 3)], [_m(tag, i) for i in range(-2, 3)]
    return [
        (*h[:3], m[2]), (*h[2:], m[2]), (h[2], *m[:3]), (h[2], *m[2:]),
        (*h[1:4], m[2]), (h[2], *m[1:4]), (*h[1:4], *m[1:4]),
    ]  # fmt: skip


def context_patterns(form: str, tag: str) -> list[Pattern]:
    """Forms next to the modifier, often the preposition or conjunction that decides its head, and forms between, such as commas."""
    h, m = _h(tag), _m(tag)
    before, after, far = _m(form, -1), _m(form, 1), _m(form, -2)
    pairs = [(_h(form), before), (h, before, m), (_h(form), before, m), (h, before, _m(form))]
    return [
        *pairs,
        *((head, word, m) for word in (far, after) for head in (h, _h(form))),
        (h, Observation(0, form, "b"), m),
    ]


def _arcs(form: str, lemma: str | None, tags: Sequence[str], morph: str | None) -> list[Pattern]:
    coarse = tags[-1]
    found = [
        *arc_patterns([form], tags),
        *affix_patterns(coarse),
        *wide_patterns(coarse),
        *context_patterns(form, coarse),
    ]
    if morph:
        found += arc_patterns([form], [morph])
        found += morphology.agreement_patterns(morph, coarse) + morphology.government_patterns(form, morph, coarse)
    found += word_patterns(lemma, coarse) if lemma else []
    return list(dict.fromkeys(found))


def _siblings(form: str, tags: Sequence[str], morph: str | None) -> list[Pattern]:
    h, s, m = _h(tags[-1]), _s(tags[-1]), _m(tags[-1])
    words = [(_h(form), s, m), (h, _s(form), m), (h, s, _m(form))]
    found = [*(pattern for tag in tags for pattern in sibling_patterns([form], tag)), *words]
    if morph:
        found += sibling_patterns([], morph) + morphology.sibling_patterns(morph, tags[-1])
    return list(dict.fromkeys(found))


def _grandparents(form: str, tags: Sequence[str], morph: str | None) -> list[Pattern]:
    found = grandparent_patterns(form, tags)
    if morph:
        found += morphology.grandparent_patterns(morph, tags[-1])
    return list(dict.fromkeys(found))


def _labels(form: str, lemma: str | None, tags: Sequence[str], morph: str | None, dependents: bool) -> list[Pattern]:
    found: list[Pattern] = [*_arcs(form, lemma, tags, morph), (_m("SUFFIX3"),), (_h("SUFFIX3"),)]
    if dependents:
        found += dependent_patterns(form, tags)
        found += morphology.dependent_patterns(morph, tags[-1]) if morph else []
    return list(dict.fromkeys(found))


def parse_set(
    form: str,
    lemma: str | None,
    tags: Sequence[str],
    morph: str | None,
    siblings: bool,
    grandparents: bool,
    dependents: bool,
    min_count: int,
    label_min_count: int,
) -> TemplateSet:
    """See :func:`.presets.parse`. tags: fine ones first; the last are read in combinations of three and more words."""
    templates: list[Template] = with_variants("U", _arcs(form, lemma, tags, morph), "one")
    if siblings:
        templates += with_variants("U", _siblings(form, tags, morph), "one", count_names(templates))
    if grandparents:
        templates += with_variants("U", _grandparents(form, tags, morph), "one", count_names(templates))
    labels = with_variants("B", _labels(form, lemma, tags, morph, dependents), "one")
    fallbacks = {coarse: fine for fine, coarse in pairwise(tags) if coarse not in ENDINGS}
    read = [*([lemma] if lemma else []), *(morphology.attributes(morph) if morph else [])]
    without = (*fallbacks.items(), *((attr, None) for attr in read))
    return TemplateSet((*templates, *labels), min_count, without, label_min_count)
