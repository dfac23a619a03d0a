"""Files of bracketed trees."""

import pytest
import spacy

from spacy_mtl.constituents.tree import SPANS_KEY, bracketed, constituents_of
from spacy_mtl.corpora.bracketed import BracketedCorpus, read_bracketed, tree_doc

TEXT = """
( (S
    (NP-SBJ-1 (PRP It))
    (VP (VBZ rains) (NP (-NONE- *T*-1)))
    (. .) ))
( (NP (-NONE- *)))
( (FRAG (-LRB- -LRB-) (RB Not) (ADVP (RB here)) (-RRB- -RRB-)))
"""


@pytest.fixture
def write(tmp_path):
    def written(text: str, encoding: str = "utf8"):
        path = tmp_path / "trees.mrg"
        path.write_bytes(text.encode(encoding))
        return path

    return written


def test_trees_are_cleaned_and_have_their_lines(write):
    placed = list(read_bracketed(write(TEXT)))
    assert [line for line, _ in placed] == [2, 7]
    assert bracketed(placed[0].tree) == "( (S (NP (PRP It)) (VP (VBZ rains)) (. .)))"


def test_or_are_left_as_they_are(write):
    placed = list(read_bracketed(write(TEXT), cleaned=False))
    assert [line for line, _ in placed] == [2, 6, 7]
    assert constituents_of(placed[0].tree)[1].label == "NP-SBJ-1"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("((S (N a))", "M570.*Line 1"),
        ("(S (N a))\n\n(A+B (N a))", "M571.*Line 3"),
        ("(S (-NONE- *))", "M572"),
        ("", "M572"),
    ],
)
def test_what_is_wrong_with_a_file_is_said_with_its_line(write, text, code):
    with pytest.raises(ValueError, match=rf"{code}.*trees.mrg"):
        list(read_bracketed(write(text)))


def test_files_that_cannot_be_read(write, tmp_path):
    with pytest.raises(ValueError, match="M501"):
        read_bracketed(tmp_path / "none.mrg")
    with pytest.raises(ValueError, match=r"M502.*1 "):
        list(read_bracketed(write("(N é)", "latin-1")))


def test_a_doc_has_words_tags_and_nested_spans(write):
    first, second = (tree_doc(spacy.blank("en").vocab, tree) for _, tree in read_bracketed(write(TEXT)))
    assert (first.text, [token.tag_ for token in first]) == ("It rains.", ["PRP", "VBZ", "."])
    assert [(span.label_, span.text) for span in first.spans[SPANS_KEY]] == [
        ("S", "It rains."), ("NP", "It"), ("VP", "rains"),
    ]  # fmt: skip
    assert second.text == "(Not here)"
    assert len(list(first.sents)) == 1


# --- the reader ---


def corpus(path, **settings):
    return list(BracketedCorpus(path, **settings)(spacy.blank("en")))


def test_the_reader_gives_words_borders_and_tags(write):
    rain, here = corpus(write(TEXT))
    assert [token.text for token in rain.predicted] == ["It", "rains", "."]
    assert [token.tag_ for token in rain.predicted] == ["PRP", "VBZ", "."]
    assert not rain.predicted.spans
    assert rain.predicted.text == rain.reference.text == "It rains."
    spans = [(span.start, span.end, span.label_) for span in rain.reference.spans[SPANS_KEY]]
    assert spans == [(0, 3, "S"), (0, 1, "NP"), (1, 2, "VP")]
    assert [span.label_ for span in here.reference.spans[SPANS_KEY]] == ["FRAG", "ADVP"]


def test_the_reader_groups_and_hides(write):
    path = write(TEXT)
    (both,) = corpus(path, group=0, given=[], spans_key="trees")
    assert not both.predicted.has_annotation("TAG")
    assert both.reference.has_annotation("TAG")
    for doc in (both.predicted, both.reference):
        assert [sentence.start for sentence in doc.sents] == [0, 3]
    assert [(span.start, span.end) for span in both.reference.spans["trees"]] == [
        (0, 3),
        (0, 1),
        (1, 2),
        (3, 7),
        (5, 6),
    ]
    assert len(corpus(path, limit=1)) == 1
    assert len(corpus([path, path], group=2)) == 2
    assert len(corpus(f"{path},{path}")) == 4


@pytest.mark.parametrize(
    ("settings", "code"),
    [
        ({"path": None}, "M511"),
        ({"path": "nowhere.mrg"}, "M501"),
        ({"given": ["POS"]}, "M558"),
        ({"given": "TAG"}, "M514"),
        ({"group": -1}, "M514"),
        ({"limit": 1.5}, "M514"),
        ({"encoding": ""}, "M514"),
        ({"spans_key": 3}, "M514"),
        ({"encoding": "nonsense"}, "M513"),
    ],
)
def test_settings_of_the_reader_are_checked(write, settings, code):
    with pytest.raises(ValueError, match=rf"^\[{code}\] "):
        list(BracketedCorpus(**{"path": write(TEXT), **settings})(spacy.blank("en")))
