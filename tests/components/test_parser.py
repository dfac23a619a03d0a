"""mtl_parser: what it learns, what it writes, and how it is saved."""

import numpy as np
import pytest
import spacy
from spacy.tokens import Doc
from spacy.training import Example

from spacy_mtl.corpora.conllu import ConlluCorpus
from spacy_mtl.models.tree import predict as tree_predict
from spacy_mtl.models.tree.predict import TreePredictor
from spacy_mtl.roots import ROOT

from .parsing import (
    FIRST_ORDER,
    GRANDPARENTS,
    LABELS,
    SIBLINGS,
    TREES,
    bare_doc,
    examples,
    make_parser,
    parse,
    scores,
    train,
    treebank,
    trees_of,
)

#: settings of the parser, and of the treebank
KINDS = {
    "first": ({}, {}),
    "second": ({"patterns": [*FIRST_ORDER, *SIBLINGS, *LABELS]}, {}),
    "labels by dependents": ({"patterns": [*FIRST_ORDER, *LABELS, "B3:%m[0,TAG]/%c[TAG]"]}, {}),
    "joint": ({"labelling": "joint", "margin": None}, {}),
    "second joint": ({"patterns": [*FIRST_ORDER, *SIBLINGS, *LABELS], "labelling": "joint"}, {}),
    "unlabelled": ({"patterns": FIRST_ORDER, "labelling": "none", "support": "all"}, {}),
    "crossing": ({"projective": False, "margin": None}, {"crossing": 0.5}),
    "grandparents": ({"patterns": [*FIRST_ORDER, *SIBLINGS, *GRANDPARENTS, *LABELS]}, {}),
    "crossing, grandparents": (
        {"projective": False, "patterns": [*FIRST_ORDER, *SIBLINGS, *GRANDPARENTS, *LABELS]},
        {"crossing": 0.5},
    ),
    "several roots": ({}, {"double": 0.4}),
    "crossing, several roots": ({"projective": False, "roots": "several"}, {"crossing": 0.3, "double": 0.3}),
}


@pytest.fixture(scope="module", params=KINDS)
def parsed(request):
    """A trained pipeline of each kind, what it has learnt from, and other sentences."""
    settings, language = KINDS[request.param]
    nlp = make_parser(**settings)
    shown = examples(nlp, treebank(60, 0, **language))
    return request.param, train(nlp, shown), shown, examples(nlp, treebank(30, 1, **language))


@pytest.fixture(scope="module")
def trained():
    nlp = make_parser()
    return train(nlp, examples(nlp, treebank(40)))


def test_it_learns_the_grammar(parsed):
    kind, nlp, shown, others = parsed
    for corpus, least in ((shown, 0.97), (others, 0.93)):
        found = scores(nlp, corpus)
        assert (
            found["dep_uas_all"] > least
        )  # of all words: without labels spaCy's own counts predicted full stops, but no gold ones
        if kind != "unlabelled":
            assert found["dep_las"] > least
            assert found["dep_las_per_type"].keys() >= {"nsubj", "obj", "det"}


def test_trees_are_what_they_may_be(parsed):
    kind, nlp, _, others = parsed
    n_roots, n_crossing = [], 0
    for doc in parse(nlp, others):
        for sentence in doc.sents:
            roots = [token for token in sentence if token.dep_ == ROOT]
            n_roots.append(len(roots))
            assert all(token.head == roots[0] for token in roots)
            assert all(token.head.sent == token.sent for token in sentence)
        n_crossing += crossing_arcs(doc)
    assert (max(n_roots) > 1) == ("several" in kind)
    assert (n_crossing > 0) == ("crossing" in kind)


def crossing_arcs(doc) -> int:
    """Pairs of arcs that cross, those of further roots left out."""
    arcs = [sorted((token.i, token.head.i)) for token in doc if token.dep_ != ROOT]
    return sum(a < c < b < d for a, b in arcs for c, d in arcs)


