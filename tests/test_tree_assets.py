"""The treebank in assets/ is what its README says it is."""

import re
from collections import Counter
from itertools import combinations
from pathlib import Path

import conllu
import pytest
import spacy

from spacy_mtl.corpora.conllu import ConlluCorpus
from spacy_mtl.corpora.conllu_read import read_conllu
from spacy_mtl.roots import doc_heads

CORPUS = Path(__file__).parents[1] / "assets" / "nl-trees"
LEAST = {"train": 115, "dev": 25, "test": 25}
TAGS = "ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X"
RELATIONS = (
    "acl advcl advmod amod appos aux case cc ccomp clf compound conj cop csubj dep det discourse dislocated expl fixed "
    "flat goeswith iobj list mark nmod nsubj nummod obj obl orphan parataxis punct reparandum root vocative xcomp"
)
SUBTYPES = {"acl:relcl", "aux:pass", "compound:prt", "nmod:poss", "nsubj:pass", "obl:agent"}
#: relations of words that have no dependents of their own but the marks around them
LEAVES = {"aux", "cop", "mark", "case", "det", "punct", "cc"}
SPLITS = {split: conllu.parse((CORPUS / f"{split}.conllu").read_text(encoding="utf8")) for split in LEAST}
ALL = [sentence for sentences in SPLITS.values() for sentence in sentences]


def heads_of(sentence):
    return [token["head"] for token in sentence]


def is_projective(heads):
    """Whether all words between a word and its head are below the head."""

    def below(word, head):
        while word and word != head:
            word = heads[word - 1]
        return word == head

    return all(
        below(between, head)
        for word, head in enumerate(heads, 1)
        for between in range(min(word, head) + 1, max(word, head))
    )


def test_there_are_37_relations():
    assert len(set(RELATIONS.split())) == 37


@pytest.mark.parametrize("split", SPLITS)
def test_splits_are_large_enough_and_named(split):
    assert len(SPLITS[split]) >= LEAST[split]
    ids = [sentence.metadata["sent_id"] for sentence in SPLITS[split]]
    assert ids == [f"{split}-{i:03}" for i in range(1, len(ids) + 1)]


def test_no_sentence_is_twice_there():
    texts = Counter(sentence.metadata["text"] for sentence in ALL)
    assert [text for text, n in texts.items() if n > 1] == []


@pytest.mark.parametrize("sentence", ALL, ids=lambda sentence: sentence.metadata["sent_id"])
def test_a_sentence_is_one_tree_of_universal_dependencies(sentence):
    heads = heads_of(sentence)
    assert heads.count(0) == 1
    assert 4 <= len(heads) <= 15
    for word in range(1, len(heads) + 1):
        seen = set()
        while word:
            assert word not in seen
            seen.add(word)
            word = heads[word - 1]
    for token in sentence:
        relation = token["deprel"]
        assert token["upos"] in TAGS.split()
        assert relation in SUBTYPES or relation in RELATIONS.split()
        assert (relation == "root") == (token["head"] == 0)
        assert (relation == "punct") == (token["upos"] == "PUNCT")
        assert token["lemma"]


def test_text_is_the_words_with_their_spaces():
    for sentence in ALL:
        text = ""
        for token in sentence:
            text += token["form"] + ("" if (token["misc"] or {}).get("SpaceAfter") == "No" else " ")
        assert text.rstrip() == sentence.metadata["text"]
        assert sentence[-1]["form"] in {".", "?", "!"}


def test_function_words_are_leaves():
    for sentence in ALL:
        relations = {token["id"]: token["deprel"].split(":")[0] for token in sentence}
        for token in sentence:
            above = relations.get(token["head"])
            split_what_for = token["deprel"] == "case" and sentence[token["head"] - 1]["lemma"] == "wat"
            comparison = token["deprel"] == "obl" and sentence[token["head"] - 1]["lemma"] == "meer"
            assert above not in LEAVES or split_what_for or comparison, sentence.metadata["text"]


