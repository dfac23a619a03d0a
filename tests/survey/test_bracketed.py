"""What a survey finds in files of bracketed trees, and what is taken for one."""

import pytest

from spacy_mtl.survey.kinds import kind_of
from spacy_mtl.survey.look import survey
from spacy_mtl.survey.propose import check_pipeline, propose

TEXT = "( (S (NP-SBJ (PRP It))\n   (VP (VBZ rains)) (. .)))\n(NP (NN rain))\n"


def write(tmp_path, text):
    path = tmp_path / "a.mrg"
    path.write_text(text, encoding="utf8")
    return path


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (TEXT, "bracketed"),
        ("(S (NP (N a)))\n", "bracketed"),
        ("\n\n(\n(S (N a))\n)\n", "bracketed"),
        ("( O\nEl O\n) O\n\n", "columns"),
        ("( such is life )\n", "segmented"),
        ("(a text)\n", "bracketed"),  # one word with its tag
        ("( a text ) of words\n", "segmented"),
    ],
)
def test_kinds(tmp_path, text, kind):
    assert kind_of(write(tmp_path, text)) == kind


def test_what_is_found_and_proposed(tmp_path):
    found = survey(write(tmp_path, TEXT))
    assert (found.kind, found.sentences, found.words, found.longest, found.brackets) == ("bracketed", 2, 4, 3, 4)
    assert found.tags == {"PRP": 1, "VBZ": 1, ".": 1, "NN": 1}
    assert found.lines[0] == "constituents: 4 of 3 labels: NP 2, S 1, VP 1"
    assert check_pipeline(["constituents", "tagger"], found) == ["tagger", "constituents"]
    chosen = {(choice.section, choice.key): choice.value for choice in propose(["constituents"], found, group=2)}
    assert chosen == {("corpora.train", "group"): 2}
    with pytest.raises(ValueError, match=r"^\[M728\] "):
        check_pipeline(["parser"], found)


def test_trees_without_a_constituent_are_told(tmp_path):
    message = r"M728.*which has trees without a constituent, only tagged words\. .* bracketed trees with constituents, such as"
    with pytest.raises(ValueError, match=message):
        check_pipeline(["constituents"], survey(write(tmp_path, "(NN dog)\n(TOP (NN cat))\n")))
