from pathlib import Path

import conllu
import pytest
import spacy
from spacy.tokens import Doc, Span

from spacy_mtl.corpora.conllu import ConlluCorpus
from spacy_mtl.corpora.conllu_write import doc_to_conllu, write_conllu
from spacy_mtl.corpora.convert import convert_conllu, export_conllu

DEV = Path(__file__).parents[2] / "assets" / "nl-trees" / "dev.conllu"


@pytest.fixture
def vocab():
    return spacy.blank("nl").vocab


def without_ids(text):
    return [line for line in text.splitlines() if not line.startswith("# sent_id")]


@pytest.mark.parametrize("group", [1, 5])
def test_what_is_read_is_written_again(vocab, tmp_path, group):
    out = tmp_path / "out.conllu"
    docs = [reference for _, reference, _ in ConlluCorpus(DEV, group=group, tag="xpos").docs(vocab)]
    write_conllu(docs, out)
    written, source = out.read_text(encoding="utf8"), DEV.read_text(encoding="utf8")
    # each sentence of the file ends without a space
    assert without_ids(written) == without_ids(source)
    assert [sentence.metadata["sent_id"] for sentence in conllu.parse(written)] == [str(i) for i in range(1, 35)]


def test_several_roots_and_words_without_a_tree(vocab):
    doc = Doc(vocab, words=["a", "b", "c"], heads=[0, 0, 1], deps=["ROOT", "ROOT", "x"], spaces=[False, True, True])
    (text,) = doc_to_conllu(doc)
    assert text.splitlines() == [
        "# text = ab c",
        "1\ta\t_\t_\t_\t_\t0\troot\t_\tSpaceAfter=No",
        "2\tb\t_\t_\t_\t_\t0\troot\t_\t_",
        "3\tc\t_\t_\t_\t_\t2\tx\t_\t_",
    ]
    bare, other = doc_to_conllu(Doc(vocab, words=["a\tb", " ", "c"], sent_starts=[True, False, True]))
    assert bare.splitlines()[1:] == [
        "1\ta b\t_\t_\t_\t_\t_\t_\t_\t_",
        "2\t_\t_\t_\t_\t_\t_\t_\t_\t_",
    ]
    assert other.splitlines()[1:] == ["1\tc\t_\t_\t_\t_\t_\t_\t_\t_"]
    assert list(doc_to_conllu(Doc(vocab))) == []


def test_features_are_in_the_order_of_universal_dependencies(vocab):
    doc = Doc(vocab, words=["a", "b"], morphs=["Number[psor]=Plur,Sing|NumType=Card|Number=Sing", "Case=Nom"])
    (text,) = doc_to_conllu(doc)
    rows = [line.split("\t")[5] for line in text.splitlines() if not line.startswith("#")]
    assert rows == ["Number=Sing|Number[psor]=Plur,Sing|NumType=Card", "Case=Nom"]


def test_sentences_that_touch(vocab):
    """A missing space is written even at the end of a sentence, but not at that of the document, where no space is none missing."""
    doc = Doc(vocab, words=["a", ".", "b", "."], spaces=[False] * 4, sent_starts=[True, False, True, False])
    lines = [line.split("\t") for text in doc_to_conllu(doc) for line in text.splitlines() if not line.startswith("#")]
    assert [line[9] for line in lines] == ["SpaceAfter=No", "SpaceAfter=No", "SpaceAfter=No", "_"]


def test_a_spacy_corpus_comes_back(tmp_path):
    convert_conllu(DEV, tmp_path / "dev.spacy", "nl", group=0, tag="xpos")
    counts = export_conllu(tmp_path / "dev.spacy", tmp_path / "dev.conllu", "nl")
    assert (counts.documents, counts.sentences, counts.tokens) == (1, 34, 303)
    assert without_ids((tmp_path / "dev.conllu").read_text(encoding="utf8")) == without_ids(
        DEV.read_text(encoding="utf8")
    )


def test_bad_input(tmp_path):
    with pytest.raises(ValueError, match=r"\[M705\].* spacy mtl convert makes one"):
        export_conllu(DEV, tmp_path / "out.conllu", "nl")
    with pytest.raises(ValueError, match=r"\[M515\]"):
        export_conllu(DEV, tmp_path / "out.conllu", "qq")
    assert not (tmp_path / "out.conllu").exists()


def misc(doc):
    lines = [line.split("\t") for text in doc_to_conllu(doc) for line in text.splitlines() if not line.startswith("#")]
    return {line[0]: line[9] for line in lines}


def test_entities_are_in_misc(vocab):
    words = ["New", "York", "(", "Ana", ")"]
    doc = Doc(vocab, words=words, spaces=[1, 1, 0, 0, 0], ents=["B-LOC", "I-LOC", "O", "B-a | b", "O"])
    assert list(misc(doc).values()) == ["NER=B-LOC", "NER=I-LOC", "SpaceAfter=No", r"NER=B-a \p b|SpaceAfter=No", "_"]
    assert list(misc(Doc(vocab, words=words)).values()) == ["_"] * 5


def test_entities_of_the_file_are_replaced_where_there_are_others(vocab, tmp_path):
    path = tmp_path / "in.conllu"
    told = ["A=1|NER=B-OLD|Z=2", "ner=S-PER", "Z=1|_x", "_", "NER=O"]
    lines = [f"{i + 1}\tw{i}\t_\t_\t_\t_\t_\t_\t_\t{each}\n" for i, each in enumerate(told)]
    path.write_text("".join([*lines[:3], "4-5\tal\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No\n", *lines[3:], "\n"]))
    (doc,) = (reference for _, reference, _ in ConlluCorpus(path, keep=True).docs(vocab))
    assert list(misc(doc).values()) == [*told[:3], "SpaceAfter=No", *told[3:]]
    doc.ents = [Span(doc, 2, 4, "LOC")]
    assert list(misc(doc).values()) == ["A=1|Z=2", "_", "NER=B-LOC|Z=1|_x", "SpaceAfter=No", "NER=I-LOC", "_"]
