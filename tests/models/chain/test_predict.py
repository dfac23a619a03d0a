"""The fast predictor against a dictionary of the weights, read token by token in plain Python."""

import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from hashlib import blake2b
from itertools import pairwise

import numpy as np
import pytest
from spacy.attrs import IDS
from spacy.strings import hash_string
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_mtl.models.chain import predict as module
from spacy_mtl.models.chain.model import set_weights
from spacy_mtl.models.chain.predict import Predictor
from spacy_mtl.models.chain.weights import KEY_BITS, ChainWeights, TemplateRow
from spacy_mtl.sentences import borders
from spacy_mtl.structures.chain.build import Constraints
from spacy_mtl.templates.attributes.reader import AttributeReader
from spacy_mtl.templates.grammar import parse_template

TOLERANCE = 1e-4


# --- feature keys, in Python's integers ---


def mix(key: int, value: int) -> int:
    z = (key ^ value) * 0x9E3779B97F4A7C15 % 2**64
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB % 2**64
    return z ^ (z >> 31)


def value(token, attr: str) -> int:
    if attr.startswith("SUFFIX") and attr != "SUFFIX":
        return hash_string(token.text[-int(attr[6:]) :])
    if attr in IDS:
        return int(token.doc.to_array([IDS[attr]]).reshape(-1)[token.i])
    reader = AttributeReader([attr], token.vocab)
    return int(reader.read([token.doc], borders([token.doc]))[reader.columns[attr], token.i])


def key_of(template, sentence, position: int) -> int:
    text = f"{'B' if template.is_edge else 'U'}:{template.pattern}"
    key = int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "little")
    for obs in template.observations:
        at = position + obs.offset
        outside = min(at, 0) or max(at - len(sentence) + 1, 0)
        key = mix(key, mix(0xB0, outside % 2**64) if outside else value(sentence[at], obs.attr))
    return key % 2**KEY_BITS


class Dictionary:
    """Scores of a sentence, one look-up per token and template."""

    def __init__(self, weights):
        self.templates = [parse_template(row.text) for row in weights.templates]
        self.node = dict(zip(weights.keys.tolist(), weights.node_rows().astype(float), strict=True))
        self.pair = dict(zip(weights.pair_keys.tolist(), weights.pair_rows().astype(float), strict=True))
        self.n_labels = len(weights.labels)

    def scores(self, sentence) -> tuple[np.ndarray, np.ndarray]:
        nodes = np.zeros((len(sentence), self.n_labels))
        pairs = np.zeros((len(sentence), self.n_labels**2))
        for position in range(len(sentence)):
            for template in self.templates:
                key = key_of(template, sentence, position)
                rows, out = (self.pair, pairs) if template.is_edge else (self.node, nodes)
                out[position] += rows.get(key, 0)
        return nodes, pairs.reshape(-1, self.n_labels, self.n_labels)


def path_score(nodes, pairs, constraints, labels) -> float:
    """Of one label sequence; minus infinity where it is forbidden."""
    steps = list(pairwise(labels))
    if not (constraints.start[labels[0]] and constraints.end[labels[-1]]):
        return -np.inf
    if not all(constraints.step[step] for step in steps):
        return -np.inf
    moves = sum(pairs[t][step] for t, step in enumerate(steps, 1))
    return sum(nodes[t, y] for t, y in enumerate(labels)) + moves


def best_path(nodes, pairs, constraints) -> list[int]:
    """Viterbi in double precision."""
    start, end, step = (np.where(ok, 0, -np.inf) for ok in (constraints.start, constraints.end, constraints.step))
    best, back = nodes[0] + start, []
    for t in range(1, len(nodes)):
        candidates = best[:, None] + pairs[t] + step
        back.append(candidates.argmax(axis=0))
        best = candidates.max(axis=0) + nodes[t]
    labels = [int((best + end).argmax())]
    for places in reversed(back):
        labels.append(int(places[labels[-1]]))
    return labels[::-1]


# --- documents ---


def sentences(docs) -> list[list]:
    return [
        list(sentence)
        for doc in docs
        for sentence in (doc.sents if len(doc) > 1 and doc.has_annotation("SENT_START") else [doc[:]])
        if len(doc)
    ]


