from collections import Counter

import numpy as np
import pytest
import spacy
from spacy.tokens import Doc

from spacy_mtl.learning.chain import ChainLearner, carry_rows, row_map
from spacy_mtl.learning.gather import Piece
from spacy_mtl.learning.learner import ranges
from spacy_mtl.structures.chain.build import Constraints
from spacy_mtl.templates.attributes.reader import AttributeReader
from spacy_mtl.templates.grammar import TemplateSet
from spacy_mtl.trainers.mtlstruct.trainer import MTLStruct

LABELS = ("O", "B-X", "I-X")
#: B templates before, between and after those with an observation
TEXTS = ["B1:%x[0,ORTH]", "U0:%x[0,TAG]", "B2", "U1:%x[0,ORTH]/%x[1,TAG]", "B3:%x[-1,TAG]"]
WORDS = [["a", "b", "a"], ["b", "c"]]
TAGS = [["N", "V", "N"], ["V", "V"]]
GOLD = [[0, 1, 2], [1, 0]]
VOCAB = spacy.blank("es").vocab


def pieces_of(reader, tags=TAGS, starts=None, gold=GOLD) -> list[Piece]:
    docs = [Doc(VOCAB, words=words, tags=t) for words, t in zip(WORDS, tags, strict=True)]
    starts = starts or [[0, 3], [0, 2]]
    return [
        Piece(b"k%d" % i, reader.read_given([doc]), np.array(s), np.array(y, np.int32))
        for i, (doc, s, y) in enumerate(zip(docs, starts, gold, strict=True))
    ]


def make_learner(texts=TEXTS, min_count=1, **trainer) -> ChainLearner:
    templates = TemplateSet.from_texts(texts, min_count)
    reader = AttributeReader(templates.attributes, VOCAB)
    return ChainLearner("ner", MTLStruct(**trainer), templates, reader, LABELS, Constraints.none(3), None)


@pytest.fixture
def learner():
    learner = make_learner()
    learner.begin(pieces_of(learner.reader))
    return learner


def test_blocks_are_the_observations_of_each_template(learner):
    blocks = learner.training.problem.blocks
    assert blocks.names == ("U0", "U1", "B1", "B2", "B3")
    assert np.diff(blocks.node).tolist() == [2, 5]
    assert np.diff(blocks.pair).tolist() == [3, 1, 3]  # B3 sees N, V, and the start of a sentence


def test_pair_rows_point_into_the_block_of_their_template(learner):
    problem = learner.training.problem
    for j, (start, end) in enumerate(zip(problem.blocks.pair[:-1], problem.blocks.pair[1:], strict=True)):
        rows = problem.arrays.pair_rows[:, j]
        assert rows.min() == start
        assert rows.max() == end - 1
    assert set(problem.arrays.pair_rows[:, 1]) == {problem.blocks.pair[1]}
    counts = Counter(problem.arrays.pair_rows[:, 0].tolist())
    assert sorted(counts.values()) == [1, 2, 2]  # a, b twice; c once
    assert problem.arrays.observed


def test_cut_off_leaves_rows_out():
    learner = make_learner(min_count=2)
    learner.begin(pieces_of(learner.reader))
    problem = learner.training.problem
    assert np.diff(problem.blocks.pair).tolist() == [2, 1, 2]
    assert (problem.arrays.pair_rows[:, 0] == -1).sum() == 1
    assert (problem.arrays.pair_rows[:, 1] >= 0).all()


def test_plain_transitions_are_not_observed():
    learner = make_learner(["U0:%x[0,ORTH]", "B"])
    learner.begin(pieces_of(learner.reader))
    assert not learner.training.problem.arrays.observed


def test_export_names_templates_with_node_templates_first(learner):
    learner.training.end_pass()
    weights = learner.export(None)
    assert [row.text for row in weights.templates] == [TEXTS[1], TEXTS[3], TEXTS[0], TEXTS[2], TEXTS[4]]
    assert weights.labels == LABELS
    assert weights.step.shape == (3, 3)
    kept = sum(row.rows for row in weights.templates)
    assert kept == weights.keys.size + weights.pair_keys.size + 1


@pytest.mark.parametrize("solver", ["dual_ascent", "cutting_plane"])
@pytest.mark.parametrize("average", [1, 3])
def test_rebinding_to_other_input_goes_on_with_features_of_that_input(solver, average):
    learner = make_learner(solver=solver, average=average)
    learner.begin(pieces_of(learner.reader, [["V"] * 3, ["V"] * 2]))
    for _ in range(3):
        learner.training.end_pass()
    training = learner.training
    learner.rebind(pieces_of(learner.reader))
    assert learner.training is training
    assert np.diff(training.problem.blocks.node).tolist() == [2, 5]
    for _ in range(300):
        training.end_pass()
    fresh = make_learner(solver=solver, average=average)
    fresh.begin(pieces_of(fresh.reader))
    for _ in range(300):
        fresh.training.end_pass()
    assert training.report().gap < 0.01
    assert training.report().primal == pytest.approx(fresh.training.report().primal, rel=0.02)


