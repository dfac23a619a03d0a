"""The template sets that come with the package, registered in ``mtl_templates``."""

from collections.abc import Iterable
from itertools import combinations, permutations
from pathlib import Path

from spacy_mtl.errors import Errors
from spacy_mtl.registry import mtl_templates
from spacy_mtl.settings import brief, is_list, is_path, is_switch, shown

from .arcs.mst import mst_set, tags_or_endings
from .arcs.parse import parse_set
from .attributes.characters import BREAK, WORD_ATTRIBUTES
from .attributes.context import CONTEXT_ATTRIBUTES
from .attributes.learned import CHAR_GROUP, USUAL_TAG
from .attributes.of_tables import ALL_LISTS
from .grammar import Observation, Template, TemplateSet
from .table_patterns import cluster_patterns, list_patterns, named_tables, noisy_patterns

TRANSITION = Template("B")
#: Leaves the choice of an attribute to the template set.
AUTO = "auto"

# Table 2 of Mao & Tsang, in the order of the paper's names: U00-U09 are TP1, all are TP2.
_TP1 = [(-2,), (-1,), (0,), (1,), (2,), (-2, -1, 0), (-1, 0, 1), (0, 1, 2), (-1, 0), (0, 1)]
_TP2 = [*_TP1, (-2, -1), (1, 2), (-2, 0), (-1, 1), (0, 2), (-2, 1), (-1, 2)]


def _state(patterns: Iterable[tuple[Observation, ...]], digits: int = 2) -> list[Template]:
    """Number the patterns: U00, U01, ..."""
    return [Template(f"U{i:0{digits}d}", observations) for i, observations in enumerate(patterns)]


def _same(attr: str, offsets: Iterable[tuple[int, ...]]) -> list[tuple[Observation, ...]]:
    """One attribute at each tuple of offsets."""
    return [tuple(Observation(offset, attr) for offset in group) for group in offsets]


def _each(attr: str, *offsets: int) -> list[tuple[Observation, ...]]:
    """One attribute at each offset by itself."""
    return _same(attr, combinations(offsets, 1))


def _pair(first: tuple[int, str], second: tuple[int, str]) -> tuple[Observation, ...]:
    return Observation(*first), Observation(*second)


def _check_switches(**settings: object) -> None:
    for name, value in settings.items():
        if not is_switch(value):
            raise ValueError(Errors.M133.format(setting=name, expected="true or false", value=shown(value)))


def _check_names(needed: tuple[str, ...], **settings: object) -> None:
    """Refuse what is not the name of an attribute; ``needed`` must not be null either."""
    for name, value in settings.items():
        if not (isinstance(value, str) and value) and (value is not None or name in needed):
            expected = "the name of an attribute" + ("" if name in needed else ", or null")
            raise ValueError(Errors.M133.format(setting=name, expected=expected, value=shown(value)))


@mtl_templates("spacy_mtl.tp1.v1")
def tp1(min_count: int = 1) -> TemplateSet:
    """TP1 of Mao & Tsang, Table 2: 10 state templates over normalised characters in [-2, 2], and the transition template."""
    return TemplateSet((*_state(_same("CHAR", _TP1)), TRANSITION), min_count)


@mtl_templates("spacy_mtl.tp2.v1")
def tp2(min_count: int = 1) -> TemplateSet:
    """TP2 of Mao & Tsang, Table 2: TP1 plus 7 character bigrams, 17 state templates in all, and the transition template.

    As in TP1, the full-width and half-width forms of a character count as the same.
    """
    return TemplateSet((*_state(_same("CHAR", _TP2)), TRANSITION), min_count)


@mtl_templates("spacy_mtl.conll2002.v1")
def conll2002(min_count: int = 1) -> TemplateSet:
    """The entity templates of Mao & Tsang, section 3.3: 133 state templates in [-3, 3], and the transition template.

    Unigrams of forms and tags (7 + 7), bigrams of forms and of tags (21 + 21), a form with a tag at another position (42), trigrams of tags (35).
    """
    window = range(-3, 4)
    patterns = [
        *_each("ORTH", *window),
        *_same("ORTH", combinations(window, 2)),
        *_each("TAG", *window),
        *_same("TAG", combinations(window, 2)),
        *(_pair((i, "ORTH"), (j, "TAG")) for i, j in permutations(window, 2)),
        *_same("TAG", combinations(window, 3)),
    ]
    return TemplateSet((*_state(patterns, digits=3), TRANSITION), min_count)


