"""Some of the labels for each form: the same scores, labels, steps and trainings as where all labels are looked at."""

from dataclasses import replace

import numpy as np
import pytest

from spacy_mtl.kernels import kernel
from spacy_mtl.structures import contract
from spacy_mtl.structures.chain.build import ChainFeatures, Constraints, chain_problem
from spacy_mtl.structures.chain.viterbi import FORBIDDEN, MANY, NEVER
from spacy_mtl.structures.problem import Blocks, shares
from spacy_mtl.trainers.base import fit
from spacy_mtl.trainers.mtlstruct.trainer import MTLStruct

N_LABELS, N_FORMS, SIZES = MANY + 6, 9, [4, 1, 6, 3, 5]


def made(seed=0, pair=0, **changes):
    """A problem whose forms may have four labels each; one token in four may have any. pair: templates of transitions."""
    random = np.random.default_rng(seed)
    n = sum(SIZES)
    allowed = np.zeros((N_FORMS, N_LABELS), bool)
    for row in allowed:
        row[random.choice(N_LABELS, 4, replace=False)] = True
    constraints = replace(
        Constraints.none(N_LABELS), forms=np.arange(N_FORMS, dtype=np.uint64), form_labels=allowed, **changes
    )
    forms = np.where(random.random(n) < 0.25, -1, random.integers(0, N_FORMS, n)).astype(np.int32)
    gold = np.array([random.integers(N_LABELS) if k < 0 else random.choice(np.flatnonzero(allowed[k])) for k in forms])
    rows = np.stack([random.integers(-1, 5, n), 5 + random.integers(0, 3, n)], axis=1).astype(np.int32)
    blocks = Blocks(np.array([0, 5, 8]), np.arange(pair + 1), ("U0", "U1", *["B"] * pair))
    features = ChainFeatures(rows, np.zeros((n, pair), np.int32), False, forms=forms)
    starts = np.concatenate([[0], np.cumsum(SIZES)])
    return chain_problem(
        features, blocks, gold.astype(np.int32), starts, [str(y) for y in range(N_LABELS)], constraints
    )


def without(problem, many=None):
    """The same problem, of which all labels are looked at."""
    return replace(problem, arrays=problem.arrays._replace(candidates=None, many=many))


def rounded(problem, seed=1):
    """Weights with many ties."""
    random = np.random.default_rng(seed)
    return problem.zeros()._replace(node=random.integers(-1, 2, (8, N_LABELS)).astype(np.float32))


@kernel
def decoded(arrays, weights, live, scale, augmented, labels, scores, nodes, stepped):
    """What the contract finds for each piece; a step towards gold is added to ``stepped``."""
    work = contract.new_work(arrays)
    contract.hold_weights(arrays, weights, live, work)
    for i in range(scores.size):
        contract.score_parts(arrays, weights, live, i, work)
        scores[i] = contract.decode(arrays, i, work, augmented)
        for t in range(arrays.first[i], arrays.last[i]):
            labels[t] = work.labels[t - arrays.first[i]]
            nodes[t] = work.nodes[t - arrays.first[i]]
        contract.gold_direction(arrays, i, work)
        contract.add_direction(arrays, stepped, live, scale, i, work, 0.5)


def found(problem, augmented):
    n, weights, stepped = problem.arrays.gold.size, rounded(problem), problem.zeros()
    out = np.zeros(n, np.int32), np.zeros(problem.n), np.zeros((n, N_LABELS), np.float32)
    decoded(
        problem.arrays, weights, problem.all_live(), shares(problem, np.array([0.3, 0.7])), augmented, *out, stepped
    )
    return *out, stepped


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("augmented", [False, True])
@pytest.mark.parametrize("many", [None, True])
def test_labels_scores_and_steps_are_those_of_all_labels(seed, augmented, many):
    problem = made(seed)
    labels, scores, nodes, stepped = found(problem, augmented)
    others = found(without(problem, many), augmented)
    assert np.array_equal(labels, others[0])
    assert np.allclose(scores, others[1])
    allowed = nodes > NEVER
    assert np.array_equal(allowed, others[2] > NEVER)
    assert np.array_equal(nodes[allowed], others[2][allowed])
    assert np.array_equal(stepped.node, others[3].node)
    assert stepped.node.any()


@kernel
def step_from(arrays, live, scale, outputs, labels, vector):
    """Step from stored outputs to other labels, int32[N] both."""
    work = contract.new_work(arrays)
    for i in range(arrays.first.size):
        for t in range(arrays.first[i], arrays.last[i]):
            work.labels[t - arrays.first[i]] = labels[t]
        contract.set_difference(arrays, i, outputs, work)
        contract.add_direction(arrays, vector, live, scale, i, work, 0.5)


def test_steps_from_outputs_that_forms_could_have_once():
    """As when documents have joined that show fewer labels of a form."""
    problem, random = made(), np.random.default_rng(5)
    outputs = random.integers(0, N_LABELS, problem.arrays.gold.size).astype(np.int32)
    vectors = []
    for each in (problem, without(problem)):
        vectors.append(each.zeros())
        scale = shares(each, np.array([0.3, 0.7]))
        step_from(each.arrays, each.all_live(), scale, outputs, each.arrays.gold, vectors[-1])
    assert vectors[0].node.any()
    assert np.array_equal(vectors[0].node, vectors[1].node)


@pytest.mark.parametrize("many", [None, True])
def test_the_training_is_the_same_to_the_bit(many):
    trainings = [fit(MTLStruct(C=1.0, tol=1e-3), problem, 30) for problem in (made(), without(made(), many))]
    assert trainings[0].weights.node.any()
    assert np.array_equal(*(training.weights.node for training in trainings))
    first, second = (training.report() for training in trainings)
    assert (first.primal, first.dual) == pytest.approx((second.primal, second.dual))


def test_candidates_are_the_labels_of_each_form():
    problem = made()
    first, labels = problem.arrays.candidates
    for k in range(N_FORMS):
        allowed = np.flatnonzero(problem.arrays.form_mask[k] > FORBIDDEN)
        assert labels[first[k] : first[k + 1]].tolist() == allowed.tolist()


@pytest.mark.parametrize("what", ["transitions", "steps", "a penalty"])
def test_all_labels_are_looked_at_where_others_could_be_best(what):
    assert made().arrays.candidates is not None
    step = np.ones((N_LABELS, N_LABELS), bool)
    step[3, 4] = False
    changes = {"steps": {"step": step}, "a penalty": {"form_penalty": np.float32(-3)}}.get(what, {})
    arrays = made(pair=int(what == "transitions"), **changes).arrays
    assert arrays.candidates is None
    assert arrays.many