@pytest.mark.parametrize(
    ("change", "kept"),
    [
        ({"starts": [[0, 1, 3], [0, 2]]}, [-1, -1, 1]),
        ({"gold": [[0, 1, 1], [1, 0]]}, [-1, 1]),
        ({"gold": [[0, -1, 2], [1, 0]]}, [-1, -1, 1]),
    ],
)
def test_other_sentences_or_gold_are_new_and_the_rest_is_kept(learner, change, kept, monkeypatch):
    training = learner.training
    training.end_pass()
    seen = []
    monkeypatch.setattr(training, "extend", lambda *arguments: seen.append(arguments[2]))
    learner.rebind(pieces_of(learner.reader, **change))
    assert learner.training is training
    assert seen[0].sentences.tolist() == kept
    assert seen[0].slots.tolist() == [-1, -1, -1, 3, 4]
    assert seen[0].owners.tolist()[3:] == [len(kept) - 1] * 2


def test_attribute_that_no_document_carries_is_refused():
    learner = make_learner()
    docs = [Doc(VOCAB, words=words) for words in WORDS]
    pieces = [
        Piece(b"k", learner.reader.read_given([doc]), np.array([0, len(doc)]), np.zeros(len(doc), np.int32))
        for doc in docs
    ]
    with pytest.raises(ValueError, match=r"^\[M111\] Template 'U0:%x\[0,TAG\]' reads the attribute 'TAG', which no "):
        learner.begin(pieces)


def test_a_batch_of_documents_is_shown_as_their_sentences(learner, monkeypatch):
    """Documents with two sentences, one without gold in the middle, and none at all."""
    gold = [[0, -1, 2], [1, 0]]
    learner.rebind(pieces_of(learner.reader, starts=[[0, 3], [0, 1, 2]], gold=gold))
    shown = []
    monkeypatch.setattr(learner.training, "step", lambda sentences: shown.append(sentences.tolist()))
    for batch in ([0], [1], [1, 0], []):
        learner.step(np.array(batch, np.int64))
    assert shown == [[0, 1], [2, 3], [2, 3, 0, 1], []]
    learner.rebind(pieces_of(learner.reader, gold=[[-1, -1, -1], [1, 0]]))
    monkeypatch.setattr(learner.training, "step", lambda sentences: shown.append(sentences.tolist()))
    learner.step(np.array([0, 1]))
    assert shown[-1] == [0]


def test_weights_are_carried_over_by_feature(learner, monkeypatch):
    """Rows of the same observation keep their weights, new ones begin at 0; label pairs without observation keep theirs."""
    learner.rebind(pieces_of(learner.reader, [["V"] * 3, ["V"] * 2]))
    old, old_keys = learner.training.problem, learner._keys()
    weights = old.zeros()
    for k, matrix in enumerate(weights):
        matrix[:] = 1 + 100 * k + np.arange(len(matrix))[:, None]
    carried = []
    monkeypatch.setattr(learner.training, "rebind", lambda problem, carry: carried.append((problem, carry(weights))))
    learner.rebind(pieces_of(learner.reader))
    problem, new = carried[0]
    for before, after, keys, new_keys in zip(weights, new, old_keys, learner._keys(), strict=True):
        kept = dict(zip(keys.tolist(), before[:, 0].tolist(), strict=True))
        assert after[:, 0].tolist() == [kept.get(key, 0.0) for key in new_keys.tolist()]
        assert (after == after[:, :1]).all()
    assert (new.node == 0).any()
    assert (new.node > 0).any()
    assert new.pair.shape == (problem.blocks.pair[-1], 9)


def test_weights_without_any_key_are_carried_over_too():
    learner = make_learner(["U0:%x[0,ORTH]", "B"])
    learner.begin(pieces_of(learner.reader))
    weights = learner.training.problem.zeros()
    weights.pair[:] = 7
    carried = carry_rows(learner.training.problem, weights, [row_map(keys, keys) for keys in learner._keys()])
    np.testing.assert_array_equal(carried.pair, weights.pair)


def test_ranges_follow_one_another_and_may_be_empty():
    found = ranges(np.array([5, 2, 2, 9]), np.array([8, 2, 4, 10]))
    assert found.tolist() == [5, 6, 7, 2, 3, 9]
    assert found.dtype == np.int64
    assert ranges(np.empty(0, np.int64), np.empty(0, np.int64)).tolist() == []


def test_features_are_extracted_on_as_many_threads_as_the_trainer_has():
    one, three = make_learner(), make_learner(threads=3)
    assert (one.crew.size, three.crew.size) == (1, 3)
    for learner in (one, three):
        learner.begin(pieces_of(learner.reader))
    assert all(map(np.array_equal, one._keys(), three._keys()))
    arrays = [learner.training.problem.arrays for learner in (one, three)]
    assert np.array_equal(arrays[0].pair_rows, arrays[1].pair_rows)
