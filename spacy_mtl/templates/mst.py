"""The templates of MSTParser: what is seen of a head and a modifier, of their neighbours, and of the words between them."""

from collections.abc import Iterable, Sequence
from itertools import product

from ..errors import Errors
from .grammar import DISTANCE_BINS, Observation, Template, TemplateSet

Pattern = tuple[Observation, ...]
VARIANTS = ("one", "each", "none")


def _h(attr: str, offset: int = 0) -> Observation:
    return Observation(offset, attr, "h")


def _m(attr: str, offset: int = 0) -> Observation:
    return Observation(offset, attr, "m")


def _s(attr: str) -> Observation:
    return Observation(0, attr, "s")


def word_patterns(form: str, tag: str) -> list[Pattern]:
    """Form and tag of head and modifier: alone, the pairs, with back-offs up to all four."""
    hf, ht, mf, mt = _h(form), _h(tag), _m(form), _m(tag)
    alone = [(hf,), (ht,), (hf, ht), (mf,), (mt,), (mf, mt)]
    pairs = [(hf, mf), (hf, mt), (ht, mf), (ht, mt)]
    return [*alone, *pairs, (hf, ht, mf), (hf, ht, mt), (hf, mf, mt), (ht, mf, mt), (hf, ht, mf, mt)]


def tag_patterns(tag: str) -> list[Pattern]:
    """Tags between, and the tags of head and modifier with a neighbour of each, or of one."""
    h, m = _h(tag), _m(tag)
    four = [(h, _h(tag, i), m, _m(tag, j)) for i, j in product((-1, 1), (-1, 1))]
    three = [(h, _h(tag, i), m) for i in (-1, 1)] + [(h, m, _m(tag, j)) for j in (-1, 1)]
    return [(h, Observation(0, tag, "b"), m), *four, *three]


def sibling_patterns(forms: Sequence[str], tag: str) -> list[Pattern]:
    """Two neighbouring modifiers of one head (McDonald & Pereira 2006): their tags and forms, with and without the head's tag."""
    h, s, m = _h(tag), _s(tag), _m(tag)
    patterns = [(s, m), (h, s, m)]
    for form in forms[:1]:
        patterns += [(_s(form), _m(form)), (_s(form), m), (s, _m(form))]
    return patterns


def arc_patterns(forms: Sequence[str], tags: Sequence[str]) -> list[Pattern]:
    """All of the first order, without distance, each once."""
    words = [pattern for form, tag in product(forms, tags) for pattern in word_patterns(form, tag)]
    return list(dict.fromkeys([*words, *(pattern for tag in tags for pattern in tag_patterns(tag))]))


def with_variants(letter: str, patterns: Iterable[Pattern], variants: str, first: int = 0) -> list[Template]:
    """Templates of the patterns, U00, U01, ..., and with direction and distance U00d, or U00d1, U00d2, ..."""
    templates = []
    for number, pattern in enumerate(patterns, first):
        name = f"{letter}{number:02d}"
        templates.append(Template(name, pattern))
        if variants == "one":
            templates.append(Template(f"{name}d", (*pattern, Observation(0, "", "d"))))
        elif variants == "each":
            templates += [Template(f"{name}d{bin}", (*pattern, Observation(bin, "", "d"))) for bin in DISTANCE_BINS]
    return templates


def mst_set(
    forms: Sequence[str], tags: Sequence[str], variants: str, siblings: bool, labels: bool, min_count: int
) -> TemplateSet:
    """See :func:`.presets.mst`."""
    if variants not in VARIANTS:
        raise ValueError(Errors.M131.format(known=", ".join(VARIANTS), value=variants))
    arcs = arc_patterns(forms, tags)
    templates = with_variants("U", arcs, variants)
    if siblings:
        second = [pattern for tag in tags for pattern in sibling_patterns(forms, tag)]
        templates += with_variants("U", dict.fromkeys(second), variants, len(arcs))
    if labels:
        templates += with_variants("B", arcs, "one")
    return TemplateSet(tuple(templates), min_count)
