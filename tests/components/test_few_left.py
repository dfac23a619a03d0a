"""A size limit that leaves next to nothing of a model is told, once in a training."""

import warnings

import pytest
import spacy

from spacy_mtl.corpora.conllu import ConlluCorpus
from spacy_mtl.models.few_left import MANY, FewLeft

from ..pipelines import ASSETS, make_nlp, read_corpus
from .bracketing import make_finder, read
from .parsing import make_parser
from .segmenting import PATTERNS, SENTENCES, example
from .segmenting import make as make_segmenter

TREES = ASSETS.parent / "nl-trees"


def recognizer():
    nlp = make_nlp(["U0:%x[0,LOWER]", "U1:%x[0,SUFFIX2]", "B"])
    return nlp, read_corpus(nlp)


def segmenter():
    nlp = make_segmenter(PATTERNS)
    return nlp, [example(nlp, sentence) for sentence in SENTENCES]


def morphologizer():
    nlp = spacy.blank("nl")
    templates = {"@mtl_templates": "spacy_mtl.patterns.v1", "patterns": ["U0:%x[0,LOWER]", "U1:%x[0,SUFFIX2]", "B"]}
    nlp.add_pipe("mtl_morphologizer", config={"model": {"templates": templates}})
    return nlp, list(ConlluCorpus(TREES / "train.conllu", given=[], limit=30)(nlp))


def parser():
    nlp = make_parser(nlp=spacy.blank("nl"))
    return nlp, list(ConlluCorpus(TREES / "train.conllu", given=["TAG"], limit=30)(nlp))


def finder():
    nlp = make_finder()
    return nlp, read(nlp)


@pytest.mark.parametrize("made", [recognizer, segmenter, morphologizer, parser, finder])
def test_a_training_tells_once_that_next_to_nothing_is_left(made):
    nlp, examples = made()
    nlp.pipeline[0][1].model.attrs["megabytes"] = 1e-6
    nlp.initialize(lambda: examples)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(3):
            nlp.update(examples)
            nlp(examples[0].predicted.copy())  # makes the model of this pass
    told = [str(each.message) for each in caught if "[M433]" in str(each.message)]
    assert len(told) == 1
    assert told[0].startswith("[M433] The limit of 1e-06 megabytes leaves 0 of the ")
    assert "too few to predict well" in told[0]


def test_a_first_pass_in_batches_tells_once_that_next_to_nothing_is_left():
    """Whoever predicts amid it makes a model of what has been seen so far, more than once."""
    nlp, examples = recognizer()
    pipe = nlp.pipeline[0][1]
    pipe.model.attrs["megabytes"] = 1e-6
    for times in (1, 2):  # each training tells it
        nlp.initialize(lambda: examples)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            for k in range(0, len(examples), 2):
                nlp.update(examples[k : k + 2])
                nlp(examples[0].predicted.copy())
            nlp.update(examples[:2])
            nlp(examples[0].predicted.copy())
        assert ["[M433]" in str(each.message) for each in caught].count(True) == 1, times


def test_many_observations_are_no_worthless_model_however_small_their_share():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        FewLeft().check(10.0, MANY, 1000 * MANY)
    with pytest.warns(UserWarning, match="M433"):
        FewLeft().check(10.0, MANY - 1, 1000 * MANY)
