"""What a survey finds in column files."""

import pytest

from spacy_mtl.survey.columns import scheme_of, survey_columns
from spacy_mtl.survey.kinds import kind_of


@pytest.mark.parametrize(
    ("tags", "scheme", "entities"),
    [
        ([["B-X", "I-X", "B-X"]], "iob2", {"X": 2}),
        ([["I-X", "I-X", "B-X"], ["I-Y"]], "iob1", {"X": 2, "Y": 1}),
        ([["I-X", "I-Y"]], "iob1", {"X": 1, "Y": 1}),
        ([["B-X", "L-X", "U-Y"]], "biluo", {"X": 1, "Y": 1}),
        ([["B-X", "E-X", "S-Y"]], "biluo", {"X": 1, "Y": 1}),
        ([["O", "I-X"], ["B-X"]], "auto", {"X": 2}),
    ],
)
def test_schemes(tags, scheme, entities):
    found = scheme_of(tags)
    assert (found[0], dict(found[1])) == (scheme, entities)


def write(tmp_path, text, name="a.conll"):
    path = tmp_path / name
    path.write_text(text, encoding="utf8")
    return path


def test_columns_are_known_by_their_values(tmp_path):
    words = ["Sagen", "wir", "es", "laut", "heute", "Abend", "hier", "."]
    rows = [f"{i}\t{word}\t{word.lower()}\tT{i % 3}\tO" for i, word in enumerate(words)]
    rows[0] = rows[0].removesuffix("O") + "B-X"
    found = survey_columns(write(tmp_path, "\n".join(rows) + "\n\n"))
    assert found.columns == ["_", "ORTH", "LEMMA", "TAG", "ENT"]
    assert found.warnings == []


def test_blanks_inside_columns(tmp_path):
    found = survey_columns(write(tmp_path, "New York\tB-LOC\nist\tO\n\nBonn\tB-LOC\n"))
    assert found.reader["separator"] == "\t"
    assert (found.columns, found.words) == (["ORTH", "ENT"], 3)


def test_lines_of_different_lengths_are_refused(tmp_path):
    with pytest.raises(ValueError, match=r"\[M561\] Line 2 of .* has 3 column\(s\), but the lines before have 2"):
        survey_columns(write(tmp_path, "a O\nb X O\n\n"))
    with pytest.raises(ValueError, match="M504"):
        survey_columns(write(tmp_path, "\n\n"))


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Ana B-PER\nlee O\n\n", "columns"),
        ("# text = a\n1\ta\ta\tX\tX\t_\t0\troot\t_\t_\n\n", "trees"),
        ("我们 学习\n他们\n", "segmented"),
        ("a b\nc d\n", "segmented"),
    ],
)
def test_kinds(tmp_path, text, kind):
    assert kind_of(write(tmp_path, text)) == kind
