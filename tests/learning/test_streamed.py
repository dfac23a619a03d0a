"""Corpora that are read anew each time."""

from weakref import WeakSet

import pytest
import spacy
from spacy.tokens import Doc

from spacy_mtl.components.protocol import base
from spacy_mtl.corpora.conll import ConllCorpus
from spacy_mtl.corpora.conllu import ConlluCorpus
from spacy_mtl.corpora.segmented import SegmentedCorpus
from spacy_mtl.learning.streamed import Stream, made_of, to_go_through

#: Of each component that can be trained in shards: a language, and its corpus in assets/.
CORPORA = {
    "mtl_ner": ("es", ConllCorpus("assets/es-entities/train.conll", limit=60)),
    "mtl_tagger": ("nl", ConlluCorpus("assets/nl-trees/train.conllu", limit=40)),
    "mtl_morphologizer": ("nl", ConlluCorpus("assets/nl-trees/train.conllu", limit=40)),
    "mtl_parser": ("nl", ConlluCorpus("assets/nl-trees/train.conllu", limit=40, given=["TAG"])),
    "mtl_senter": ("nl", ConlluCorpus("assets/nl-trees/train.conllu", limit=40, group=4)),
    "mtl_segmenter": ("zh", SegmentedCorpus("assets/zh-words/train.txt", limit=40)),
}


def test_a_stream_is_read_each_time():
    readings = []

    def read():
        readings.append(1)
        return iter("abc")

    stream = Stream(read)
    assert [each for each in stream] == [each for each in stream] == ["a", "b", "c"]  # noqa: C416  a list would ask for the size first
    assert len(stream) == len(stream) == 3  # as they were counted
    assert len(readings) == 2
    assert list(stream) == ["a", "b", "c"]
    assert len(readings) == 3
    assert next(iter(Stream(read))) == "a"
    assert len(Stream(read)) == 3
    assert stream
    assert not Stream(list)
    assert to_go_through(stream) is stream
    assert to_go_through(iter("ab")) == ["a", "b"]
    assert made_of(str.upper, ["a"]) == ["A"]
    assert list(made_of(str.upper, stream)) == ["A", "B", "C"]
    assert isinstance(made_of(str.upper, stream), Stream)


@pytest.mark.parametrize("name", CORPORA)
def test_a_component_learns_the_same_from_a_stream(name, monkeypatch):
    monkeypatch.setattr(base, "FIRST", 2)  # as many are looked at together
    lang, corpus = CORPORA[name]
    found, alive, most = [], WeakSet[Doc](), [0]
    for streamed in (False, True):
        nlp = spacy.blank(lang)
        pipe = nlp.add_pipe(name)

        def read(nlp=nlp, alive=alive, most=most):
            for example in corpus(nlp):
                alive.add(example.reference)
                most.append(len(alive))
                yield example

        examples = Stream(read) if streamed else list(corpus(nlp))
        nlp.initialize(lambda examples=examples: examples)
        found.append((pipe.labels, pipe.cfg, pipe.model.attrs["learned"], dict(pipe._gathered.expected)))
    assert found[0] == found[1]
    assert 0 < max(most) < 8  # documents that were read are not kept
