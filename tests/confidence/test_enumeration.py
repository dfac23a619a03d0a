"""Probabilities and the k best analyses of every structure, against all analyses of short sentences."""

import math
from itertools import product

import numpy as np
import pytest
import spacy
from spacy.tokens import Doc

from spacy_mtl.components.protocol.saved import CALIBRATIONS
from spacy_mtl.constituents.binarize import plain
from spacy_mtl.structures.enumeration.derivations import every_derivation

from ..components import parsing, segmenting
from ..explaining.enumerated import all_trees
from ..explaining.test_enumeration import WORDS, Parsed, chain_score, spans_of, with_few_derivations
from ..explaining.test_sums import CASES, PERCEPTRON, examples_of
from ..pipelines import make_nlp, patterns

#: Parsers, with crossing trees where the corpus has many and where the settings do not say otherwise.
PARSERS = {name: (texts, settings) for name, (_, texts, settings) in CASES.items() if name.startswith("parser")}
PARSERS |= {
    f"{name}-projective": (PARSERS[name][0], {**PARSERS[name][1], "projective": True})
    for name in ("parser", "parser-joint", "parser-siblings", "parser-siblings-joint", "parser-grandparents")
}

K = 8  #: trees that are asked for
PARSERS["parser-joint-roots"] = (PARSERS["parser-joint"][0], {**PARSERS["parser-joint"][1], "roots": "several"})


def at_temperature(pipe, temperature, *kinds):
    """The component, as if this were its calibration."""
    pipe.cfg[CALIBRATIONS] = {kind: {"temperature": temperature, "given": [], "mapped": []} for kind in kinds}
    return pipe


def shares(scores, temperature) -> np.ndarray:
    """Probabilities of all analyses, of their scores."""
    scores = np.array(scores)
    weights = np.exp((scores - scores.max()) / temperature)
    return weights / weights.sum()


def share(every, temperature, kept) -> float:
    """The probability of the analyses that are ``kept``, of (score, analysis) pairs."""
    probabilities = shares([score for score, _ in every], temperature)
    return math.fsum(p for p, each in zip(probabilities, every, strict=True) if kept(each[1]))


def check_ranked(ranked, every, k, told, temperature=None):
    """k-best analyses are the best ones, different, with their scores and log probabilities. told: an analysis as :class:`.Ranked` tells it."""
    allowed = sorted((each for each in every if each[0] > -1e8), key=lambda each: -each[0])
    assert len(ranked) == min(k, len(allowed))
    assert len({each.analysis for each in ranked}) == len(ranked)
    by_analysis = {told(each[1]): each[0] for each in allowed}
    log_z = math.log(math.fsum(math.exp((s - allowed[0][0]) / (temperature or 1)) for s, *_ in allowed))
    for one, best in zip(ranked, allowed, strict=False):
        assert one.score == pytest.approx(best[0], abs=1e-4)
        assert by_analysis[one.analysis] == pytest.approx(one.score, abs=1e-4)
        if temperature:
            assert one.log_probability == pytest.approx((one.score - allowed[0][0]) / temperature - log_z, abs=1e-4)


@pytest.fixture(scope="module", params=["biluo", "iob2", "any"])
def recognizer(request, train, read_corpus):
    settings = {"valid_only": False} if request.param == "any" else {"scheme": request.param}
    nlp = make_nlp(trainer=PERCEPTRON, **settings)
    return train(nlp, read_corpus(nlp, limit=40)).get_pipe("mtl_ner")


