"""Taggers, segmenters and parsers learn on: next to nothing new leaves the model as it was, and new labels can be learnt."""

from dataclasses import replace

import numpy as np
import pytest
import spacy
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab

from spacy_mtl.corpora.conllu import ConlluCorpus
from spacy_mtl.corpora.segmented import SegmentedCorpus
from spacy_mtl.models.chain.model import current_weights
from spacy_mtl.stand_in import stand_in

from ..pipelines import ASSETS
from . import parsing

TRAINER = {"@mtl_trainers": "spacy_mtl.MTLStruct.v1", "p": 1.3333, "C": 1.0}


def patterns(*texts):
    return {"@mtl_templates": "spacy_mtl.patterns.v1", "patterns": list(texts)}


def tagger():
    nlp = spacy.blank("es")
    templates = patterns(
        "U0:%x[0,LOWER]", "U1:%x[-1,LOWER]/%x[0,SUFFIX2]", "U2:%x[0,USUAL_TAG]", "B0", "B1:%x[0,SUFFIX2]"
    )
    nlp.add_pipe("mtl_tagger", config={"model": {"templates": templates}, "trainer": TRAINER, "known_words": 3})
    words, tags = ["el", "perro", "come", "y", "la", "gata", "duerme"], ["D", "N", "V", "C", "D", "N", "V"]
    return nlp, [
        Example(Doc(nlp.vocab, words=words[a:b]), Doc(nlp.vocab, words=words[a:b], tags=tags[a:b]))
        for a in range(4)
        for b in (5, 6, 7)
    ]


def segmenter():
    nlp = spacy.blank("zh")
    templates = patterns("U0:%x[0,CHAR]", "U1:%x[-1,CHAR]/%x[0,CHAR]", "U2:%x[0,WORD_BEGIN]", "B0")
    nlp.add_pipe("mtl_segmenter", config={"model": {"templates": templates}, "trainer": TRAINER})
    return nlp, list(SegmentedCorpus(ASSETS.parent / "zh-words" / "train.txt", limit=12)(nlp))


def parser():
    nlp = spacy.blank("nl")
    templates = patterns(
        "U0:%h[0,TAG]/%m[0,TAG]/%d", "U1:%h[0,LOWER]/%m[0,LOWER]", "U2:%m[0,TAG]/%s[0,TAG]", "B0:%h[0,TAG]/%m[0,TAG]"
    )
    nlp.add_pipe("mtl_parser", config={"model": {"templates": templates}, "trainer": TRAINER, "projective": True})
    return nlp, list(ConlluCorpus(ASSETS.parent / "nl-trees" / "train.conllu", limit=12)(nlp))


def state(nlp, examples):
    """What the component predicts."""
    pipe = nlp.components[-1][1]
    docs = list(pipe.pipe([each.predicted.copy() for each in examples]))
    return [[(t.text, t.tag_ if pipe.name == "mtl_tagger" else "", t.head.i, t.dep_) for t in doc] for doc in docs]


MADE = {"mtl_tagger": tagger, "mtl_segmenter": segmenter, "mtl_parser": parser}


