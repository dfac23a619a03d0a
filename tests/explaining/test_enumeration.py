"""The best analysis without a decision, against all analyses of short sentences."""

from itertools import pairwise, product

import numpy as np
import pytest
import spacy
from spacy.tokens import Doc

from spacy_mtl.components.biased.entities import tag_bias
from spacy_mtl.components.entity_tags import PREFIXES, decode_tags, tag_labels, tag_segments
from spacy_mtl.explaining.grammar import Sentence as Bracketed
from spacy_mtl.explaining.tree import Sentence as Parsed
from spacy_mtl.structures.enumeration.derivations import every_derivation

from ..components import parsing, segmenting
from ..pipelines import make_nlp, patterns
from .enumerated import all_trees
from .test_sums import CASES, PERCEPTRON, examples_of

WORDS = ["El", "presidente", "de", "Osasuna", "Pedro", "Madrid"]


def spans_of(labels, scheme, kinds) -> set[tuple[int, int, int]]:
    """The entities of one sentence of tags, read by :func:`.decode_tags`."""
    labels = np.array(labels)
    iob, types = decode_tags(labels, np.array([0, labels.size]), kinds, scheme)
    starts = [t for t in range(labels.size) if iob[t] == 3]
    ends = [next((t for t in range(a + 1, labels.size) if iob[t] != 1), labels.size) for a in starts]
    return {(a, b, int(types[a])) for a, b in zip(starts, ends, strict=True)}


@pytest.mark.parametrize("scheme", list(PREFIXES))
def test_spans_of_tags_are_those_that_are_written(scheme):
    """Of all tag sequences of four tokens, allowed or not."""
    labels = tag_labels(("LOC", "PER"), scheme)
    segments = tag_segments(labels, scheme)
    for tags in product(range(len(labels)), repeat=4):
        found = {(a, b, kind + 1) for a, b, kind in segments.spans(np.array(tags))}
        assert found == spans_of(tags, scheme, [1, 2])


@pytest.mark.parametrize("scheme", list(PREFIXES))
def test_steps_of_a_span_allow_the_sequences_that_have_it(scheme):
    labels = tag_labels(("LOC", "PER"), scheme)
    segments = tag_segments(labels, scheme)
    for span in [(0, 1, 0), (0, 2, 1), (1, 3, 0), (2, 3, 1), (0, 3, 1)]:
        steps = segments.steps(*span, 3)
        for tags in product(range(len(labels)), repeat=3):
            held = True
            for t, allowed in enumerate(steps, span[0]):
                held &= bool(allowed[tags[t - 1], tags[t]] if t else allowed[:, tags[0]].any())
            assert held == (span in segments.spans(np.array(tags)))


@pytest.fixture(scope="module", params=["biluo", "iob2", "any"])
def recognizer(request, train, read_corpus):
    settings = {"valid_only": False} if request.param == "any" else {"scheme": request.param}
    nlp = make_nlp(trainer=PERCEPTRON, **settings)
    return train(nlp, read_corpus(nlp, limit=40)).get_pipe("mtl_ner")


def chain_score(nodes, pairs, labels) -> float:
    step = sum(float(pairs[t if len(pairs) > 1 else 0, x, y]) for t, (x, y) in enumerate(pairwise(labels), 1))
    return sum(float(nodes[t, y]) for t, y in enumerate(labels)) + step


@pytest.mark.parametrize("bias", [0.0, 0.8])
def test_entities_of_short_sentences(recognizer, bias, monkeypatch):
    """The runner-up of an entity is the best tag sequence in which that entity is not."""
    rng, seen = np.random.default_rng(0), 0
    monkeypatch.setitem(recognizer.cfg, "bias", bias)
    added = tag_bias(recognizer.chain_labels, bias)
    limit = 4 if len(recognizer.chain_labels) < 10 else 3
    kinds = list(range(1, len(recognizer.labels) + 1))
    sequences = {
        n: [
            (tags, spans_of(tags, recognizer.cfg["scheme"], kinds))
            for tags in product(range(len(recognizer.chain_labels)), repeat=n)
        ]
        for n in range(1, limit + 1)
    }
    for _ in range(60):
        words = rng.choice(WORDS, int(rng.integers(1, limit + 1))).tolist()
        doc = Doc(recognizer.vocab, words=words, tags=["NC"] * len(words))
        predictor = recognizer.predictor(doc.vocab)
        nodes, pairs = predictor.part_scores(*predictor.read([doc]))
        every = [(chain_score(nodes + added, pairs, tags), spans) for tags, spans in sequences[len(words)]]
        best = max(every, key=lambda each: each[0])
        for decision in recognizer.explain(doc).decisions:
            span = decision.start, decision.end, recognizer.labels.index(decision.winner) + 1
            assert span in best[1]
            others = max(score for score, spans in every if span not in spans)
            assert decision.difference == pytest.approx(best[0] - others, abs=1e-4)
            assert decision.total == pytest.approx(decision.difference, abs=1e-4)
            seen += 1
    assert seen > 10


