"""Corpora that are named in place of those of a config."""

import pytest
from spacy.tokens import DocBin

from spacy_mtl.choosing.corpora import check_gold, read_block

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


def test_a_corpus_with_entities_is_refused_for_the_tags_that_it_lacks():
    nlp = make_nlp()
    examples = read_corpus(nlp, "dev", limit=5)
    for each in examples:
        for token in each.reference:
            token.tag = 0
    check_gold(nlp.get_pipe("mtl_ner"), examples, "dev")
    with pytest.raises(ValueError, match=r"\[M772\] The dev corpus .*gold annotation for 'mtl_tagger'"):
        check_gold(nlp.add_pipe("mtl_tagger"), examples, "dev")