def test_relations_and_parts_of_speech_fit():
    fitting = {
        "det": {"DET"},
        "case": {"ADP"},
        "cc": {"CCONJ"},
        "aux": {"AUX"},
        "cop": {"AUX"},
        "mark": {"SCONJ", "ADP"},
        "nummod": {"NUM"},
        "amod": {"ADJ"},
        "nsubj": {"NOUN", "PROPN", "PRON"},
        "obj": {"NOUN", "PROPN", "PRON"},
    }
    for sentence in ALL:
        for token in sentence:
            relation = token["deprel"].split(":")[0]
            assert token["upos"] in fitting.get(relation, TAGS.split()), sentence.metadata["text"]


def test_the_readme_states_licence_and_true_counts():
    text = (CORPUS / "README.md").read_text(encoding="utf8")
    assert "CC0" in text
    for split, sentences in SPLITS.items():
        crossing = sum(not is_projective(heads_of(sentence)) for sentence in sentences)
        row = next(line for line in text.splitlines() if line.startswith(f"| `{split}.conllu`"))
        cells = [cell.strip() for cell in row.split("|")[2:5]]
        assert cells == [f"{len(sentences)}", f"{sum(map(len, sentences)):,}", f"{crossing}"]
    assert sum(not is_projective(heads_of(sentence)) for sentence in ALL) >= 40
    assert {token["deprel"] for sentence in ALL for token in sentence if ":" in token["deprel"]} == SUBTYPES
    assert set(re.findall(r"`([a-z]+:[a-z]+)`", text)) == SUBTYPES


def test_examples_of_the_readme_are_in_the_corpus_and_cross_there():
    text = (CORPUS / "README.md").read_text(encoding="utf8")
    rows = [line.split("|")[2].strip() for line in text[text.index("| construction") :].splitlines()[2:8]]
    by_text = {sentence.metadata["text"]: sentence for sentence in ALL}
    assert len(rows) == 6
    for example in rows:
        sentence = by_text[example.replace("*", "")]
        assert not is_projective(heads_of(sentence))
        first, second = re.findall(r"\*(\w+)\*", example)
        ids = {token["form"]: token["id"] for token in sentence}
        arcs = {(token["id"], token["head"]) for token in sentence}
        assert {(ids[first], ids[second]), (ids[second], ids[first])} & arcs


def test_every_construction_is_in_every_split():
    for sentences in SPLITS.values():
        found = {token["deprel"] for sentence in sentences for token in sentence}
        assert found >= {"acl:relcl", "advcl", "ccomp", "xcomp", "conj", "cop", "aux:pass", "iobj"}
        assert any(sentence.metadata["text"].endswith("?") for sentence in sentences)


def test_nearly_all_words_are_known_from_training():
    known = {token["form"].lower() for sentence in SPLITS["train"] for token in sentence}
    for split in ("dev", "test"):
        words = [token["form"].lower() for sentence in SPLITS[split] for token in sentence]
        assert sum(word in known for word in words) / len(words) > 0.9


@pytest.mark.parametrize("split", SPLITS)
def test_the_reader_reads_the_same(split):
    path = CORPUS / f"{split}.conllu"
    for found, expected in zip(read_conllu(path), SPLITS[split], strict=True):
        assert (found.id, found.text) == (expected.metadata["sent_id"], expected.metadata["text"])
        assert found.heads.tolist() == heads_of(expected)
    examples = list(ConlluCorpus(path)(spacy.blank("nl")))
    for example, expected in zip(examples, SPLITS[split], strict=True):
        assert example.reference.text == expected.metadata["text"]
        assert doc_heads(example.reference).heads.tolist() == heads_of(expected)
        assert len(list(example.reference.sents)) == 1
        assert [token.tag_ for token in example.predicted] == [token["upos"] for token in expected]
        features = ["|".join(f"{k}={v}" for k, v in (token["feats"] or {}).items()) for token in expected]
        assert [str(token.morph) for token in example.reference] == features


def test_no_pair_of_splits_shares_a_sentence():
    texts = {split: {sentence.metadata["text"] for sentence in sentences} for split, sentences in SPLITS.items()}
    assert all(not texts[a] & texts[b] for a, b in combinations(texts, 2))
