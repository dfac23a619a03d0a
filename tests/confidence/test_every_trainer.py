"""Every component with every trainer, on the corpora that come with the package: probabilities, the k best analyses, and explanations."""

import math
from itertools import product

import numpy as np
import pytest
from spacy.tokens import Doc

from benchmarks.insight import small

from .test_enumeration import chain_score, shares

#: Of a training.
SENTENCES, PASSES = 20, 2
#: The components whose labels of arcs, or derivations of a tree, count for themselves.
TREES = ("mtl_parser", "mtl_constituents")
#: The components whose decisions are single labels of a chain, or spans of them; test_enumeration has all structures.
CHAINS = ("mtl_ner", "mtl_tagger", "mtl_senter", "mtl_lemmatizer", "mtl_segmenter")
#: One trainer of each component.
ONE_EACH = set({component: (component, trainer) for component, trainer in small.cases()}.values())
#: Some components make no mistake here.
pytestmark = pytest.mark.filterwarnings(r"ignore:\[M488\]")


@pytest.fixture(scope="module", params=small.cases(), ids="-".join)
def learnt(request):
    """The names of a component and of a trainer, a calibrated pipeline, and documents."""
    component, trainer = request.param
    nlp = small.blank(component, trainer)
    shown = small.read(component, nlp)[:SENTENCES]
    nlp.initialize(lambda: shown)
    for _ in range(PASSES * small.SLOW.get(trainer, 1)):
        nlp.update(shown)
    nlp.get_pipe(component).calibrate(shown)
    return component, trainer, nlp, [example.predicted for example in shown[:6]]


def test_the_k_best_analyses_have_the_probabilities_that_are_told(learnt):
    component, _, nlp, docs = learnt
    pipe = nlp.get_pipe(component)
    for doc in docs:
        told, ranked = pipe.probabilities(doc), pipe.kbest(doc, 3)
        assert ((told.tokens >= 0) & (told.tokens <= 1 + 1e-5)).all()
        assert told.log_probability <= 0
        for each in ranked:
            assert [one.score for one in each] == sorted((one.score for one in each), reverse=True)
            assert math.fsum(math.exp(one.log_probability) for one in each) <= 1 + 1e-4
        if component not in TREES:
            best = math.fsum(each[0].log_probability for each in ranked)
            assert best == pytest.approx(told.log_probability, abs=1e-3)


def test_they_survive_bytes_and_processes(learnt):
    """Processes, which take long to be made, with one trainer of each component."""
    component, trainer, nlp, docs = learnt
    pipe = nlp.get_pipe(component)
    again = small.blank(component, trainer).from_bytes(nlp.to_bytes())
    loaded = again.get_pipe(component)
    pipe.confidence = True
    try:
        here = list(nlp.pipe([doc.copy() for doc in docs[:4]]))
        copies = [doc.copy() for doc in docs[:4]]
        there = list(nlp.pipe(copies, n_process=2, batch_size=2)) if (component, trainer) in ONE_EACH else here
    finally:
        pipe.confidence = False
    for doc, one, two in zip(docs, here, there, strict=False):
        told = loaded.probabilities(Doc(again.vocab).from_bytes(doc.to_bytes()))
        expected = pytest.approx(told.log_probability, abs=1e-4, rel=1e-4)
        kept = Doc(nlp.vocab).from_bytes(one.to_bytes())
        for each in (one, two, kept):
            assert each._.mtl_log_probability[component] == expected


@pytest.mark.parametrize("learnt", [case for case in small.cases() if case[0] in CHAINS], ids="-".join, indirect=True)
def test_marginals_of_chains_are_those_of_all_sequences(learnt):
    component, _, nlp, docs = learnt
    pipe = nlp.get_pipe(component)
    for doc in docs[:3]:
        short = doc[:2].as_doc()
        considered = pipe.considered([short]).considered
        nodes, pairs, n = considered.nodes, considered.pairs, len(considered.nodes)
        assert considered.starts.tolist() == [0, n]
        every = [(chain_score(nodes, pairs, tags), tags) for tags in product(range(nodes.shape[1]), repeat=n)]
        found = np.zeros(nodes.shape)
        for p, (_, tags) in zip(shares([score for score, _ in every], pipe.temperature), every, strict=True):
            found[range(n), tags] += p
        assert pipe.probabilities(short).marginals == pytest.approx(found, abs=1e-5)


def test_contributions_sum_to_the_difference(learnt):
    component, _, nlp, docs = learnt
    pipe = nlp.get_pipe(component)
    decisions = [each for doc in docs for each in pipe.explain(doc).decisions]
    for each in decisions:
        if each.runner_up is not None:
            assert each.total == pytest.approx(each.difference, abs=1e-4, rel=1e-5)
            assert each.difference > -1e-4
    assert decisions or component == "mtl_ner"