@pytest.fixture(scope="module", params=MADE)
def trained(request):
    nlp, examples = MADE[request.param]()
    half = examples[: len(examples) // 2]
    nlp.initialize(lambda: half)
    for _ in range(6):
        nlp.update(half)
    return request.param, nlp.to_bytes(), state(nlp, examples)


def again(name, data):
    nlp, examples = MADE[name]()
    return nlp.from_bytes(data), examples


def test_next_to_nothing_new_leaves_the_model_as_it_was(trained):
    name, data, before = trained
    nlp, examples = again(name, data)
    pipe = nlp.get_pipe(name)
    pipe.trainer = replace(pipe.trainer, C=1e-7)
    half = examples[: len(examples) // 2]  # others have labels of their own
    for _ in range(2):
        nlp.update(half)
    assert pipe.report.passes
    assert state(nlp, half) == before[: len(half)]


def test_it_learns_from_new_documents(trained):
    name, data, before = trained
    nlp, examples = again(name, data)
    gold = [
        [(t.text, t.tag_ if name == "mtl_tagger" else "", t.head.i, t.dep_) for t in each.reference]
        for each in examples
    ]
    nlp.resume_training()
    for _ in range(8):
        nlp.update(examples)

    def right(found):
        return sum(a == b for one, other in zip(found, gold, strict=True) for a, b in zip(one, other, strict=False))

    assert right(state(nlp, examples)) >= right(before)
    assert nlp.get_pipe(name).report.dual > 0 or nlp.get_pipe(name).report.primal == 0
    other, _ = again(name, nlp.to_bytes())
    assert state(other, examples) == state(nlp, examples)


@pytest.mark.parametrize("trained", ["mtl_tagger", "mtl_parser"], indirect=True)
def test_a_tagger_and_a_parser_learn_new_labels(trained):
    name, data, before = trained
    nlp, examples = again(name, data)
    pipe = nlp.get_pipe(name)
    pipe.add_label("new")
    assert state(nlp, examples) == before
    assert current_weights(pipe.model).labels[-1] == "new"
    documents = []
    for each in examples[:4]:
        reference = each.reference.copy()
        for token in reference:
            if name == "mtl_tagger" and token.lower_ == "perro":
                token.tag_ = "other"
            elif name == "mtl_parser" and token.dep_ == "det":
                token.dep_ = "other"
        documents.append(Example(each.predicted, reference))
    for _ in range(8):
        nlp.update(documents)
    assert "other" in pipe.labels
    found = state(nlp, documents)
    assert any("other" in line for doc in found for line in doc)
    assert np.isfinite(pipe.report.primal)


def unannotated(examples):
    docs = [each.predicted for each in examples]
    return [Example(doc, Doc(doc.vocab, words=[token.text for token in doc])) for doc in docs]


@pytest.mark.parametrize("trained", ["mtl_tagger", "mtl_parser"], indirect=True)
def test_documents_without_annotation_leave_the_model_as_it_was(trained):
    """As those with entities alone do, which are shown to a pipeline that has a tagger; once annotated ones come, these are learnt from."""
    name, data, before = trained
    nlp, examples = again(name, data)
    half = examples[: len(examples) // 2]
    for batch in (unannotated(half[:2]), unannotated(half[:3]), [Example(Doc(nlp.vocab), Doc(nlp.vocab))]):
        assert nlp.update(batch) == {name: 0.0}
        assert state(nlp, examples) == before
    for _ in range(3):
        nlp.update(half)
    assert nlp.get_pipe(name).report.passes


@pytest.mark.parametrize("trained", ["mtl_tagger"], indirect=True)
def test_a_corpus_without_annotation_leaves_the_model_as_it_was(trained):
    name, data, before = trained
    nlp, examples = again(name, data)
    corpus = unannotated(examples)
    for _ in range(2):
        assert nlp.update([stand_in(corpus, passes=3)]) == {name: 0.0}
    assert state(nlp, examples) == before


@pytest.mark.parametrize("labelling", ["second_pass", "joint"])
def test_a_parser_keeps_its_labels_where_new_sentences_have_none_often_enough(labelling):
    """A new observation of labels needs two occurrences, as with ``spacy_mtl.parse.v1``; a sentence of two words has none."""
    nlp = parsing.make_parser(labelling=labelling)
    nlp.config["components"]["mtl_parser"]["model"]["templates"]["label_min_count"] = 2
    nlp = type(nlp).from_config(nlp.config)
    shown = parsing.examples(nlp, parsing.treebank(20))
    parsing.train(nlp, shown)
    before = parsing.trees_of(parsing.parse(nlp, shown))
    parser = nlp.get_pipe("mtl_parser")
    templates = {row["name"] for row in parser.template_weights()}
    parser.learn_on()
    new = parsing.Sentence(["cat", "sees"], ["NOUN", "VERB"], [2, 0], ["nsubj", "ROOT"])
    nlp.update(parsing.examples(nlp, [new]))
    assert parsing.trees_of(parsing.parse(nlp, shown)) == before
    assert {row["name"] for row in parser.template_weights()} == templates
    parser.learn_on()  # not refused (M471): it has all templates


def test_documents_of_another_vocabulary_are_refused_before_their_labels_are_read(tmp_path):
    nlp, examples = tagger()
    nlp.initialize(lambda: examples)
    nlp.update(examples)
    pipe, words = nlp.get_pipe("mtl_tagger"), ["perro"]
    pipe.to_disk(tmp_path)
    vocab = Vocab()
    others = [Example(Doc(vocab, words), Doc(vocab, words, tags=["of no other vocabulary"]))]
    pipe.learn_on()
    nlp.update(examples)
    with pytest.raises(ValueError, match=r"^\[M410\]"):
        nlp.update(others)
    with pytest.raises(ValueError, match=r"^\[M410\]"):
        tagger()[0].get_pipe("mtl_tagger").initialize(lambda: others, prior=tmp_path)
