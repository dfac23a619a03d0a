"""Files of bracketed trees."""

import pytest
import spacy

from spacy_mtl.constituents.tree import SPANS_KEY, bracketed, constituents_of
from spacy_mtl.corpora.bracketed import read_bracketed, tree_doc

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