def _ner_patterns() -> list[tuple[Observation, ...]]:
    affixes = [f"{side}{n}" for side in ("PREFIX", "SUFFIX") for n in range(1, 5)]
    window = (-2, -1, 0, 1, 2)
    return [
        *_each("ORTH", 0),
        *_each("LOWER", *window),
        *(pattern for affix in affixes for pattern in _each(affix, 0)),
        *_each("SHAPE", *window),
        *_same("LOWER", [(-2, -1), (-1, 0), (0, 1), (1, 2), (-1, 1)]),
        *_same("SHAPE", [(-1, 0), (0, 1)]),
        *(pattern for attr in CONTEXT_ATTRIBUTES for pattern in _each(attr, 0)),
        *_each("TAG", *window),
        *_same("TAG", [(-1, 0), (0, 1)]),
    ]


@mtl_templates("spacy_mtl.ner.v1")
def ner(
    tag: bool = True,
    min_count: int = 1,
    clusters: bool | list[str] = False,
    lists: bool | list[str] = False,
    noisy: bool = False,
) -> TemplateSet:
    """Rich templates for entities.

    They read forms, affixes of 1-4 characters, shapes and tags in a window, useful pairs of these, and the word's context in its sentence and
    document (nearest plain word and noun, capitalisation and neighbours of other occurrences).

    tag: read the part-of-speech tag; without it, raw text is enough. min_count: leave out observations that occur less often. clusters: read the
    clusters of words in the table CLUSTER, or in several tables by their names, such as ["CLUSTER", "CLUSTER_news"]. lists: read all lists of
    phrases together, or some by their names, such as ["LIST_places"].
    noisy: read what words as people type them are: hashtags, mentions, addresses, emoji, repeated letters, odd casing.
    """
    _check_switches(tag=tag, noisy=noisy)
    more = [
        *(pattern for name in named_tables("clusters", clusters, "CLUSTER") for pattern in cluster_patterns(name)),
        *(noisy_patterns() if noisy else ()),
        *(pattern for name in named_tables("lists", lists, ALL_LISTS) for pattern in list_patterns(name)),
    ]
    templates = TemplateSet((*_state([*_ner_patterns(), *more]), TRANSITION), min_count)
    return templates if tag else templates.without("TAG").without("LEFT_NOUN").without("RIGHT_NOUN")


def _seg_patterns() -> list[tuple[Observation, ...]]:
    window = (-2, -1, 0, 1, 2)
    bigrams = [(-2, -1), (-1, 0), (0, 1), (1, 2)]
    return [
        *_each("CHAR", *window),
        *_same("CHAR", [*bigrams, (-2, 0), (-1, 1), (0, 2)]),
        *_same("CHAR", [(-2, -1, 0), (-1, 0, 1), (0, 1, 2)]),
        *_same("CHAR_CLASS", [(-1, 0, 1), window]),
        *_each("SAME_1", 0, 1),
        *_each("SAME_2", 0, 2),
        *_words_here(),
        *_groups_around(),
    ]


def _groups_around() -> list[tuple[Observation, ...]]:
    """Templates over groups of characters, which generalize to pairs of characters that the corpus does not have."""
    return [
        *_each(CHAR_GROUP, -2, -1, 0, 1, 2),
        _pair((-1, "CHAR"), (0, CHAR_GROUP)),
        _pair((-1, CHAR_GROUP), (0, "CHAR")),
        _pair((0, "CHAR"), (1, CHAR_GROUP)),
        _pair((0, CHAR_GROUP), (1, "CHAR")),
    ]