def seen(nlp, read_corpus) -> list[Doc]:
    return [example.predicted for example in read_corpus(nlp, limit=12)]


def with_sentences(nlp, read_corpus) -> list[Doc]:
    return [example.predicted for example in read_corpus(nlp, "train", limit=4, group=3)]


def unseen(nlp, read_corpus) -> list[Doc]:
    return [example.predicted for example in read_corpus(nlp, "test", limit=10)]


def small_and_empty(nlp, read_corpus) -> list[Doc]:
    words = [["Madrid"], [], ["Ana", "vino"], [], ["zzz"], ["Ñandú", "x", "y"], []]
    return [Doc(nlp.vocab, words=w, tags=["PROPN"] * len(w) or None) for w in words]


@pytest.fixture(params=[seen, with_sentences, unseen, small_and_empty], ids=lambda f: f.__name__)
def docs(request, trained, read_corpus):
    return request.param(trained, read_corpus)


@pytest.fixture(scope="module")
def parts(trained):
    """Weights and constraints of the trained pipeline."""
    with pytest.warns(UserWarning, match="M430"):  # no TAG on it
        trained(trained.make_doc("Hola"))
    attrs = trained.get_pipe("mtl_ner").model.attrs
    return attrs["weights"], attrs["constraints"]


def naive(weights, docs) -> tuple[np.ndarray, np.ndarray]:
    model = Dictionary(weights)
    scores = [model.scores(sentence) for sentence in sentences(docs)]
    return np.concatenate([nodes for nodes, _ in scores]), np.concatenate([pairs for _, pairs in scores])


def fast(predictor, docs) -> tuple[np.ndarray, np.ndarray]:
    doc_starts = np.cumsum([0, *map(len, docs)], dtype=np.int64)
    return predictor.scores(predictor.reader.read_given(docs), borders(docs), doc_starts)


# --- tests ---


def test_corpora_cover_what_they_say(trained, read_corpus):
    assert all(len(list(doc.sents)) == 3 for doc in with_sentences(trained, read_corpus))
    train_words = {token.text for example in read_corpus(trained, limit=60) for token in example.predicted}
    assert any(token.text not in train_words for doc in unseen(trained, read_corpus) for token in doc)


def test_scores_are_those_of_a_dictionary(parts, trained, docs):
    predictor = Predictor(*parts, trained.vocab)
    nodes, pairs = fast(predictor, docs)
    expected_nodes, expected_pairs = naive(parts[0], docs)
    assert np.allclose(nodes, expected_nodes, atol=TOLERANCE)
    assert np.allclose(pairs, expected_pairs, atol=TOLERANCE)
    assert np.abs(expected_nodes).max() > 100 * TOLERANCE


def test_labels_are_the_best_path_of_the_dictionary(parts, trained, docs):
    weights, constraints = parts
    labels, at = Predictor(weights, constraints, trained.vocab)(docs), 0
    assert labels.dtype == np.int32
    model = Dictionary(weights)
    for sentence in sentences(docs):
        nodes, pairs = model.scores(sentence)
        pairs += weights.step
        found = labels[at : at + len(sentence)].tolist()
        best = best_path(nodes, pairs, constraints)
        assert path_score(nodes, pairs, constraints, found) >= path_score(nodes, pairs, constraints, best) - TOLERANCE
        at += len(sentence)
    assert at == labels.size


def test_each_document_is_labelled_as_if_alone(parts, trained, docs):
    predictor = Predictor(*parts, trained.vocab)
    together = predictor(docs)
    alone = [predictor([doc]) for doc in docs]
    assert np.array_equal(together, np.concatenate(alone))
    assert np.array_equal(together, predictor(docs))


@pytest.mark.parametrize("limit", [1, 7, 40])
def test_small_lexicon_that_starts_afresh_changes_nothing(parts, trained, read_corpus, limit):
    docs = [*seen(trained, read_corpus), *unseen(trained, read_corpus)]
    expected = Predictor(*parts, trained.vocab)(docs)
    predictor = Predictor(*parts, trained.vocab)
    predictor.reader.lexicon.limit = limit
    assert np.array_equal(np.concatenate([predictor([doc]) for doc in docs]), expected)
    assert predictor.reader.lexicon.generation > 2


