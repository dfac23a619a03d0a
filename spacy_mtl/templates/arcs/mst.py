"""The templates of MSTParser, over a head and a modifier, their neighbours, and the words between them."""

from collections.abc import Iterable, Sequence
from itertools import product

from spacy_mtl.errors import Errors
from spacy_mtl.settings import is_choice, shown
from spacy_mtl.templates.grammar import DISTANCE_BINS, Observation, Template, TemplateSet

Pattern = tuple[Observation, ...]
VARIANTS = ("one", "each", "none")


#: What stands for a tag and a coarse tag where there are none.
ENDINGS = ("SUFFIX3", "SUFFIX2")


def tags_or_endings(tag: str | None, coarse: str | None) -> list[str]:
    """The tags that there are, or else what stands for them."""
    return [name for name in (tag, coarse) if name] or list(ENDINGS)


def _h(attr: str, offset: int = 0) -> Observation:
    return Observation(offset, attr, "h")


def _m(attr: str, offset: int = 0) -> Observation:
    return Observation(offset, attr, "m")


def _s(attr: str) -> Observation:
    return Observation(0, attr, "s")


def _g(attr: str) -> Observation:
    return Observation(0, attr, "g")


def word_patterns(form: str, tag: str) -> list[Pattern]:
    """Form and tag of head and modifier: each alone, and combinations of two to all four."""
    hf, ht, mf, mt = _h(form), _h(tag), _m(form), _m(tag)
    alone = [(hf,), (ht,), (hf, ht), (mf,), (mt,), (mf, mt)]
    pairs = [(hf, mf), (hf, mt), (ht, mf), (ht, mt)]
    return [*alone, *pairs, (hf, ht, mf), (hf, ht, mt), (hf, mf, mt), (ht, mf, mt), (hf, ht, mf, mt)]


def tag_patterns(tag: str) -> list[Pattern]:
    """Tags of the words between, and tags of head and modifier with those of a neighbour of one or of each."""
    h, m = _h(tag), _m(tag)
    four = [(h, _h(tag, i), m, _m(tag, j)) for i, j in product((-1, 1), (-1, 1))]
    three = [(h, _h(tag, i), m) for i in (-1, 1)] + [(h, m, _m(tag, j)) for j in (-1, 1)]
    return [(h, Observation(0, tag, "b"), m), *four, *three]


def sibling_patterns(forms: Sequence[str], tag: str) -> list[Pattern]:
    """Tags and forms of two adjacent modifiers of a head (McDonald & Pereira 2006), with and without the head's tag."""
    h, s, m = _h(tag), _s(tag), _m(tag)
    patterns = [(s, m), (h, s, m)]
    for form in forms[:1]:
        patterns += [(_s(form), _m(form)), (_s(form), m), (s, _m(form))]
    return patterns


def grandparent_patterns(form: str, tags: Sequence[str]) -> list[Pattern]:
    """Grandparent, head and modifier (Koo & Collins 2010): their tags, and their forms with the coarsest tags of the others."""
    patterns = [pattern for tag in tags for pattern in ((_g(tag), _m(tag)), (_g(tag), _h(tag), _m(tag)))]
    g, h, m = _g(tags[-1]), _h(tags[-1]), _m(tags[-1])
    patterns += [(_g(form), _m(form)), (_g(form), m), (g, _m(form))]
    return list(dict.fromkeys([*patterns, (_g(form), h, m), (g, _h(form), m), (g, h, _m(form))]))


def arc_patterns(forms: Sequence[str], tags: Sequence[str]) -> list[Pattern]:
    """All first-order patterns, without distance and without repetitions."""
    words = [pattern for form, tag in product(forms, tags) for pattern in word_patterns(form, tag)]
    return list(dict.fromkeys([*words, *(pattern for tag in tags for pattern in tag_patterns(tag))]))


def dependent_patterns(form: str, tags: Sequence[str]) -> list[Pattern]:
    """Dependents of the modifier, which often distinguish, for example, a subject from an adjunct."""
    h, m = _h(tags[-1]), _m(tags[-1])
    word = Observation(0, form, "c")
    return [(m, word), (h, m, word), (_h(form), word), *((h, m, Observation(0, tag, "c")) for tag in tags)]


def count_names(templates: Sequence[Template]) -> int:
    """The number of names taken so far; the variants of a pattern without and with distance count once."""
    return len({tuple(obs for obs in template.observations if obs.place != "d") for template in templates})


def with_variants(letter: str, patterns: Iterable[Pattern], variants: str, first: int = 0) -> list[Template]:
    """Name templates of the patterns: U00, U01, ... without distance, and U00d, or U00d1, U00d2, ..., with direction and distance."""
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
    forms: Sequence[str],
    tags: Sequence[str],
    variants: str,
    siblings: bool,
    grandparents: bool,
    labels: bool,
    min_count: int,
) -> TemplateSet:
    """See :func:`.presets.mst`."""
    if not is_choice(variants, VARIANTS):
        raise ValueError(Errors.M131.format(known=", ".join(VARIANTS), value=shown(variants)))
    arcs = arc_patterns(forms, tags)
    templates = with_variants("U", arcs, variants)
    if siblings:
        second = [pattern for tag in tags for pattern in sibling_patterns(forms, tag)]
        templates += with_variants("U", dict.fromkeys(second), variants, len(arcs))
    if grandparents and tags:
        patterns = grandparent_patterns([*forms, *tags][0], tags)
        templates += with_variants("U", patterns, variants, count_names(templates))
    if labels:
        templates += with_variants("B", arcs, "one")
    return TemplateSet(tuple(templates), min_count)