def _words_here() -> list[tuple[Observation, ...]]:
    """Templates over dictionary words that begin, end or continue near the current character."""
    begin, end, inside = WORD_ATTRIBUTES
    around = [(0, begin), (0, end), (0, inside)]
    return [
        *(_each(attr, -1, 0, 1)[k] for attr in WORD_ATTRIBUTES for k in range(3)),
        tuple(Observation(*place) for place in around),
        *(_pair(place, (0, "CHAR")) for place in around),
        _pair((-1, end), (0, begin)),
        _pair((0, end), (1, begin)),
    ]


@mtl_templates("spacy_mtl.seg.v1")
def seg(dictionary: bool = True, breaks: bool = False, min_count: int = 1) -> TemplateSet:
    """Rich templates for Chinese word segmentation, over characters in [-2, 2].

    They read character n-grams, character classes, repeated characters, dictionary words that begin, end or continue here, and groups of characters
    with similar neighbours.

    dictionary: read what only ``mtl_segmenter`` knows: the words of the training corpus and of the user, and groups of characters.
    breaks: read, besides, how often the corpus has a word border between two characters.
    min_count: leave out observations that occur less often.
    """
    _check_switches(dictionary=dictionary, breaks=breaks)
    more = [*_each(BREAK, -1, 0, 1, 2), *_same(BREAK, [(-1, 0, 1, 2)])] if breaks else []
    templates = TemplateSet((*_state([*_seg_patterns(), *more]), TRANSITION), min_count)
    for attr in () if dictionary else (*WORD_ATTRIBUTES, BREAK, CHAR_GROUP):
        templates = templates.without(attr)
    return templates


def _pos_patterns() -> list[tuple[Observation, ...]]:
    affixes = [f"PREFIX{n}" for n in range(1, 5)] + [f"SUFFIX{n}" for n in range(1, 7)]
    return [
        *_each("ORTH", 0),
        *_each("LOWER", -2, -1, 0, 1, 2),
        *(pattern for affix in affixes for pattern in _each(affix, 0)),
        *_each("SUFFIX3", -1, 1),
        *_each("SHAPE", -1, 0, 1),
        *_each("CHAR_TYPE", 0),
        *_each("CASE", 0),
        *_same("LOWER", [(-2, -1), (-1, 0), (0, 1), (1, 2), (-1, 1)]),
        *_same("SUFFIX2", [(-1, 0), (0, 1)]),
        *_same("SUFFIX3", [(-1, 0)]),
        *_same("SHAPE", [(-1, 0), (0, 1)]),
        *_each("LAST_PART", 0),
        *_usual_around(),
    ]


def _usual_around() -> list[tuple[Observation, ...]]:
    """Templates over the usual tags of the words around, and the next word's usual tag with the current word's ending."""
    return [
        *_each(USUAL_TAG, -2, -1, 1, 2, 3),
        *_same(USUAL_TAG, [(1, 2)]),
        _pair((0, "SUFFIX2"), (1, USUAL_TAG)),
    ]


@mtl_templates("spacy_mtl.pos.v1")
def pos(usual_tags: bool = True, min_count: int = 1) -> TemplateSet:
    """Templates for part-of-speech tags.

    They read forms in a window of 2 and pairs of these, affixes of up to 6 characters, shapes and types of characters, and the usual tags of the
    words around.

    usual_tags: read the usual tags, which only ``mtl_tagger`` knows. min_count: leave out observations that occur less often.
    """
    _check_switches(usual_tags=usual_tags)
    templates = TemplateSet((*_state(_pos_patterns()), TRANSITION), min_count)
    return templates if usual_tags else templates.without(USUAL_TAG)


