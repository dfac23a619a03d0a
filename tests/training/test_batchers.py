from spacy.util import registry
from thinc.api import Config

from spacy_mtl.training import batchers


def test_one_batch_of_everything():
    assert list(batchers.whole_corpus(iter("abc"))) == [["a", "b", "c"]]


def test_nothing_gives_no_batch():
    assert list(batchers.whole_corpus([])) == []


def test_from_a_config():
    config = Config().from_str('[b]\n@batchers = "spacy_mtl.whole_corpus.v1"\n')
    assert registry.resolve(config)["b"] is batchers.whole_corpus
