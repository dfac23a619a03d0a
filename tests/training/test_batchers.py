import pytest
from spacy.util import registry
from thinc.api import Config

from spacy_mtl.training import batchers


def test_one_batch_of_everything():
    assert list(batchers.WholeCorpus()(iter("abc"))) == [["a", "b", "c"]]


def test_nothing_gives_no_batch():
    assert list(batchers.WholeCorpus([3])([])) == []


def test_outside_of_a_training_each_pass_is_a_batch():
    batches = batchers.WholeCorpus([3, 1])
    assert [len(list(batches("ab"))) for _ in range(4)] == [3, 1, 1, 1]


def test_from_a_config():
    config = Config().from_str('[b]\n@batchers = "spacy_mtl.whole_corpus.v1"\n')
    assert registry.resolve(config)["b"].passes == (1,)
    config["b"]["passes"] = [5, 2]
    assert registry.resolve(config)["b"].passes == (5, 2)


@pytest.mark.parametrize("passes", [[], [0], [2, -1], [20_000], [True]])
def test_passes_that_cannot_be(passes):
    with pytest.raises(
        ValueError, match=r"\[M590\] The setting 'passes' of spacy_mtl.whole_corpus.v1 must be a list of"
    ):
        batchers.create_whole_corpus(passes)
