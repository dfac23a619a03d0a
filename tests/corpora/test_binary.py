import zlib

import pytest
import spacy
import srsly
from spacy.tokens import Doc, DocBin

from spacy_mtl.corpora.binary import load_docs, read_binary
from spacy_mtl.corpora.conll import ConllCorpus
from spacy_mtl.corpora.convert import convert_columns

TEXT = "Ana NP B-PER\nríe V O\n. F O\n\nLuz NP B-PER\nPaz NP I-PER\n"
ATTRIBUTES = ["ORTH", "SPACY", "TAG", "ENT_IOB", "ENT_TYPE", "SENT_START"]


@pytest.fixture
def vocab():
    return spacy.blank("es").vocab


@pytest.mark.parametrize("group", [1, 2])
@pytest.mark.parametrize("given", [[], ["TAG"], ["TAG", "ENT"]])
def test_a_converted_corpus_reads_as_its_source(tmp_path, vocab, group, given):
    source, target = tmp_path / "in.txt", tmp_path / "out.spacy"
    source.write_text(TEXT, encoding="utf8")
    convert_columns(source, target, "es", group=group, given=given)
    for mine, (predicted, reference, _) in zip(
        read_binary(target, vocab), ConllCorpus(source, group=group, given=given).docs(vocab), strict=True
    ):
        assert mine.reference.to_array(ATTRIBUTES).tolist() == reference.to_array(ATTRIBUTES).tolist()
        assert mine.predicted.to_array(ATTRIBUTES).tolist() == predicted.to_array(ATTRIBUTES).tolist()


def save(path, doc):
    path.write_bytes(DocBin(attrs=["ORTH", "TAG", "POS", "LEMMA"], docs=[doc]).to_bytes())
    return path


def test_given_columns_can_be_chosen(tmp_path, vocab):
    doc = Doc(
        vocab, words=["Ana", "ríe"], spaces=[True, False], tags=["NP", "V"], pos=["PROPN", "VERB"], lemmas=["a", "r"]
    )
    path = save(tmp_path / "plain.spacy", doc)
    (plain,) = read_binary(path, vocab)
    assert [token.tag_ for token in plain.predicted] == ["NP", "V"]
    assert not plain.predicted.has_annotation("POS")
    (chosen,) = read_binary(path, vocab, ["POS", "LEMMA"])
    assert [(t.tag_, t.pos_, t.lemma_) for t in chosen.predicted] == [("", "PROPN", "a"), ("", "VERB", "r")]


def test_docs_of_no_or_one_token(tmp_path, vocab):
    for words in ([], ["Ana"]):
        path = save(tmp_path / "short.spacy", Doc(vocab, words=words))
        (example,) = read_binary(path, vocab)
        assert [token.text for token in example.predicted] == words


def test_bad_input(tmp_path, vocab):
    with pytest.raises(ValueError, match="M501"):
        list(read_binary(tmp_path / "nowhere.spacy", vocab))
    path = save(tmp_path / "whole.spacy", Doc(vocab, words=["Ana"]))
    path.write_bytes(path.read_bytes()[:-5])
    with pytest.raises(ValueError, match="M705"):
        list(read_binary(path, vocab))
    with pytest.raises(ValueError, match="M714"):
        list(read_binary(path, vocab, ["SHAPE"]))


@pytest.mark.parametrize("change", [{"flags": []}, {"user_data": [b"\xc1"]}, {"strings": ["Ana", "NP"]}])
def test_a_document_that_is_damaged(tmp_path, vocab, change):
    """The file itself can be read, but not what is in it; strings would be missed only where they are looked up."""
    path = save(tmp_path / "plain.spacy", Doc(vocab, words=["Ana"], tags=["NP"], lemmas=["some lemma"]))
    message = srsly.msgpack_loads(
        zlib.decompress(DocBin(docs=list(load_docs(path).get_docs(vocab)), store_user_data=True).to_bytes())
    )
    path.write_bytes(zlib.compress(srsly.msgpack_dumps({**message, **change})))
    with pytest.raises(ValueError, match="M705"):
        list(read_binary(path, spacy.blank("es").vocab))