def test_many_forms_make_the_tables_grow(parts, trained):
    predictor = Predictor(*parts, trained.vocab)
    words = [f"w{i}" for i in range(3000)]
    docs = [Doc(trained.vocab, words=words[i : i + 100], tags=["NOUN"] * 100) for i in range(0, 3000, 100)]
    step_by_step = np.concatenate([predictor([doc]) for doc in docs])
    assert np.array_equal(Predictor(*parts, trained.vocab)(docs), step_by_step)


PLACES = ["U0:%x[0,SAME_1]", "U1:%x[-1,SAME_2]/%x[-1,SAME_1]", "U2:%x[1,SAME_2]", "U3:%x[0,LOWER]"]


@pytest.mark.parametrize(
    "texts", [["U0:%x[0,LOWER]"], ["U0:%x[-1,ORTH]/%x[1,ORTH]", "B"], ["B"], ["B1:%x[0,SHAPE]"], PLACES]
)
def test_any_kinds_of_templates_agree_with_the_dictionary(make_nlp, read_corpus, train, texts):
    nlp = make_nlp(texts)
    examples = read_corpus(nlp, limit=12)
    train(nlp, examples, passes=1)
    docs = [example.predicted for example in examples]
    weights = nlp.get_pipe("mtl_ner")._learner.export(None)
    constraints = nlp.get_pipe("mtl_ner").chain_constraints()
    predictor = Predictor(weights, constraints, nlp.vocab)
    nodes, pairs = fast(predictor, docs)
    expected_nodes, expected_pairs = naive(weights, docs)
    assert np.allclose(nodes, expected_nodes, atol=TOLERANCE)
    assert pairs.size == 0 or np.allclose(pairs, expected_pairs, atol=TOLERANCE)
    assert (pairs.size == 0) == (not expected_pairs.any())
    assert predictor(docs).shape == (len(nodes),)


def of_zeros(texts, n_types: int) -> tuple[ChainWeights, Constraints]:
    """A model without observations, as small as a file can be."""
    labels = ("O", *[f"{prefix}-{k}" for k in range(n_types) for prefix in "BILU"])
    n, rows = len(labels), tuple(TemplateRow(text, 1.0, 1.0, 1) for text in texts)
    weights = replace(ChainWeights(), labels=labels, templates=rows, codes=np.zeros((0, n), np.int8))
    weights = replace(weights, pair_codes=np.zeros((0, n * n), np.int8), step=np.zeros((n, n), np.float32))
    return weights, Constraints(np.ones(n, bool), np.ones(n, bool), np.ones((n, n), bool))


def test_table_of_places_is_as_large_as_what_is_read():
    """A small model file must not ask for a gigabyte: two values of one attribute, at 195 offsets, for 21 labels."""
    vocab = Vocab()
    predictor = Predictor(*of_zeros([f"U{k}:%x[{k - 97},SAME_1]" for k in range(195)], 5), vocab)
    assert predictor([Doc(vocab, words=["a", "b", "c"])]).tolist() == [0, 0, 0]
    assert predictor._place_table.shape == (2, 195, 21)


@pytest.mark.parametrize(("most", "offsets"), [(4 * 3, [-1, 0, 1]), (4 * 3 - 1, [])])
def test_places_without_a_table_have_the_same_scores(make_nlp, read_corpus, train, monkeypatch, most, offsets):
    nlp = make_nlp(PLACES)
    examples = read_corpus(nlp, limit=12)
    train(nlp, examples, passes=1)
    weights, constraints = nlp.get_pipe("mtl_ner")._learner.export(None), nlp.get_pipe("mtl_ner").chain_constraints()
    monkeypatch.setattr(module, "MOST_PLACE_SCORES", most * len(weights.labels))
    predictor = Predictor(weights, constraints, nlp.vocab)
    assert predictor._places.offsets == offsets
    docs = [example.predicted for example in examples]
    assert np.allclose(fast(predictor, docs)[0], naive(weights, docs)[0], atol=TOLERANCE)


