"""Comments in column files: lines with ``#`` before a sentence, which are no tokens."""

import pytest

from spacy_mtl.clustering.sentences import sentences_of
from spacy_mtl.corpora.columns import read_columns
from spacy_mtl.corpora.lines.comments import lines_of
from spacy_mtl.survey.kinds import kind_of
from spacy_mtl.survey.look import survey

#: As in data sets of several languages: with numbers and tabs, without, with borders of documents.
NUMBERED = (
    "#\thttp://example.org/a\t[2009-10-17]\n1\tAna\tB-PER\tO\n2\tvive\tO\tO\n\n"
    "#\thttp://example.org/b\t[2009-10-18]\n1\t#\tO\tO\n2\tLima\tB-LOC\tO\n"
)
KEYED = (
    "# id = 7 domain = x\n# text = Ana vive\nAna _ _ B-PER\nvive _ _ O\n\n"
    "# x = y\n# _ _ O\n#cine _ _ O\nLima _ _ B-LOC\n\n"
)
DOCUMENTS = (
    "#begin document (a); part 000\nAna NN B-PER\n\nvive VB O\n\n#end document\n"
    "#begin document (b); part 000\nLima NN B-LOC\n\n#end document\n"
)


def written(tmp_path, text, name="a.conll"):
    path = tmp_path / name
    path.write_text(text, encoding="utf8")
    return path


@pytest.mark.parametrize(
    ("text", "columns", "words"),
    [
        (NUMBERED, ["_", "ORTH", "ENT", "_"], [["Ana", "vive"], ["#", "Lima"]]),
        (KEYED, ["ORTH", "_", "_", "ENT"], [["Ana", "vive"], ["#", "#cine", "Lima"]]),
        (DOCUMENTS, ["ORTH", "TAG", "ENT"], [["Ana"], ["vive"], ["Lima"]]),
        (
            "# id 3c0f-00\tdomain=es\nAna _ _ B-PER\n\n# id 3c\t_ _\n# _ _ O\n",
            ["ORTH", "_", "_", "ENT"],
            [["Ana"], ["#"]],
        ),
        ("# newdoc id = 3\nAna B-PER\n\n# newdoc\nLima B-LOC\n", ["ORTH", "ENT"], [["Ana"], ["Lima"]]),
        (
            "# O\n\n# a comment\n# O\n#tag O\n\n# a comment\nLima B-LOC\n",
            ["ORTH", "ENT"],
            [["#"], ["#", "#tag"], ["Lima"]],
        ),
    ],
)
def test_comments_are_no_tokens(tmp_path, text, columns, words):
    path = written(tmp_path, text)
    found = list(read_columns(path, columns))
    lines = text.splitlines()
    place = columns.index("ORTH")
    for sentence in found:
        for k, word in enumerate(sentence.words):
            assert lines[sentence.line - 1 + k].split()[place] == word
    assert [sentence.words for sentence in found] == words


@pytest.mark.parametrize(
    ("text", "columns", "words"),
    [
        ("# O\nfan O extra\nof O\n\nnext O\n", ["ORTH", "ENT"], [["#", "fan", "of"], ["next"]]),
        ("# O\n\n-DOCSTART- O\n\nA O\n", ["ORTH", "ENT"], [["#"], ["A"]]),
        ("# SYM = O\n1 CD one O\n", ["ORTH", "TAG", "LEMMA", "ENT"], [["#", "1"]]),
        ("# newdoc O\nA NN O\n", ["ORTH", "TAG", "ENT"], [["#", "A"]]),
        ("# O\n", ["ORTH", "ENT"], [["#"]]),
        ("# NN\nof IN\n", ["ORTH", "TAG"], [["#", "of"]]),
        ("# NN\n\nof IN\n", ["ORTH", "TAG"], [["#"], ["of"]]),
    ],
)
def test_tokens_that_are_a_mark_are_no_comments(tmp_path, text, columns, words):
    assert [sentence.words for sentence in read_columns(written(tmp_path, text), columns)] == words


def test_tokens_with_a_mark_and_empty_columns(tmp_path):
    (sentence,) = read_columns(written(tmp_path, "#\tO\nfan\tO\t\n"), ["ORTH", "ENT"], separator="\t")
    assert sentence.words == ["#", "fan"]


def test_borders_of_documents_with_two_columns(tmp_path):
    text = "#begin document (a); part 000\nA NN\nB NN\n\n#end document\n#begin document (c)\nC NN\n\n#end document\n"
    found = list(read_columns(written(tmp_path, text), ["ORTH", "TAG"]))
    assert [(sentence.words, sentence.document) for sentence in found] == [(["A", "B"], 0), (["C"], 1)]


def test_comments_may_begin_documents(tmp_path):
    found = read_columns(written(tmp_path, DOCUMENTS), ["ORTH", "TAG", "ENT"])
    assert [sentence.document for sentence in found] == [0, 0, 1]
    found = read_columns(written(tmp_path, "# newdoc\nAna O\n\n# newdoc\nLima O\n"), ["ORTH", "ENT"])
    assert [sentence.document for sentence in found] == [0, 1]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("Ana O\n# a comment in a sentence\n#x\n", 3),  # too few columns for a token
        ("#hashtag\nAna O\n", 1),
        ("#\nAna O\n", 1),
        ("# \nAna O\n", 1),
        ("Ana O\n\n#hashtag\n", 3),
    ],
)
def test_what_is_no_comment_must_be_a_token(tmp_path, text, line):
    with pytest.raises(ValueError, match=rf"M503.*[Ll]ine {line} "):
        list(read_columns(written(tmp_path, text), ["ORTH", "ENT"]))


def test_a_file_of_comments_has_no_sentences(tmp_path):
    with pytest.raises(ValueError, match="M504"):
        list(read_columns(written(tmp_path, "# a = b\n\n# c = d\n"), ["ORTH", "ENT"]))


def test_lines_keep_their_numbers():
    said = []
    found = list(lines_of(KEYED.splitlines(keepends=True), str.split, said=said))
    assert [number for number, *_ in found] == [3, 4, 5, 7, 8, 9, 10]
    assert said == ["# id = 7 domain = x", "# text = Ana vive", "# x = y"]


@pytest.mark.parametrize(
    ("text", "columns", "told", "documents"),
    [
        (
            NUMBERED,
            ["_", "ORTH", "ENT", "_"],
            "6 comments are left out, the first: # http://example.org/a [2009-10-17]",
            0,
        ),
        (KEYED, ["ORTH", "_", "_", "ENT"], "9 comments are left out, the first: # id = 7 domain = x", 0),
        (DOCUMENTS, ["ORTH", "TAG", "ENT"], "12 comments are left out, the first: #begin document (a); part 000", 6),
    ],
)
def test_a_survey_says_what_is_left_out(tmp_path, text, columns, told, documents):
    path = written(tmp_path, f"{text}\n" * 3)
    assert kind_of(path) == "columns"
    found = survey(path)
    assert (found.columns, found.documents) == (columns, documents)
    assert told in found.lines


def test_clusters_are_not_learnt_from_comments(tmp_path):
    assert list(sentences_of(written(tmp_path, KEYED), str.split)) == [["Ana", "vive"], ["#", "#cine", "Lima"]]
    assert list(sentences_of(written(tmp_path, DOCUMENTS), str.split)) == [["Ana"], ["vive"], ["Lima"]]
