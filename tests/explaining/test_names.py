"""Names of features say what templates observe."""

import numpy as np
import pytest
import spacy
from spacy.tokens import Doc

from spacy_mtl.explaining.names import SentenceNames, distance_text, length_text
from spacy_mtl.explaining.tree_names import listed_words
from spacy_mtl.templates.attributes.reader import AttributeReader
from spacy_mtl.templates.attributes.texts import AttributeTexts
from spacy_mtl.templates.grammar import parse_template


@pytest.fixture(scope="module")
def names():
    """Of the second of two sentences: "Die große Katze"."""
    nlp = spacy.blank("de")
    doc = Doc(
        nlp.vocab, words=["Ja", ".", "Die", "große", "Katze"], tags=["ITJ", "$.", "ART", "ADJA", "NN"],
        sent_starts=[True, False, True, False, False], morphs=["", "", "Case=Nom|Number=Sing", "", "Case=Nom"],
        pos=["INTJ", "PUNCT", "DET", "ADJ", "NOUN"],
    )  # fmt: skip
    attributes = [
        "ORTH",
        "LOWER",
        "TAG",
        "POS",
        "MORPH_Case",
        "TAG_PREFIX1",
        "SHAPE",
        "IS_TITLE",
        "LEFT_WORD",
        "SPACY",
        "SUFFIX2",
    ]
    reader = AttributeReader(attributes, nlp.vocab)
    starts = np.array([0, 2, 5])
    texts = AttributeTexts(reader, reader.read([doc], starts), nlp.vocab.strings, [doc])
    return SentenceNames(texts, 2, 5)


@pytest.mark.parametrize(
    ("template", "t", "name"),
    [
        ("U:%x[0,LOWER]", 0, "x[0,LOWER]=die"),
        ("U:%x[-1,LOWER]/%x[0,TAG]", 1, "x[-1,LOWER]=die/x[0,TAG]=ADJA"),
        ("U:%x[-2,ORTH]/%x[3,ORTH]", 1, "x[-2,ORTH]=_B-1/x[3,ORTH]=_B+2"),
        ("U:%x[0,POS]/%x[0,TAG_PREFIX1]", 2, "x[0,POS]=NOUN/x[0,TAG_PREFIX1]=N"),
        ("U:%x[0,MORPH_Case]", 0, "x[0,MORPH_Case]=Nom"),
        ("U:%x[0,MORPH_Case]", 1, "x[0,MORPH_Case]="),
        ("U:%x[0,SHAPE]/%x[0,SUFFIX2]", 2, "x[0,SHAPE]=Xxxxx/x[0,SUFFIX2]=ze"),
        ("U:%x[0,IS_TITLE]/%x[0,SPACY]", 2, "x[0,IS_TITLE]=True/x[0,SPACY]=1"),
        ("U:%x[0,LEFT_WORD]", 0, "x[0,LEFT_WORD]=none"),
        ("U:%x[0,LEFT_WORD]", 2, "x[0,LEFT_WORD]=große"),
        ("B", 1, ""),
    ],
)
def test_positions(names, template, t, name):
    assert names.position(parse_template(template), t) == name


@pytest.mark.parametrize(
    ("template", "place", "name"),
    [
        ("U:%h[0,TAG]/%m[-1,TAG]/%d", (3, 1, None, None), "h[0,TAG]=NN/m[-1,TAG]=ROOT/d=right 2"),
        ("U:%h[0,TAG]/%h[-1,TAG]", (0, 3, None, None), "h[0,TAG]=ROOT/h[-1,TAG]=_B-1"),
        ("U:%s[0,TAG]/%m[1,TAG]", (3, 1, None, None), "s[0,TAG]=none/m[1,TAG]=ADJA"),
        ("U:%s[0,TAG]/%m[0,TAG]", (3, 1, 2, None), "s[0,TAG]=ADJA/m[0,TAG]=ART"),
        ("U:%g[0,TAG]/%m[1,TAG]", (1, 3, 0, None), "g[0,TAG]=ROOT/m[1,TAG]=_B+1/turn=straight"),
        ("U:%g[0,TAG]/%m[0,TAG]", (1, 2, 3, None), "g[0,TAG]=NN/m[0,TAG]=ADJA/turn=back"),
        ("U:%g[0,TAG]/%m[0,TAG]", (2, 1, 3, None), "g[0,TAG]=NN/m[0,TAG]=ART/turn=straight"),
        ("U:%g[0,TAG]/%m[0,TAG]", (2, 3, 1, None), "g[0,TAG]=ART/m[0,TAG]=NN/turn=straight"),
        ("U:%g[0,TAG]/%m[0,TAG]", (1, 3, 2, None), "g[0,TAG]=ADJA/m[0,TAG]=NN/turn=beyond"),
        ("U:%h[0,TAG]/%b[TAG]", (3, 1, None, 2), "h[0,TAG]=NN/b[TAG]=ADJA"),
    ],
)
def test_arcs(names, template, place, name):
    assert names.arc(parse_template(template), *place) == name


def test_spans(names):
    template = parse_template("B:%i[-1,TAG]/%k[0,TAG]/%j[0,LOWER]/%d")
    assert names.span(template, 0, 2, 3) == "i[-1,TAG]=_B-1/k[0,TAG]=NN/j[0,LOWER]=katze/d=3"


def test_bins():
    assert [distance_text(9, m) for m in (1, 4, 8, 10, 15, 20)] == [
        "right 6-10", "right 5", "right 1", "left 1", "left 6-10", "left 11+",
    ]  # fmt: skip
    assert [length_text(n) for n in (1, 5, 6, 10, 11, 20, 21)] == ["1", "5", "6-10", "6-10", "11-20", "11-20", "21+"]


def test_words_that_are_listed_one_by_one():
    columns, names = np.array([[7, 8, 7, 9, 8, 7]], np.uint64), {"TAG": 0}
    between, dependents = parse_template("U:%h[0,TAG]/%b[TAG]"), parse_template("B:%m[0,TAG]/%c[TAG]")
    tree = np.array([3, 3, 0, 3, 3, 5], np.int32)
    assert listed_words(between, columns, names, 6, 1, tree[:0]) == [2, 3, 4]
    assert listed_words(between, columns, names, 1, 2, tree[:0]) == []
    assert listed_words(dependents, columns, names, 0, 3, tree) == [1, 2, 4]
    assert listed_words(parse_template("U:%h[0,TAG]"), columns, names, 6, 1, tree[:0]) == []