@mtl_templates("spacy_mtl.mst.v1")
def mst(
    form: str | None = "ORTH",
    lemma: str | None = None,
    tag: str | None = "TAG",
    coarse: str | None = None,
    variants: str = "one",
    siblings: bool = False,
    grandparents: bool = False,
    labels: bool = True,
    min_count: int = 1,
) -> TemplateSet:
    """The arc templates of MSTParser (McDonald, Crammer & Pereira 2005), see :mod:`.mst`.

    form, lemma, tag, coarse: the attributes to read, null for none; without any tag, endings of words take
    the place of tags. variants: how direction and distance are added to every template: in "one" more
    template, in one for "each" distance (as Mao & Tsang count them), or "none". siblings: add second-order templates of siblings. grandparents: add
    second-order templates of grandparents. labels: add templates that score labels. min_count: leave out observations that occur less often. Raises
    ValueError (M131) for other variants.
    """
    _check_names((), form=form, lemma=lemma, tag=tag, coarse=coarse)
    _check_switches(siblings=siblings, grandparents=grandparents, labels=labels)
    return mst_set(
        [name for name in (form, lemma) if name],
        tags_or_endings(tag, coarse),
        variants,
        siblings,
        grandparents,
        labels,
        min_count,
    )


@mtl_templates("spacy_mtl.parse.v1")
def parse(
    form: str = "LOWER",
    tag: str | None = "TAG",
    coarse: str | None = AUTO,
    lemma: bool = True,
    morph: bool = True,
    siblings: bool = True,
    grandparents: bool = True,
    dependents: bool = True,
    min_count: int = 1,
    label_min_count: int = 2,
) -> TemplateSet:
    """Rich templates for trees: those of ``mst.v1``, affixes, more tags and forms around, adjacent modifiers of a head, and dependents for labels.

    form, tag, coarse: the attributes to read, null for none; without any tag, endings of words take the place of tags. coarse "auto" is POS, or
    nothing where tag is null or POS. lemma: read LEMMA, too. morph: read MORPH and some of its features, too. Where the training corpus has no
    lemmas or no morphology, or a coarse attribute that says no more than the tag, this is left out. siblings, grandparents: add second-order
    templates of these. dependents: add label templates that look at the tree, which joint labelling does not have yet. min_count: leave out
    observations that occur less often. label_min_count: those of labels, too, whose weights take more memory and time than all others: one for
    each label.
    """
    _check_names(("form",), form=form, tag=tag, coarse=coarse)
    _check_switches(lemma=lemma, morph=morph, siblings=siblings, grandparents=grandparents, dependents=dependents)
    if coarse == AUTO:
        coarse = "POS" if tag and tag != "POS" else None
    tags = tags_or_endings(tag, coarse)
    words, features = ("LEMMA" if lemma else None), ("MORPH" if morph else None)
    return parse_set(form, words, tags, features, siblings, grandparents, dependents, min_count, label_min_count)


@mtl_templates("spacy_mtl.patterns.v1")
def from_patterns(
    patterns: list[str] | None = None,
    path: Path | None = None,
    min_count: int = 1,
    label_min_count: int | None = None,
) -> TemplateSet:
    """The user's own templates, from a list or from a UTF-8 file with one template per line and ``#`` comments.

    min_count: leave out observations that occur less often. label_min_count: the same for templates of the labels of arcs, where it is larger.
    Raises ValueError for a fault in a template, unless exactly one of the two is given, or if the file cannot be read.
    """
    if (patterns is None) == (path is None):
        raise ValueError(Errors.M123.format(got="neither is set" if path is None else "both are set"))
    if path is None:
        if not is_list(patterns):
            raise ValueError(
                Errors.M133.format(setting="patterns", expected="a list of strings", value=shown(patterns))
            )
        return TemplateSet.from_texts(patterns or [], min_count, "patterns", label_min_count)
    if not is_path(path):
        raise ValueError(Errors.M133.format(setting="path", expected="the path of a file", value=shown(path)))
    return TemplateSet.from_texts(_read_lines(Path(path)), min_count, str(path), label_min_count)


def _read_lines(path: Path) -> list[str]:
    try:
        with path.open(encoding="utf-8-sig") as file:  # drops the byte-order mark that Windows editors write
            return list(file)
    except FileNotFoundError:
        reason = "no such file"
    except UnicodeDecodeError:
        reason = "it is not UTF-8 text"
    except UnicodeEncodeError:
        reason = "it cannot be the name of a file"
    except OSError as error:
        reason = error.strerror or str(error)
    raise ValueError(Errors.M124.format(path=brief(path, 300), reason=reason))