@pytest.mark.parametrize("temperature", [5.0, 0.02])
def test_tags_and_entities(recognizer, temperature):
    """At the lower temperature sums need logs, since products of plain numbers would be 0."""
    rng, seen = np.random.default_rng(0), 0
    pipe = at_temperature(recognizer, temperature, "entity")
    kinds, labels = list(range(1, len(pipe.labels) + 1)), range(len(pipe.chain_labels))
    scheme: str = pipe.cfg["scheme"]
    spans = {tags: spans_of(tags, scheme, kinds) for n in (1, 2, 3) for tags in product(labels, repeat=n)}
    for _ in range(20):
        words = rng.choice(WORDS, int(rng.integers(1, 4))).tolist()
        doc = Doc(pipe.vocab, words=words, tags=["NC"] * len(words))
        predictor = pipe.predictor(doc.vocab)
        nodes, pairs = predictor.part_scores(*predictor.read([doc]))
        every = [(chain_score(nodes, pairs, tags), tags) for tags in product(labels, repeat=len(words))]
        told, probabilities = pipe.probabilities(doc), shares([score for score, _ in every], temperature)
        found = np.zeros(told.marginals.shape)
        for p, (_, tags) in zip(probabilities, every, strict=True):
            found[range(len(tags)), tags] += p
        assert told.marginals == pytest.approx(found, abs=1e-5)
        predicted = pipe.predict([doc])[0]
        assert told.tokens == pytest.approx(found[range(len(words)), predicted], abs=1e-5)
        assert math.exp(told.log_probability) == pytest.approx(
            share(every, temperature, tuple(predicted).__eq__), abs=1e-5
        )
        own = {(a, b, pipe.labels.index(label) + 1): p for a, b, label, p in told.spans}
        assert own.keys() == spans[tuple(predicted)]
        for span, p in own.items():
            expected = share(every, temperature, lambda tags, span=span: span in spans[tags])
            assert p == pytest.approx(expected, abs=1e-5)
            seen += 1
        check_ranked(
            pipe.kbest(doc, 4)[0], every, 4, lambda tags: tuple(pipe.chain_labels[y] for y in tags), temperature
        )
    assert seen > 5


def test_words_of_a_segmenter():
    pipe = segmenting.segmenter_of(segmenting.train(segmenting.make(segmenting.PATTERNS), passes=3))
    pipe, begins, seen = at_temperature(pipe, 0.7, "word"), [tag in "BS" for tag in pipe.labels], 0
    for text in ("北京大学", "我 在上海", "中文老师", "学习。"):
        doc = pipe.vocab and Doc(
            pipe.vocab, words=list(text.replace(" ", "")), spaces=[c == "我" for c in text.replace(" ", "")]
        )
        considered = pipe.considered([doc]).considered
        every = [
            [
                (chain_score(considered.nodes[a:b], considered.pairs, tags), tags)
                for tags in product(range(4), repeat=b - a)
            ]
            for a, b in zip(considered.starts[:-1], considered.starts[1:], strict=True)
        ]
        places = [k for k, c in enumerate(doc.text) if c != " "]
        for start, end, _, p in pipe.probabilities(doc).spans:
            first, last = places.index(start), places.index(end - 1)
            s = int(np.searchsorted(considered.starts, first, side="right")) - 1
            shift = int(considered.starts[s])

            def has_word(tags, a=first - shift, b=last + 1 - shift):
                ends = b == len(tags) or begins[tags[b]]
                return begins[tags[a]] and ends and not any(begins[y] for y in tags[a + 1 : b])

            assert p == pytest.approx(share(every[s], 0.7, has_word), abs=1e-5)
            seen += 1
    assert seen > 6


def parser_of(name, train):
    component, (texts, settings) = "mtl_parser", PARSERS[name]
    nlp = spacy.blank("en")
    nlp.add_pipe(component, config={"model": {"templates": patterns(texts)}, "trainer": PERCEPTRON, **settings})
    return nlp, train(nlp, examples_of(component, nlp, None), passes=2).get_pipe(component)