def test_borders_of_short_texts():
    """Node decisions: the best tag sequence with a border where there is none, or none where there is one."""
    segmenter = segmenting.segmenter_of(segmenting.train(segmenting.make(segmenting.PATTERNS), passes=3))
    begins, seen = np.array([tag in "BS" for tag in segmenter.labels]), 0
    for text in ("北京大学", "我在上海", "中文老师", "学习。"):
        doc = segmenter.doc(text)
        positions = segmenter.positions([doc])
        nodes, pairs = segmenter.predictor(doc.vocab).part_scores(
            positions.given, positions.starts, positions.doc_starts, positions.forbidden
        )
        every = [(chain_score(nodes, pairs, tags), tags) for tags in product(range(4), repeat=len(text))]
        best, tags = max(every)
        for decision in segmenter.explain(doc).decisions:
            at = decision.start
            others = max(score for score, each in every if begins[each[at]] != begins[tags[at]])
            assert decision.winner == ("border" if begins[tags[at]] else "no border")
            if decision.runner_up is None:
                assert others < -1e8
            else:
                assert decision.difference == pytest.approx(best - others, rel=1e-5, abs=1e-4)
                seen += 1
    assert seen > 5


TREES = [name for name in CASES if name.startswith("parser") and name != "parser-both-crossing"]


@pytest.mark.parametrize("name", TREES)
def test_arcs_and_labels_of_short_sentences(name, train):
    """The runner-up of an arc is the best tree without it; that of a label, found jointly, the best labelled tree without it."""
    component, texts, settings = CASES[name]
    nlp = spacy.blank("en")
    nlp.add_pipe(component, config={"model": {"templates": patterns(texts)}, "trainer": PERCEPTRON, **settings})
    parser = train(nlp, examples_of(component, nlp, None), passes=2).get_pipe(component)
    seen = 0
    for sentence in parsing.treebank(40, seed=5, crossing=0.3):
        if len(sentence.words) > (4 if settings.get("labelling") == "joint" else 5):
            continue
        doc = parsing.bare_doc(nlp, [sentence])
        predictor = parser.predictor(doc.vocab)
        own = Parsed(predictor, doc, predictor.reader.read([doc], np.array([0, len(doc)])), 0, len(doc))
        trees = all_trees(own, parser.rules)
        for decision in parser.explain(doc).decisions:
            if (decision.kind == "label" and not own.joint) or decision.runner_up is None:
                continue
            best, m = int(trees.scores.argmax()), decision.start
            other = trees.heads[:, m] != trees.heads[best, m]
            if decision.kind == "label":
                other |= trees.labels[:, m] != trees.labels[best, m]
            assert decision.difference == pytest.approx(trees.scores[best] - trees.scores[other].max(), abs=1e-4)
            seen += 1
    assert seen > 10


def test_analyses_of_short_sentences(train):
    """The runner-up of an analysis is the next best one; the score of one is the sum over the factors of the best sequence that has its value."""
    component, texts, settings = CASES["morphologizer"]
    nlp = spacy.blank("nl")
    nlp.add_pipe(component, config={"model": {"templates": patterns(texts)}, "trainer": PERCEPTRON, **settings})
    shown = examples_of(component, nlp, None)[:15]
    pipe, seen = train(nlp, shown, passes=2).get_pipe(component), 0
    for example in shown:
        doc = example.predicted[:2].as_doc()
        predictor = pipe.predictor(doc.vocab)
        nodes, pairs = predictor.part_scores(*predictor.read([doc]))
        table = predictor.constraints.table
        for t, decision in enumerate(pipe.explain(doc).decisions):
            scores = np.zeros(len(table))
            for column in table.T:
                labels = range(column.min(), column.max() + 1)
                sequences = {tags: chain_score(nodes, pairs, tags) for tags in product(labels, repeat=len(doc))}
                best = {y: max(score for tags, score in sequences.items() if tags[t] == y) for y in labels}
                scores += [best[y] for y in column.tolist()]
            order = np.argsort(-scores)
            assert decision.winner == pipe.labels[order[0]]
            assert decision.difference == pytest.approx(scores[order[0]] - scores[order[1]], abs=1e-4)
            assert decision.total == pytest.approx(decision.difference, abs=1e-4)
            seen += decision.difference > 0
    assert seen > 5


@pytest.mark.parametrize("vertical", [1, 2])
def test_constituents_of_short_sentences(train, vertical):
    """The runner-up of a constituent is the best derivation in which it is not, whatever the grammar calls it."""
    component, texts, settings = CASES["constituents"]
    settings = {**settings, "vertical": vertical}
    nlp = spacy.blank("en")
    nlp.add_pipe(component, config={"model": {"templates": patterns(texts)}, "trainer": PERCEPTRON, **settings})
    shown = examples_of(component, nlp, None)
    pipe, seen = train(nlp, shown, passes=2).get_pipe(component), 0
    for sentence, own in with_few_derivations(pipe, shown):
        every = [(own.score(output), output) for output in next(every_derivation(own.forest))]
        best = max(score for score, _ in every)
        for decision in pipe.explain(sentence).decisions:
            others = [score for score, output in every if not has_constituent(own, output, decision)]
            assert (decision.runner_up is None) == (not others)
            if others:
                assert decision.difference == pytest.approx(best - max(others), abs=1e-4)
                seen += 1
    assert seen > (5 if vertical == 1 else 2)


def with_few_derivations(pipe, examples):
    """Beginnings of sentences whose derivations can be enumerated, each with its forest."""
    for sentence in (sent[:k].as_doc() for example in examples for sent in example.predicted.sents for k in (4, 6, 9)):
        predictor = pipe.predictor(sentence)
        columns = predictor.reader.read([sentence], np.array([0, len(sentence)]))
        own = Bracketed(predictor, sentence, columns, 0, len(sentence))
        if own.forest.symbol.size and own.forest.left.size <= 300:
            yield sentence, own


def has_constituent(own, output, decision) -> bool:
    items = [output[0], *own.forest.left[output[1:]], *own.forest.right[output[1:]]]
    told = {(*own.span(item), " ".join(own.labels(item))) for item in items}
    return (decision.start, decision.end, decision.winner) in told
