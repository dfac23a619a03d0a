"""What a survey finds in files of trees, and what is proposed for them."""

from collections import Counter
from pathlib import Path

import pytest
import spacy

from spacy_mtl.survey.found import Survey
from spacy_mtl.survey.propose import MANY_TREES, check_pipeline, pos_map, propose
from spacy_mtl.survey.trees import survey_trees


def rows(heads, feats="_", xpos="_", upos="NOUN"):
    lines = [f"{i}\tw{i}\t_\t{upos}\t{xpos}\t{feats}\t{head}\tdep\t_\t_" for i, head in enumerate(heads, 1)]
    return "\n".join(lines) + "\n\n"


def survey(tmp_path, text):
    path = tmp_path / "a.conllu"
    path.write_text(text, encoding="utf8")
    return survey_trees(path)


def chosen(found, pipeline=("parser",)):
    return {(choice.section.rpartition(".")[2], choice.key): choice.value for choice in propose(pipeline, found)}


@pytest.mark.parametrize(("flat", "projective"), [(10, False), (80, True)])
def test_crossing_arcs_are_counted_and_not_sentences(tmp_path, flat, projective):
    """Two arcs of six words cross in one sentence; the share is of arcs."""
    found = survey(tmp_path, rows([0, 4, 1, 1, 1, 1]) + rows([0, 1]) * flat)
    assert found.crossing == pytest.approx(2 / (6 + 2 * flat))
    assert chosen(found)["parser", "projective"] is projective


def test_cases_are_told_and_no_tagger_sets_them(tmp_path):
    """Without a choice, morphology and a coarse tag are read where the corpus has them."""
    case = survey(tmp_path, rows([0, 1], "Case=Nom|Number=Sing"))
    assert chosen(case)["templates", "morph"] is True
    assert chosen(case, ("tagger", "parser"))["templates", "morph"] is False
    assert chosen(case, ("tagger", "parser"))["templates", "lemma"] is False
    assert ("templates", "lemma") not in chosen(case)
    none = survey(tmp_path, rows([0, 1], "Number=Sing", "NN"))
    assert {("templates", "morph"), ("templates", "coarse")}.isdisjoint(chosen(none))
    assert chosen(none, ("tagger", "parser"))["templates", "coarse"] == "POS"


def test_multiword_tokens_are_counted(tmp_path):
    """A range of one word is none, and neither is an empty node."""
    cells = "\t_" * 8
    plain = rows([0, 1])
    found = survey(tmp_path, f"1-2\tal{cells}\n{plain}1-1\tx{cells}\n{plain[:-1]}2.1\ty{cells}\n\n")
    assert found.multiword == 1
    assert "1 tokens are several words (multiword tokens)" in found.lines
    assert not any("multiword" in line for line in survey(tmp_path, plain).lines)


def test_words_that_are_joined_are_counted(tmp_path):
    """Letter to letter, with marks on letters, and not within multiword tokens, whose words are not those of the text."""
    close = (
        rows([0, 1, 1, 1, 1])
        .replace("w1", "a")
        .replace("w2", "b\u0301")
        .replace("w3", "c")
        .replace("w4", ".")
        .replace("w5", "d")
    )
    found = survey(tmp_path, close.replace("dep\t_\t_", "dep\t_\tSpaceAfter=No"))
    assert found.joined == pytest.approx(2 / 5)
    cells = "\t_" * 8
    assert survey(tmp_path, f"1-2\tal{cells}\n{rows([0, 1])}").joined == 0


def test_arcs_forms_and_analyses_are_counted(tmp_path):
    found = survey(tmp_path, rows([0, 1, 1], "Case=Nom") + rows([0]) + rows([0], upos="VERB"))
    assert (found.arcs, found.analyses, found.forms) == (2, 3, {"w1": 3, "w2": 1, "w3": 1})
    assert survey(tmp_path, rows([0, 0, 2]) + rows([0, 0])).arcs == 1  # there may be several roots


def test_without_tags_endings_take_their_place(tmp_path):
    found = survey(tmp_path, rows([0, 1], "Case=Nom", upos="_"))
    assert "no tags, neither in XPOS nor in UPOS" in found.lines
    for pipeline in (("parser",), ("morphologizer", "parser")):
        assert chosen(found, pipeline)["templates", "tag"] is None
        assert chosen(found, pipeline)["templates", "coarse"] is None


@pytest.mark.parametrize(
    ("component", "lacking"),
    [
        ("tagger", "trees without tags"),
        ("morphologizer", "trees without parts of speech and morphological features"),
        ("lemmatizer", "trees without lemmas"),
    ],
)
def test_what_trees_lack_is_told(tmp_path, component, lacking):
    with pytest.raises(
        ValueError, match=rf"^\[M728\] '{component}' cannot be .*, which has {lacking}\. It is trained on a file"
    ):
        check_pipeline([component], survey(tmp_path, rows([0, 1], upos="_")))


def test_few_sentences_do_without_grandparents(tmp_path):
    assert chosen(survey(tmp_path, rows([0, 1])))["templates", "grandparents"] is False
    assert ("templates", "grandparents") not in chosen(survey(tmp_path, rows([0, 1]) * MANY_TREES))


def test_broken_trees_are_skipped_and_said(tmp_path):
    found = survey(tmp_path, rows([0, 1]) + rows([2, 1]))
    assert (found.broken, found.reader["broken"]) == (1, "skip")
    assert found.warnings[0].startswith("1 sentence(s) of")


def test_parts_of_speech_of_tags(tmp_path):
    nouns, verbs = rows([0, 1], xpos="NN"), rows([0, 1], xpos="VB", upos="VERB")
    text = nouns + verbs + rows([0, 1], xpos="X1") + rows([0, 1], xpos="X1", upos="VERB")
    assert pos_map(survey(tmp_path, text)) == {"NN": "NOUN", "VB": "VERB"}


@pytest.mark.parametrize(
    ("xpos", "expected"), [("KN", {"KN": "CONJ", "NN": "NOUN"}), ("_", {"CONJ": "CONJ", "NOUN": "NOUN"})]
)
def test_a_tagger_takes_the_parts_of_speech_of_the_first_version_of_universal_dependencies(tmp_path, xpos, expected):
    text = rows([0, 1], xpos="NN" if xpos != "_" else "_") + rows([0, 1], xpos=xpos, upos="CONJ")
    found = pos_map(survey(tmp_path, text))
    assert found == expected
    assert spacy.blank("sv").add_pipe("mtl_tagger", config={"pos_map": found}).cfg["pos_map"] == expected


def test_blanks_are_no_part_of_speech_for_a_tagger():
    assert pos_map(Survey(Path("a.spacy"), "binary", tags=Counter(["NOUN", "SPACE"]))) == {"NOUN": "NOUN"}
    pos_of = {"NN": Counter({"NOUN": 2}), "_SP": Counter({"SPACE": 2})}
    assert pos_map(Survey(Path("a.spacy"), "binary", tags=Counter(pos_of), pos_of=pos_of)) == {"NN": "NOUN"}