@pytest.mark.parametrize("name", PARSERS)
def test_arcs_labels_and_trees(name, train):
    nlp, parser = parser_of(name, train)
    parser, seen, temperature = at_temperature(parser, 3.0, "arc", "label"), 0, 3.0
    second, above = ({obs.place for t in parser.templates.templates for obs in t.observations} & set(c) for c in "sg")
    exact = not (second or above) or (parser.rules.projective and not above)
    assert exact or "projective" not in name or "grandparents" in name
    for sentence in parsing.treebank(60, seed=5, crossing=0.3):
        if len(sentence.words) > (4 if parser.rules.labelling == "joint" else 5):
            continue
        doc = parsing.bare_doc(nlp, [sentence])
        predictor = parser.predictor(doc.vocab)
        own = Parsed(predictor, doc, predictor.reader.read([doc], np.array([0, len(doc)])), 0, len(doc))
        trees = all_trees(own, parser.rules)
        told, (heads, labels) = parser.probabilities(doc), parser.predict([doc])[0]
        for m, head in enumerate(heads.tolist()):
            considered = trees if exact else trees.where((np.delete(trees.heads, m, 1) == np.delete(heads, m)).all(1))
            probabilities = shares(considered.scores, temperature)
            column = np.bincount(considered.heads[:, m], probabilities, len(doc) + 1)
            assert told.marginals[0][:, m + 1] == pytest.approx(column, abs=1e-5)
            assert told.tokens[m] == pytest.approx(column[head], abs=1e-5)
            if own.joint and head:
                both = (considered.heads[:, m] == head) & (considered.labels[:, m] == labels[m])
                assert told.labels[m] == pytest.approx(probabilities[both].sum(), abs=1e-5)
            elif not own.joint and own.labelled:
                scores = (
                    predictor.label_scores(own.columns, own.borders, np.array(heads, np.int32))[m].astype(float)
                    / temperature
                )
                of_label = np.exp(scores - scores.max())
                assert told.labels[m] == pytest.approx(of_label[labels[m]] / of_label.sum() if head else 1, abs=1e-5)
            seen += 1
        if exact:
            same = shares(trees.scores, temperature)[trees.same(heads, labels)].sum()
            assert math.exp(told.log_probability) == pytest.approx(same, abs=1e-5)
        else:
            assert math.isnan(told.log_probability)
        names = list(predictor.weights.labels) if own.joint else None
        check_trees(parser.kbest(doc, K)[0], trees, names, temperature if exact else None)
        for ranked in parser.kbest(doc, K)[0] if predictor.weights.labels else []:
            assert all((label == "ROOT") == (head == 0) for head, label in ranked.analysis)
    assert seen > 7


def test_an_arc_with_its_label_is_no_more_probable_than_the_arc(train):
    nlp, parser = parser_of("parser-joint", train)
    docs = [parsing.bare_doc(nlp, [sentence]) for sentence in parsing.treebank(4, seed=5)]
    at_temperature(parser, 1.0, "arc")
    before = [parser.probabilities(doc) for doc in docs]
    parser.cfg[CALIBRATIONS]["arc"] |= {"given": [0.0, 1.0], "mapped": [0.0, 0.5]}
    for doc, first in zip(docs, before, strict=True):
        told = parser.probabilities(doc)
        assert told.tokens == pytest.approx(first.tokens / 2)
        assert told.labels == pytest.approx(first.labels / 2)


def check_trees(ranked, trees, names, temperature):
    """The k best trees are different and as good as any. Labels of arcs from the root say nothing; those of a second pass are not part of a tree.

    names: of the labels that are part of a tree, or None.
    """
    labels = np.where(trees.heads, trees.labels, -1) if names else np.zeros((len(trees.heads), 0), int)
    both = np.hstack([trees.heads, labels + 1])
    _, place = np.unique(both @ 30 ** np.arange(both.shape[1]), return_inverse=True)
    order = np.full(place.max() + 1, -np.inf)
    np.maximum.at(order, place, trees.scores)
    order = -np.sort(-order)
    assert len(ranked) == min(K, len(order))
    told = [
        (tuple(h for h, _ in each), tuple(names.index(y) if h else -1 for h, y in each) if names else ())
        for each in (one.analysis for one in ranked)
    ]
    assert len(set(told)) == len(told)
    for one, tree, score in zip(ranked, told, order, strict=False):
        same = trees.same(*tree)
        assert one.score == pytest.approx(trees.scores[same].max(), abs=1e-4)
        if temperature:
            assert one.score == pytest.approx(score, abs=1e-4)
            assert math.exp(one.log_probability) == pytest.approx(
                shares(trees.scores, temperature)[same].sum(), abs=1e-4
            )


