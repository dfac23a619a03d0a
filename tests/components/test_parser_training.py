"""Training of a parser: the corpus that trainers get, weights that prediction uses, input that changes."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from numba import njit
from spacy.training import Example

from spacy_mtl.learning.tree import TreeLearner, joined
from spacy_mtl.models.tree.model import predict_trees
from spacy_mtl.structures import contract
from spacy_mtl.structures.tree.problem import inner_sibling
from spacy_mtl.trainers.base import Report

from .parsing import (
    FIRST_ORDER,
    GRANDPARENTS,
    LABELS,
    SIBLINGS,
    bare_doc,
    examples,
    gold_doc,
    make_parser,
    scores,
    train,
    treebank,
)

SECOND_ORDER = [*FIRST_ORDER, *SIBLINGS, *LABELS]
ALL_PAIRS = [*GRANDPARENTS, *SECOND_ORDER]
NO_SIBLINGS = [*FIRST_ORDER, *LABELS, *GRANDPARENTS]


# --- prediction is decoding with the weights of the training ---


@njit
def best_scores(arrays, weights, live, out):
    work = contract.new_work(arrays)
    for i in range(out.size):
        contract.score_parts(arrays, weights, live, i, work)
        out[i] = contract.decode(arrays, i, work, False)


def bundle_rows(bundles, i: int, links) -> list[int]:
    used = bundles.used[bundles.first_use[i] : bundles.first_use[i + 1]]
    return [row for u in links if u >= 0 for row in bundles.rows[bundles.first[used[u]] : bundles.first[used[u] + 1]]]


def place(values, begin: int, end: int, value: int) -> int:
    return begin + values[begin:end].tolist().index(value)


def tree_score(problem, weights, i: int, heads, labels) -> float:
    """Score of a tree under weights of training, part by part."""
    arrays, total = problem.arrays, 0.0
    for m, (head, label) in enumerate(zip(heads, labels, strict=True), start=1):
        t = arrays.first[i] + m - 1
        arc = place(arrays.heads, arrays.first_arc[t], arrays.first_arc[t + 1], head)
        rows = bundle_rows(arrays.node, i, arrays.node_links[arc])
        if arrays.second_order:
            pairs, codes = arrays.siblings, [inner_sibling(np.array(heads), m)]
            if arrays.grandparents and head:
                codes.append(len(heads) + 1 + heads[head - 1])
            for code in codes:
                pair = place(pairs.inner, pairs.first[arc], pairs.first[arc + 1], code)
                rows += bundle_rows(arrays.node, i, pairs.links[pair])
        total += float(weights.node[rows, 0].sum())
        total += sum(float(weights.pair[row, label]) for row in bundle_rows(arrays.pair, i, arrays.pair_links[arc]))
    return total


@pytest.mark.parametrize(
    "settings",
    [
        {"margin": None},
        {},
        {"margin": None, "support": "all", "projective": False},
        {"margin": None, "patterns": SECOND_ORDER},
        {"patterns": SECOND_ORDER, "labelling": "joint"},
        {"margin": None, "labelling": "joint", "projective": False},
        {"margin": None, "patterns": ALL_PAIRS, "projective": False},
        {"margin": None, "patterns": NO_SIBLINGS, "projective": False, "labelling": "joint", "support": "all"},
    ],
    ids=["first", "filtered", "all arcs", "second", "second filtered joint", "joint", "pairs", "grandparents"],
)
def test_prediction_is_decoding_with_the_weights_of_training(settings):
    """Up to rounding of the weights that are kept: the predicted tree scores as much as the best."""
    nlp = make_parser(**settings)
    sentences = treebank(40, crossing=0.3)
    shown = examples(nlp, sentences, group=40)
    train(nlp, shown, 4)
    parser = nlp.get_pipe("mtl_parser")
    problem, weights = parser._learner.training.problem, parser._learner.training.weights
    best = np.empty(problem.n)
    best_scores(problem.arrays, weights, problem.all_live(), best)
    [(heads, labels)] = predict_trees(parser.model, [shown[0].predicted])
    for i, (start, stop) in enumerate(zip(problem.arrays.first, problem.arrays.last, strict=True)):
        score = tree_score(problem, weights, i, heads[start:stop].tolist(), labels[start:stop])
        assert best[i] - 0.02 * (stop - start) <= score <= best[i] + 1e-3


# --- what trainers get ---


def n_sentences(nlp) -> int:
    return nlp.get_pipe("mtl_parser")._learner.training.problem.n


def test_sentences_without_a_whole_tree_are_left_out():
    nlp = make_parser()
    sentences = treebank(9)
    shown = examples(nlp, sentences)
    shown[0].reference[0].dep_ = ""
    train(nlp, shown, 1)
    assert n_sentences(nlp) == 8


def test_documents_without_trees_are_left_out():
    nlp = make_parser()
    sentences = treebank(9)
    bare = [Example(bare_doc(nlp, treebank(2, 1)), bare_doc(nlp, treebank(2, 1))), Example(nlp(""), nlp(""))]
    train(nlp, [*examples(nlp, sentences), *bare], 2)
    assert n_sentences(nlp) == 9
    assert nlp.get_pipe("mtl_parser").report.passes == 2


def test_sentences_that_the_input_cuts_or_joins_are_left_out():
    """What is left of one that is cut may be a tree of its own."""
    nlp = make_parser()
    sentences = [sentence for sentence in treebank(30) if len(sentence.words) > 5][:9]
    shown = examples(nlp, sentences)
    shown[0].predicted[len(sentences[0].words) - 1].is_sent_start = True  # cut: the full stop hangs on another sentence
    shown[1].predicted[len(sentences[3].words)].is_sent_start = False  # joined with the one before: two roots
    train(nlp, shown, 1)
    assert n_sentences(nlp) == 7


def test_joined_sentences_are_kept_where_there_may_be_several_roots():
    nlp = make_parser(roots="several")
    sentences = treebank(4)
    shown = examples(nlp, sentences)
    shown[0].predicted[len(sentences[0].words)].is_sent_start = False
    train(nlp, shown, 1)
    assert n_sentences(nlp) == 3


def test_words_of_another_tokenization():
    """Sentences whose words are others in the input are left out."""
    nlp = make_parser()
    sentences = treebank(6)
    merged = bare_doc(nlp, sentences[:3])
    with merged.retokenize() as retokenizer:
        retokenizer.merge(merged[0:2])
    shown = [Example(merged, gold_doc(nlp, sentences[:3])), *examples(nlp, sentences[3:])]
    train(nlp, shown, 1)
    assert 3 <= n_sentences(nlp) <= 5


@pytest.mark.parametrize("size", [1, 2])
def test_batches_of_any_size(size):
    whole, split = make_parser(), make_parser()
    train(whole, examples(whole, treebank(12)), 2)
    shown = examples(split, treebank(12))
    split.initialize(lambda: shown)
    for _ in range(2):
        for begin in range(0, len(shown), size):
            split.update(shown[begin : begin + size])
    pipes = [nlp.get_pipe("mtl_parser") for nlp in (whole, split)]
    assert pipes[1].report.passes == 2
    assert pipes[0].to_bytes(exclude=["vocab"]) == pipes[1].to_bytes(exclude=["vocab"])


# --- input that changes: a tagger learns at the same time ---


def retagged(nlp, sentences, tags: dict[str, str]) -> list[Example]:
    """The same gold; tags of the input are replaced."""
    shown = examples(nlp, sentences)
    for example in shown:
        for token in example.predicted:
            token.tag_ = tags.get(token.tag_, token.tag_)
    return shown


@pytest.mark.parametrize("labelling", ["second_pass", "joint", "none"])
@pytest.mark.parametrize("patterns", [[*FIRST_ORDER, *LABELS], SECOND_ORDER], ids=["first", "second"])
def test_training_goes_on_when_tags_change(labelling, patterns):
    nlp = make_parser(patterns, labelling=labelling, margin=None)
    sentences = treebank(30)
    train(nlp, retagged(nlp, sentences, {"ADJ": "NOUN", "ADV": "X"}), 3)
    shown = examples(nlp, sentences)
    for _ in range(4):
        nlp.update(shown)
    parser = nlp.get_pipe("mtl_parser")
    assert parser.report.passes == 7
    found = scores(nlp, shown)
    assert found["dep_uas_all"] > 0.95
    assert labelling == "none" or found["dep_las"] > 0.95


def test_weights_are_carried_over():
    """Nothing is lost of what has not changed: the same tags under an indexing of their own."""
    nlp = make_parser(margin=None)
    sentences = treebank(20)
    shown = examples(nlp, sentences)
    train(nlp, shown, 5)
    learner = nlp.get_pipe("mtl_parser")._learner
    before = learner.training.report()
    learner.rebind(learner.documents)
    after = learner.training.report()
    assert after.primal == pytest.approx(before.primal, rel=1e-3)


def test_training_goes_on_when_tags_change_the_arcs():
    nlp = make_parser(margin=1.0, filter_attr="TAG")
    sentences = treebank(30)
    train(nlp, retagged(nlp, sentences, {"NOUN": "VERB", "VERB": "DET", "DET": "NOUN"}), 3)
    shown = examples(nlp, sentences)
    nlp.update(shown)
    assert nlp.get_pipe("mtl_parser").report.passes == 4
    for _ in range(5):
        nlp.update(shown)
    assert scores(nlp, shown)["dep_uas"] > 0.8


def test_labels_go_on_learning_after_the_arcs_have_converged():
    learner = object.__new__(TreeLearner)
    learner.training = learner.labelling = None
    assert learner.passes == 0
    learner.training = SimpleNamespace(passes=3)
    assert learner.passes == 3
    learner.labelling = SimpleNamespace(passes=7)
    assert learner.passes == 7


def test_what_one_corpus_told_is_forgotten_with_the_next():
    """A corpus whose trees cross, for a trainer that needs sums, does not stand in the way of one whose trees do not."""
    nlp = make_parser(SECOND_ORDER, trainer={"@mtl_trainers": "spacy_mtl.EG.v1"}, labelling="joint")
    with pytest.raises(ValueError, match="M301"):
        nlp.initialize(lambda: examples(nlp, treebank(10, crossing=1.0)))
    parser = nlp.get_pipe("mtl_parser")
    nlp.initialize(lambda: examples(nlp, treebank(10)))
    assert parser.rules.projective


def test_the_attribute_of_the_filter_is_chosen_anew():
    nlp = make_parser()
    shown = examples(nlp, treebank(10, double=1.0))
    train(nlp, shown, 1)
    parser = nlp.get_pipe("mtl_parser")
    assert parser.rules.filter_attr is not None
    assert not parser.rules.single_root
    nlp.initialize(lambda: examples(nlp, treebank(10)))
    assert parser.rules.filter_attr is None
    assert parser.rules.single_root


def rows(**counts) -> tuple[int, int]:
    """The number of observations of arcs and of labels that get weights."""
    nlp = make_parser()
    parser = nlp.get_pipe("mtl_parser")
    parser.model.attrs["templates"] = replace(parser.templates, **counts)
    train(nlp, examples(nlp, treebank(12)), 1)
    return parser._learner._node_keys.size, parser._learner._label_keys.size


def test_observations_of_labels_have_a_cut_off_of_their_own_where_it_is_larger():
    arcs, labels = rows()
    fewer_arcs, fewer_labels = rows(min_count=2)
    assert (fewer_arcs, fewer_labels) < (arcs, labels)
    assert rows(label_min_count=2) == (arcs, fewer_labels)
    assert rows(min_count=2, label_min_count=1) == (fewer_arcs, fewer_labels)


def test_the_report_is_of_arcs_and_labels():
    nlp = make_parser()
    shown = examples(nlp, treebank(12))
    nlp.initialize(lambda: shown)
    losses = nlp.update(shown)
    parser = nlp.get_pipe("mtl_parser")
    arcs, labels = parser._learner.training, parser._learner.labelling
    assert labels.report().primal > 0
    assert losses["mtl_parser"] == pytest.approx(arcs.loss + labels.loss)
    report = parser.report
    assert report.primal == pytest.approx(arcs.report().primal + labels.report().primal)
    assert report.dual == pytest.approx(arcs.report().dual + labels.report().dual)
    assert report.gap == pytest.approx((report.primal - report.dual) / report.primal)
    assert report.n_templates == len(FIRST_ORDER) + len(LABELS)
    assert report.live_templates == arcs.report().live_templates + labels.report().live_templates


def test_a_report_without_objective_values_stays_one():
    nothing = float("nan")
    report = joined([Report(nothing, nothing, nothing, 2, 3, 4), Report(nothing, nothing, nothing, 1, 1, 5)])
    assert np.isnan([report.primal, report.dual, report.gap]).all()
    assert (report.live_templates, report.n_templates, report.passes) == (3, 4, 5)