def test_labels(parsed):
    kind, nlp, _, others = parsed
    labels = {token.dep_ for doc in parse(nlp, others) for token in doc}
    if kind == "unlabelled":
        assert labels == {"dep", ROOT}
        assert nlp.get_pipe("mtl_parser").labels == ()
    else:
        assert labels == {*nlp.get_pipe("mtl_parser").labels, ROOT}
        assert ROOT not in nlp.get_pipe("mtl_parser").labels


def test_saved_and_loaded_it_predicts_the_same(parsed, tmp_path):
    kind, nlp, _, others = parsed
    wanted = trees_of(parse(nlp, others))
    nlp.to_disk(tmp_path)
    loaded = spacy.load(tmp_path)
    assert loaded.get_pipe("mtl_parser").rules == nlp.get_pipe("mtl_parser").rules
    assert trees_of(parse(loaded, examples_of(loaded, others))) == wanted
    parser = make_parser(**KINDS[kind][0]).get_pipe("mtl_parser").from_bytes(nlp.get_pipe("mtl_parser").to_bytes())
    docs = [bare.copy() for bare in (example.predicted for example in others)]
    copied = list(parser.pipe(Doc(parser.vocab).from_bytes(doc.to_bytes()) for doc in docs))
    assert trees_of(copied) == wanted
    assert parser.to_bytes(exclude=["vocab"]) == nlp.get_pipe("mtl_parser").to_bytes(exclude=["vocab"])


def examples_of(nlp, shown) -> list[Example]:
    """The same examples in the vocabulary of another pipeline."""
    return [
        Example(*(Doc(nlp.vocab).from_bytes(side.to_bytes()) for side in (e.predicted, e.reference))) for e in shown
    ]


def test_report_and_template_weights(parsed):
    kind, nlp, _, _ = parsed
    parser = nlp.get_pipe("mtl_parser")
    report, rows = parser.report, parser.template_weights()
    assert report.passes > 0
    assert report.dual <= report.primal * (1 + 1e-4)
    assert [row["name"] for row in rows] == [text.partition(":")[0] for text in texts_of(kind)]
    assert all(np.isfinite(row["weight"]) and row["weight"] >= 0 for row in rows)
    assert any(row["rows"] for row in rows if row["name"].startswith("U"))
    assert any(row["rows"] for row in rows if row["name"].startswith("B")) == (kind != "unlabelled")


def texts_of(kind: str) -> list[str]:
    return KINDS[kind][0].get("patterns", [*FIRST_ORDER, *LABELS])


@pytest.mark.parametrize("labels", [["advmod", "det"], ["of", "another", "corpus"]])
def test_without_labelling_labels_that_were_given_are_not_written(labels, tmp_path):
    """Nor do they keep the parser from learning, if those of the corpus are not among them."""
    nlp = make_parser(labelling="none")
    shown, parser = examples(nlp, treebank(20)), nlp.get_pipe("mtl_parser")
    parser.add_label(labels[0])
    parser.initialize(lambda: shown, nlp=nlp, labels=labels)
    for _ in range(3):
        nlp.update(shown)
    docs = parse(nlp, shown)
    assert {token.dep_ for doc in docs for token in doc} == {"dep", ROOT}
    assert scores(nlp, shown)["dep_uas_all"] > 0.9
    nlp.to_disk(tmp_path)
    loaded = spacy.load(tmp_path)
    assert trees_of(parse(loaded, examples_of(loaded, shown))) == trees_of(docs)


def test_sentences_of_a_batch_are_parsed_some_at_a_time(parsed, monkeypatch):
    """So that memory does not grow with the batch; the trees stay what they are."""
    _, nlp, _, others = parsed
    parser = nlp.get_pipe("mtl_parser")
    docs, listed = [example.predicted for example in others], []
    whole = parser.predict(docs)
    trees = TreePredictor._trees
    monkeypatch.setattr(tree_predict, "ARCS_AT_A_TIME", 500)
    monkeypatch.setattr(TreePredictor, "_trees", lambda *args: listed.append(args[2]) or trees(*args))
    for one, other in zip(parser.predict(docs), whole, strict=True):
        assert np.array_equal(one, other)
    assert len(listed) > 3
    assert all((np.diff(starts)[1:] ** 2).sum() <= 500 for starts in listed)


