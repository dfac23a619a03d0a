"""Viterbi for many labels: the same labels and scores, and few transitions looked at."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_mtl.structures.chain.viterbi import (
    FORBIDDEN,
    MANY,
    Transitions,
    list_transitions,
    new_transitions,
    viterbi,
    viterbi_many,
)


def transitions_of(step, room):
    """Listed transitions, of which ``room`` fit for each label; also for few labels."""
    n = len(step)
    found = Transitions(
        np.zeros(n, np.float32), np.zeros(n, np.float32), np.zeros((n, room), np.int32), np.zeros(n, np.int32), np.zeros(n, np.int32)
    )  # fmt: skip
    list_transitions(step, found)
    return found


def both(nodes, step, room=None):
    """Score and labels by either, and the number of transitions looked at."""
    n, n_labels = nodes.shape
    best, back = np.empty((n, n_labels), np.float32), np.empty((n, n_labels), np.int32)
    expected, found = np.zeros(n, np.int32), np.zeros(n, np.int32)
    score = viterbi(nodes, step[None], best, back, expected)
    transitions = transitions_of(step, n_labels // 8 if room is None else room)
    other, looked = viterbi_many(nodes, step, transitions, best, back, found)
    return (score, expected.tolist()), (other, found.tolist()), looked


@given(
    st.integers(0, 2**32 - 1), st.integers(1, 9), st.integers(1, 40), st.sampled_from([0, 1, 3]), st.booleans(),
    st.sampled_from([0, 0.1, 0.4, 0.9]), st.sampled_from([0, 0.7, 0.97]), st.sampled_from([0, 1, 3, 40]),
)  # fmt: skip
def test_labels_and_score_are_those_of_viterbi(seed, n, n_labels, spread, whole, forbidden, zero, room):
    """Whole numbers have many ties; of transitions, few or many are forbidden, or 0."""
    random = np.random.default_rng(seed)
    nodes = spread * random.normal(size=(n, n_labels)).astype(np.float32)
    step = random.normal(size=(n_labels, n_labels)).astype(np.float32)
    if whole:
        nodes, step = nodes.round(), step.round()
    step[random.random(step.shape) < zero] = 0
    step[random.random(step.shape) < forbidden] += FORBIDDEN
    nodes[random.random(nodes.shape) < forbidden / 2] += FORBIDDEN
    expected, found, _ = both(nodes, step, room)
    assert found == expected


@pytest.mark.parametrize(
    "kind", ["falling", "rising", "all negative", "one good for each", "ties", "ties, the first one worse"]
)
def test_hard_scores(kind):
    """Where most labels have to be looked at, all are."""
    n, n_labels = 6, 90
    nodes, step = np.zeros((n, n_labels), np.float32), np.zeros((n_labels, n_labels), np.float32)
    ramp = np.arange(n_labels, dtype=np.float32)
    if kind == "falling":  # the best label to come from is the worst one
        nodes[:] = -ramp / 8
        step[:] = np.where(np.eye(n_labels)[::-1] > 0, 0, -30)
    elif kind == "rising":
        nodes[:] = ramp / 8
        step[:] = -np.abs(ramp[:, None] - ramp[::-1]) / 4
    elif kind == "all negative":
        step[:] = -1 - ((ramp[:, None] * 7 + ramp * 3) % 5)
    elif kind == "one good for each":
        nodes[:] = -((ramp * 37) % n_labels)
        step[(ramp * 53 % n_labels).astype(int), np.arange(n_labels)] = 100
    elif kind == "ties, the first one worse":
        step[0] = -1
    expected, found, _ = both(nodes, step)
    assert found == expected


@pytest.mark.parametrize("n_labels", [100, 400, 1600])
def test_work_does_not_grow_with_the_square_of_the_labels(n_labels):
    """Where most transitions were never seen, and whatever the labels of a word, all of which may be alike."""
    random = np.random.default_rng(n_labels)
    step = np.zeros((n_labels, n_labels), np.float32)
    seen = random.integers(0, n_labels, (2, 8 * n_labels))
    step[tuple(seen)] = random.normal(size=8 * n_labels).clip(-3, 3)
    likely = random.normal(size=(30, n_labels)).astype(np.float32)
    likely[np.arange(30)[:, None], random.integers(0, n_labels, (30, 3))] += 12
    for nodes in (likely, random.normal(size=(30, n_labels)).astype(np.float32), np.zeros((30, n_labels), np.float32)):
        expected, found, looked = both(nodes, step)
        assert found == expected
        assert looked <= 29 * 12 * n_labels


def test_labels_of_entities_that_must_begin_before_they_go_on():
    """Most labels may follow two others only, and few are forbidden after all."""
    n = 200
    begin, inside = np.arange(n), np.arange(n, 2 * n)
    step = np.zeros((2 * n, 2 * n), np.float32)
    step[:, inside] = FORBIDDEN
    step[begin, inside] = step[inside, inside] = 0.5
    nodes = np.random.default_rng(0).normal(size=(30, 2 * n)).astype(np.float32)
    expected, found, looked = both(nodes, step)
    assert found == expected
    assert looked <= 29 * 12 * 2 * n


def test_few_labels_have_no_lists():
    assert new_transitions(MANY - 1).counts.size == 0
    assert new_transitions(MANY).listed.shape == (MANY, MANY // 8)
