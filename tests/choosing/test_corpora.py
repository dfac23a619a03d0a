"""Corpora that are named in place of those of a config."""

from spacy.tokens import DocBin

from spacy_mtl.choosing.corpora import read_block

from ..pipelines import make_nlp, read_corpus


def test_a_binary_corpus_is_read_where_the_config_reads_text(tmp_path):
    nlp = make_nlp()
    examples = read_corpus(nlp, "dev", limit=5)
    path = tmp_path / "dev.spacy"
    DocBin(docs=[example.reference for example in examples], store_user_data=True).to_disk(path)
    found = read_block(nlp, {"@readers": "spacy_mtl.ConllCorpus.v1", "path": str(path), "given": ["ENT", "none"]})
    assert [example.reference.text for example in found] == [example.reference.text for example in examples]
    assert [ent.label_ for each in found for ent in each.predicted.ents] == [
        ent.label_ for each in examples for ent in each.reference.ents
    ]
    hidden = read_block(nlp, {"@readers": "spacy_mtl.ConllCorpus.v1", "path": str(path), "given": []})
    assert not any(example.predicted.ents for example in hidden)