def test_analyses(train):
    component, texts, settings = CASES["morphologizer"]
    nlp = spacy.blank("nl")
    nlp.add_pipe(component, config={"model": {"templates": patterns(texts)}, "trainer": PERCEPTRON, **settings})
    shown = examples_of(component, nlp, None)[:15]
    pipe = at_temperature(train(nlp, shown, passes=2).get_pipe(component), 2.0, "analysis")
    for example in shown:
        doc = example.predicted[:2].as_doc()
        predictor = pipe.predictor(doc.vocab)
        nodes, pairs = predictor.part_scores(*predictor.read([doc]))
        table, predicted = predictor.constraints.table, pipe.predict([doc])[0]
        told, log = pipe.probabilities(doc), 0.0
        for t, analysis in enumerate(predicted):
            products = np.ones(len(table))
            for column in table.T:
                labels = range(column.min(), column.max() + 1)
                every = [(chain_score(nodes, pairs, tags), tags) for tags in product(labels, repeat=len(doc))]
                sure = {y: share(every, 2.0, lambda tags, y=y, t=t: tags[t] == y) for y in labels}
                products *= [sure[y] for y in column.tolist()]
            assert told.tokens[t] == pytest.approx(products[analysis] / products.sum(), abs=1e-5)
            log += math.log(products[analysis] / products.sum())
        assert told.log_probability == pytest.approx(log, abs=1e-4)
        ranked = pipe.kbest(doc, 3)[0]
        assert ranked[0].analysis == tuple(pipe.labels[a] for a in predicted)
        assert ranked[0].log_probability == pytest.approx(log, abs=1e-4)
        assert len({each.analysis for each in ranked}) == len(ranked) == min(3, len(table) ** len(doc))
        assert [each.score for each in ranked] == sorted((each.score for each in ranked), reverse=True)


@pytest.mark.parametrize("vertical", [1, 2])
def test_constituents(train, vertical):
    component, texts, settings = CASES["constituents"]
    nlp = spacy.blank("en")
    nlp.add_pipe(
        component,
        config={"model": {"templates": patterns(texts)}, "trainer": PERCEPTRON, **settings, "vertical": vertical},
    )
    shown = examples_of(component, nlp, None)
    pipe, seen = at_temperature(train(nlp, shown, passes=2).get_pipe(component), 2.5, "constituent"), 0
    for sentence, own in with_few_derivations(pipe, shown):
        every = [(own.score(output), constituents_of(own, output)) for output in next(every_derivation(own.forest))]
        told = pipe.probabilities(sentence)
        for a, b, label, p in told.spans:
            expected = share(every, 2.5, lambda tree, line=(a, b, label): line in tree)
            assert p == pytest.approx(expected, abs=1e-5)
            seen += 1
        predicted = tuple((a, b, label) for a, b, label, _ in told.spans)
        same = share(every, 2.5, lambda tree, predicted=predicted: sorted(tree) == sorted(predicted))
        assert math.exp(told.log_probability) == pytest.approx(same, abs=1e-5)
        ranked = pipe.kbest(sentence, 3)[0]
        best = sorted((score for score, _ in every), reverse=True)[:3]
        assert [each.score for each in ranked] == pytest.approx(best, abs=1e-4)
        assert sorted(ranked[0].analysis) == sorted(predicted)
    assert seen > 10


def test_a_sentence_without_constituents_has_an_empty_list(train):
    component, texts, settings = CASES["constituents"]
    nlp = spacy.blank("en")
    nlp.add_pipe(component, config={"model": {"templates": patterns(texts)}, "trainer": PERCEPTRON, **settings})
    shown = examples_of(component, nlp, None)
    pipe = at_temperature(train(nlp, shown, passes=2).get_pipe(component), 2.5, "constituent")
    doc = Doc.from_docs([each.predicted for each in shown])
    pipe.max_words = 8
    short = [len(sentence) <= 8 for sentence in doc.sents]
    assert 2 < sum(short) < len(short) - 2
    assert [len(ranked) == 1 for ranked in pipe.kbest(doc, 1)] == short


def constituents_of(own, output) -> list:
    items = [output[0], *own.forest.left[output[1:]], *own.forest.right[output[1:]]]
    names = own.predictor.weights.labels
    return [(*own.span(item), label) for item in items for label in plain(names[own.forest.symbol[item]])]
