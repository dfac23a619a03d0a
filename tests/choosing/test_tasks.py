"""Tasks of annotation tools: the text is the one that was given."""

import json

import spacy
from spacy.tokens import Doc, Span

from spacy_mtl.choosing.tasks import label_studio, prodigy
from spacy_mtl.corpora.annotated.reader import TasksCorpus
from spacy_mtl.corpora.conllu_kept import keep_token


def contracted():
    """Of the raw text "Vamos al  mar del Norte. ", with words in place of its multiword tokens."""
    words = ["Vamos", "a", "el", " ", "mar", "de", "el", "Norte", "."]
    doc = Doc(spacy.blank("es").vocab, words=words, spaces=[True, True, True, False, True, True, True, False, True])
    keep_token(doc, 1, 3, "al")
    keep_token(doc, 5, 7, "del")
    doc.ents = [Span(doc, 2, 5, "LOC"), Span(doc, 5, 6, "MISC"), Span(doc, 6, 8, "LOC")]
    return doc


def test_multiword_tokens_are_as_they_are_in_the_text(tmp_path):
    """Otherwise somebody would annotate a text that nobody has. Entities that share a token would overlap."""
    task = prodigy(contracted(), {})
    text = "Vamos al  mar del Norte. "
    assert task["text"] == text
    assert [token["text"] for token in task["tokens"]] == ["Vamos", "al", " ", "mar", "del", "Norte", "."]
    assert [token["id"] for token in task["tokens"]] == list(range(7))
    assert all(text[token["start"] : token["end"]] == token["text"] for token in task["tokens"])
    assert "".join(token["text"] + " " * token["ws"] for token in task["tokens"]) == text
    assert task["spans"] == [
        {"start": 6, "end": 13, "token_start": 1, "token_end": 3, "label": "LOC"},
        {"start": 14, "end": 17, "token_start": 4, "token_end": 4, "label": "MISC"},
    ]
    (tmp_path / "tasks.jsonl").write_text(json.dumps(task), encoding="utf8")
    (example,) = TasksCorpus(tmp_path / "tasks.jsonl")(spacy.blank("es"))
    assert [(ent.text, ent.label_) for ent in example.reference.ents] == [("al  mar", "LOC"), ("del", "MISC")]
    other = label_studio(contracted(), {})
    assert other["data"]["text"] == text
    places = [(each["id"], each["value"]["text"]) for each in other["predictions"][0]["result"]]
    assert places == [("6-13", "al  mar"), ("14-17", "del")]


def test_a_text_without_tokens():
    doc = Doc(spacy.blank("es").vocab)
    assert prodigy(doc, {}) == {"text": "", "tokens": [], "spans": [], "meta": {}}
