"""Whether documents have what templates read is seen from the first of them, or else from all."""

import pytest
import spacy
from spacy.tokens import Doc
from spacy.training import Example

from spacy_mtl.components.protocol import base

N = 6


@pytest.fixture(autouse=True)
def two_first(monkeypatch):
    monkeypatch.setattr(base, "FIRST", 2)


def initialized(tags, monkeypatch):
    """A component whose templates read tags, initialized on documents with these, and how many documents were read for it at a time."""
    nlp = spacy.blank("en")
    patterns = {"@mtl_templates": "spacy_mtl.patterns.v1", "patterns": ["U0:%x[0,TAG]", "U1:%x[0,LOWER]", "B"]}
    ner = nlp.add_pipe("mtl_ner", config={"model": {"templates": patterns}})
    looked = []
    plain = ner._given
    monkeypatch.setattr(ner, "_given", lambda examples: (looked.append(len(examples)), plain(examples))[1])
    shown = []
    for tag in tags:
        doc = Doc(nlp.vocab, words=["Ana", "sleeps"], tags=[tag, tag] if tag else None)
        shown.append(Example(doc, Doc(nlp.vocab, words=["Ana", "sleeps"], ents=["B-PER", "O"])))
    nlp.initialize(lambda: shown)
    return ner, looked


def test_first_documents_with_tags_are_enough(monkeypatch):
    assert initialized(["", "N", *[""] * (N - 2)], monkeypatch)[1] == [2]


def test_tags_that_come_later_are_found(monkeypatch):
    assert initialized([""] * (N - 1) + ["N"], monkeypatch)[1] == [2, N]


def test_tags_that_never_come_are_missed(monkeypatch):
    with pytest.raises(ValueError, match=r"M111.*'TAG'"):
        initialized([""] * N, monkeypatch)


def test_few_documents_are_read_once(monkeypatch):
    assert initialized(["N"], monkeypatch)[1] == [1]
    with pytest.raises(ValueError, match="M111"):
        initialized(["", ""], monkeypatch)


@pytest.mark.parametrize(
    ("pos", "absent"),
    [(["NOUN"] * N, ["POS"]), (["NOUN"] * (N - 1) + ["VERB"], []), (["NOUN", "VERB"] * (N // 2), [])],
)
def test_parts_of_speech_that_say_nothing_in_all_documents_are_done_without(pos, absent):
    nlp = spacy.blank("en")
    templates = {"@mtl_templates": "spacy_mtl.parse.v1"}
    parser = nlp.add_pipe("mtl_parser", config={"model": {"templates": templates}})
    shown = []
    for k, each in enumerate(pos):
        words = {
            "words": ["Ana", "sleeps"],
            "tags": ["A", "BC"[k % 2]],
            "pos": [each, each],
            "sent_starts": [True, False],
        }
        gold = Doc(nlp.vocab, words=["Ana", "sleeps"], heads=[1, 1], deps=["nsubj", "ROOT"])
        shown.append(Example(Doc(nlp.vocab, **words), gold))
    nlp.initialize(lambda: shown)
    assert [attr for attr in parser.cfg.get("absent", []) if attr == "POS"] == absent