# --- one parser is enough from here on ---


def test_in_two_processes_it_predicts_the_same(trained):
    others = examples(trained, treebank(12, 2))
    docs = [example.predicted.copy() for example in others]
    assert trees_of(trained.pipe(docs, n_process=2)) == trees_of(parse(trained, others))


def test_copies_predict_the_same(trained):
    import copy

    parser = trained.get_pipe("mtl_parser")
    others = examples(trained, treebank(6, 3))
    docs = [example.predicted.copy() for example in others]
    again = copy.copy(parser)
    assert again.report is None
    assert trees_of(again.pipe(docs)) == trees_of(parse(trained, others))


def test_docs_survive_serialization(trained):
    sentences = treebank(6, 4, double=0.5)
    [doc] = trained.pipe([bare_doc(trained, sentences)])
    again = Doc(trained.vocab).from_bytes(doc.to_bytes())
    assert trees_of([again]) == trees_of([doc])
    assert [token.is_sent_start for token in again] == [token.is_sent_start for token in doc]
    assert doc.has_annotation("DEP")


def test_sentence_borders_stay_where_they_are(trained):
    """Wherever they are: in the middle of a clause, too."""
    rng = np.random.default_rng(0)
    for seed in range(10):
        doc = bare_doc(trained, treebank(4, seed))
        starts = [True, *(rng.random(len(doc) - 1) < 0.3).tolist()]
        doc = Doc(trained.vocab, [t.text for t in doc], tags=[t.tag_ for t in doc], sent_starts=starts)
        parsed = trained(doc)
        assert [bool(token.is_sent_start) for token in parsed] == starts
        assert all(sum(token.head == token for token in sentence) == 1 for sentence in parsed.sents)


def test_an_untrained_parser_makes_chains():
    nlp = make_parser()
    sentences = treebank(3)
    parser = nlp.get_pipe("mtl_parser")
    [doc] = nlp.pipe([bare_doc(nlp, sentences)])
    for sentence in doc.sents:
        assert [token.head.i - token.i for token in sentence] == [0, *[-1] * (len(sentence) - 1)]
    assert parser.report is None
    assert parser.predict([]) == []


def test_texts_of_unusual_lengths(trained):
    """No word, one word, several hundred in one sentence."""
    one = Doc(trained.vocab, ["cat"], tags=["NOUN"])
    empty = Doc(trained.vocab)
    words = [(word, tag) for s in treebank(60, 5) for word, tag in zip(s.words, s.tags, strict=True)][:300]
    long = Doc(trained.vocab, [w for w, _ in words], tags=[t for _, t in words], sent_starts=[True] + [False] * 299)
    docs = list(trained.pipe([empty, one, long, empty]))
    assert [len(doc) for doc in docs] == [0, 1, 300, 0]
    assert docs[1][0].dep_ == ROOT
    assert sum(token.head == token for token in docs[2]) == 1
    assert len(list(docs[2].sents)) == 1
    assert trained.get_pipe("mtl_parser").predict([]) == []
    assert trained.get_pipe("mtl_parser").predict([empty])[0].shape == (2, 0)


def test_the_dutch_treebank():
    nlp = make_parser(nlp=spacy.blank("nl"), projective=False)
    shown = list(ConlluCorpus(TREES / "train.conllu", limit=40)(nlp))
    train(nlp, shown, 10)
    found = scores(nlp, shown)
    assert found["dep_uas"] > 0.9
    assert found["dep_las"] > 0.88
    assert found["sents_f"] == 1.0 if "sents_f" in found else True