def trained_scores(training) -> tuple[np.ndarray, np.ndarray]:
    """Part scores of the corpus under the weights of a training, as they are."""
    weights, problem = training.weights, training.problem
    node = np.concatenate([weights.node, np.zeros((1, problem.node_width))])  # row -1: nothing
    pair = np.concatenate([weights.pair, np.zeros((1, problem.pair_width))])
    pairs = pair[problem.arrays.pair_rows].sum(axis=1)
    return node[problem.arrays.rows].sum(axis=1), pairs.reshape(-1, problem.node_width, problem.node_width)


def docs_of(ner, examples) -> list[Doc]:
    """The documents of a training, in its order."""
    by_words = {example.predicted.to_array(["ORTH"]).tobytes(): example.predicted for example in examples}
    return [by_words[piece.given[0].tobytes()] for piece in ner._gathered.pieces]


@pytest.mark.parametrize("C", [0.001, 1.0, 1000.0])
@pytest.mark.parametrize("scheme", ["biluo", "iob2"])
def test_predictions_are_those_of_the_training_weights(make_nlp, read_corpus, train, C, scheme):
    """Eight bits a weight lose next to nothing, whatever the size of the weights."""
    nlp = make_nlp(trainer={"C": C}, scheme=scheme)
    examples = read_corpus(nlp, limit=40)
    ner = train(nlp, examples, passes=3).get_pipe("mtl_ner")
    docs, constraints = docs_of(ner, examples), ner.chain_constraints()
    nodes, pairs = trained_scores(ner._learner.training)
    predictor = Predictor(ner._learner.export(None), constraints, nlp.vocab)
    fast_nodes, fast_pairs = fast(predictor, docs)
    steps = ner.model.attrs["export"]().step
    assert np.abs(fast_nodes - nodes).max() < 0.02 * np.abs(nodes).max()
    assert np.abs(fast_pairs + steps - pairs).max() < 0.02 * np.abs(pairs).max()
    arrays = ner._learner.training.problem.arrays
    expected = [best_path(nodes[a:b], pairs[a:b], constraints) for a, b in zip(arrays.first, arrays.last, strict=True)]
    assert (predictor(docs) == np.concatenate(expected)).mean() > 0.995


def test_threads_get_what_one_thread_gets(trained, read_corpus):
    docs = [example.predicted for example in read_corpus(trained, "dev", limit=60)]
    pipe = trained.get_pipe("mtl_ner")
    wanted = [labels.tolist() for labels in pipe.predict(docs)]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for _ in range(5):
            set_weights(pipe.model, pipe.model.attrs["weights"], pipe.model.attrs["constraints"])  # empty word tables
            with ThreadPoolExecutor(4) as pool:
                found = list(pool.map(lambda doc: pipe.predict([doc])[0].tolist(), docs))
            assert found == wanted
    finally:
        sys.setswitchinterval(interval)


def test_documents_of_two_vocabularies_in_one_batch(trained):
    foreign = Doc(Vocab(), words=["Madrid"], tags=["PROPN"])
    own = Doc(trained.vocab, words=["Madrid"], tags=["PROPN"])
    pipe = trained.get_pipe("mtl_ner")
    first, second = pipe.predict([foreign, own])
    assert first.tolist() == second.tolist()
    pipe.set_annotations([foreign], [first])
    assert [ent.label_ for ent in foreign.ents] == [ent.label_ for ent in trained(own).ents]


@pytest.mark.parametrize("attr", ["TAG", "TAG_PREFIX1", "MORPH", "MORPH_Case", "LEMMA", "ENT_TYPE"])
def test_documents_that_lack_what_templates_read_are_told_once(recwarn, attr):
    """Other attributes, such as those of entities, may be nowhere in a text."""
    vocab = Vocab()
    predictor = Predictor(*of_zeros([f"U0:%x[0,{attr}]"], 1), vocab)
    for _ in range(2):
        predictor([Doc(vocab, words=["a", "b"])])
    told = [str(each.message) for each in recwarn]
    assert len(told) == (attr != "ENT_TYPE")
    assert all(text.startswith("[M430]") and f" {attr}, " in text for text in told)
