"""A corpus of label sequences as arrays, and the generic functions of :mod:`.contract` over it."""

from typing import NamedTuple

import numpy as np

from spacy_mtl.kernels import kernel, subkernel
from spacy_mtl.structures import contract
from spacy_mtl.structures.contract import implements
from spacy_mtl.structures.offsets.chain import add_offsets, has_offset

from .candidates import Candidates, add_candidate_costs, decode_candidates, score_candidates
from .vectors import Vectors, add_vector_scores, n_vectors
from .viterbi import (
    add_cost,
    add_rows,
    add_scaled_rows,
    as_transitions,
    constrain,
    list_transitions,
    output_score,
    viterbi,
    viterbi_many,
)

#: Places in ``ChainWork.n_active``.
HELD, N_PLACES, PLACES = 1, 2, 3


class ChainProblem(NamedTuple):
    """A corpus of N tokens in S pieces; L labels; T node templates, Tp pair templates.

    A piece is a sentence, or a run of tokens inside one, since positions without gold are left out and structure regularization cuts sentences.

    first, last: int64[S], piece s is the tokens ``first[s]:last[s]``.
    open_left, open_right: bool[S], whether the piece is cut off at that end (so that start and end constraints do not apply).
    gold: int32[N], -1 where unknown.
    rows: int32[N, T] and pair_rows: int32[N, Tp], feature rows, -1 for no feature; pair row t scores (t - 1, t).
    repeats: bool[S, T], whether a feature of that template recurs inside the piece.
    observed: whether any pair template reads an observation (otherwise all positions share one transition matrix).
    start, end: float32[L] and step: float32[L, L], 0 or FORBIDDEN.
    cost: float32[L, L], loss of predicting the column where the row is gold.
    vectors: real-valued features; their blocks are numbered after the T node templates. None if there are none.
    forms: int32[N], row of form_mask for each token, -1 if it may have any label; form_mask: float32[K, L], 0 or FORBIDDEN.
    offset: float32[N, L] and offset_pairs: float32[1 or N, L, L], constant scores of the parts, which are 0 in sum on gold (see
    :mod:`spacy_mtl.structures.offsets`); None if there are none.
    many: True if there are many labels with one table of pairs, most of which are then not looked at, or candidates, else None: what is None is known
    when a kernel is compiled, so that it is compiled without.
    candidates: the labels of each form, if forms are held to some and nothing is said of transitions, else None. With candidates the scores of pairs
    stay 0, so no state may have pairs that score.
    """

    first: np.ndarray
    last: np.ndarray
    open_left: np.ndarray
    open_right: np.ndarray
    gold: np.ndarray
    rows: np.ndarray
    pair_rows: np.ndarray
    repeats: np.ndarray
    observed: bool
    start: np.ndarray
    end: np.ndarray
    step: np.ndarray
    cost: np.ndarray
    vectors: Vectors | None
    forms: np.ndarray
    form_mask: np.ndarray
    offset: np.ndarray | None
    offset_pairs: np.ndarray | None
    many: bool | None
    candidates: Candidates | None


class ChainState(NamedTuple):
    """Part marginals of the corpus. nodes: float32[N, L].

    pairs: float32[S, L * L], expected label-pair counts of each piece; or float32[N, L * L], one table per position, if pair templates
    read observations.
    """

    nodes: np.ndarray
    pairs: np.ndarray


class ChainWork(NamedTuple):
    """Buffers for one piece of at most n tokens.

    nodes: float32[n, L] scores. pairs: float32[n or 1, L, L] scores. labels: int32[n]. best: float32[n, L]. back: int32[n, L].
    active: int64[n], positions where the direction is non-zero; change: float32[n, L], its node part, in the order of ``active``;
    pair_change: float32[n or 1, L * L]. n_active: int64, the number of active positions, and at the places above what else is counted.
    alpha: float64[n, L] and factors: float64[n or 1, L, L], buffers of :func:`.sums.marginals.log_partition`.
    With ``many`` (see :class:`ChainProblem`): bounds (float32[2 * L]) and lists (int32), as :func:`.viterbi.as_transitions` reads them, of the scores
    ``pairs[0]``, which are kept for all sentences if n_active[HELD] is 1; n_active[PLACES : PLACES + n_active[N_PLACES]], outside of which
    ``pair_change`` is 0, or n_active[N_PLACES] is -1; and pair_change[1], 1 at these places. Without ``many``, bounds and lists are None.
    """

    nodes: np.ndarray
    pairs: np.ndarray
    labels: np.ndarray
    best: np.ndarray
    back: np.ndarray
    active: np.ndarray
    change: np.ndarray
    pair_change: np.ndarray
    n_active: np.ndarray
    alpha: np.ndarray
    factors: np.ndarray
    bounds: np.ndarray | None
    lists: np.ndarray | None


@kernel
def find_repeats(first, last, rows, repeats):
    """Set repeats[s, j] to True if a row of column j occurs twice inside piece s."""
    top = 0
    for t in range(rows.shape[0]):
        for j in range(rows.shape[1]):
            top = max(top, rows[t, j])
    seen_in = np.full(top + 1, -1, np.int32)
    for s in range(first.size):
        for t in range(first[s], last[s]):
            for j in range(rows.shape[1]):
                row = rows[t, j]
                if row >= 0:
                    repeats[s, j] |= seen_in[row] == s
                    seen_in[row] = s


@implements(contract.n_sentences, ChainProblem)
def n_sentences(problem):
    return problem.first.size


@implements(contract.n_templates, ChainProblem)
def n_templates(problem):
    return problem.rows.shape[1] + n_vectors(problem.vectors), problem.pair_rows.shape[1]


@subkernel
def new_bounds(many, n_labels):
    """``bounds`` of a :class:`ChainWork`."""
    if many is None:
        return None
    return np.zeros(2 * n_labels, np.float32)


@subkernel
def new_lists(many, n_labels):
    """``lists`` of a :class:`ChainWork`."""
    if many is None:
        return None
    return np.zeros(n_labels * (n_labels // 8 + 2), np.int32)


@implements(contract.new_work, ChainProblem)
def new_work(problem):
    longest = 1
    for s in range(problem.first.size):
        longest = max(longest, problem.last[s] - problem.first[s])
    n_labels = problem.start.size
    n_pairs = longest if problem.observed else 1
    has_many = problem.many is not None
    counters = np.zeros(PLACES + (2 * longest if has_many else 0), np.int64)
    counters[N_PLACES] = 0 if has_many else -1
    return ChainWork(
        np.zeros((longest, n_labels), np.float32),
        np.zeros((n_pairs, n_labels, n_labels), np.float32),
        np.zeros(longest, np.int32),
        np.zeros((longest, n_labels), np.float32),
        np.zeros((longest, n_labels), np.int32),
        np.zeros(longest, np.int64),
        np.zeros((longest, n_labels), np.float32),
        np.zeros((2 if has_many else n_pairs, n_labels * n_labels), np.float32),
        counters,
        np.zeros((longest, n_labels)),
        np.zeros((n_pairs, n_labels, n_labels)),
        new_bounds(problem.many, n_labels),
        new_lists(problem.many, n_labels),
    )


@subkernel
def n_pair_parts(problem, i):
    """The number of label-pair tables of piece i: one per position if pair templates read observations, otherwise one in all."""
    return problem.last[i] - problem.first[i] if problem.observed else 1


@subkernel
def first_pair(problem):
    """The first position whose label pair has features: 1 if each position has its own, since there is nothing before position 0."""
    return 1 if problem.observed else 0


@kernel
def forbid(problem, i, work):
    """Add the constraints to the scores in ``work``; those of transitions that are held have them."""
    n, n_pairs = problem.last[i] - problem.first[i], 0 if work.n_active[HELD] else n_pair_parts(problem, i)
    constrain(
        work.nodes[:n], work.pairs[:n_pairs], problem.start, problem.end, problem.step,
        problem.open_left[i], problem.open_right[i],
    )  # fmt: skip
    for t in range(n):
        form = problem.forms[problem.first[i] + t]
        if form >= 0:
            for y in range(problem.start.size):
                work.nodes[t, y] += problem.form_mask[form, y]


@subkernel
def split_live(problem, live):
    """Live node blocks that are templates, and those that are vectors (int64 block numbers)."""
    n, end = 0, live.node.size
    while n < end:  # bisection: numba's own searchsorted is many functions to compile
        middle = (n + end) // 2
        if live.node[middle] < problem.rows.shape[1]:
            n = middle + 1
        else:
            end = middle
    return live.node[:n], live.node[n:]


@implements(contract.score_parts, ChainProblem)
def score_parts(problem, weights, live, i, work):
    a, b = problem.first[i], problem.last[i]
    plain, vectors = split_live(problem, live)
    score_rows(problem, weights, plain, i, work, problem.candidates)
    for j in vectors:
        for t in range(a, b):
            add_vector_scores(problem.vectors, t, j - problem.rows.shape[1], weights.node, 1.0, work.nodes[t - a])
    score_pairs(problem, weights, live, i, work, problem.candidates)


@subkernel
def score_rows(problem, weights, plain, i, work, candidates):
    """The scores of labels by these templates, of all labels or of candidates."""
    a, b = problem.first[i], problem.last[i]
    if candidates is None:
        add_rows(problem.rows[a:b], weights.node, plain, work.nodes)
    else:
        score_candidates(problem.rows[a:b], problem.forms[a:b], weights.node, plain, candidates, work.nodes)


@subkernel
def score_pairs(problem, weights, live, i, work, candidates):
    """The scores of transitions, and constraints; with candidates, there is no transition, and other labels are forbidden already."""
    if candidates is None:
        if not work.n_active[HELD]:
            a, k, n_pairs = problem.first[i], first_pair(problem), n_pair_parts(problem, i)
            flat = work.pairs.reshape(work.pairs.shape[0], problem.start.size**2)
            flat[:k] = 0
            add_rows(problem.pair_rows[a + k : a + n_pairs], weights.pair, live.pair, flat[k:])
        forbid(problem, i, work)


@implements(contract.hold_weights, ChainProblem)
def hold_weights(problem, weights, live, work):
    hold(problem, weights, live, work, problem.many, problem.candidates)


@subkernel
def hold(problem, weights, live, work, many, candidates):
    """Keep the scores of transitions, if there are many; with candidates, there are none."""
    if many is None:
        return
    if candidates is not None:
        return
    if problem.first.size and not has_offset(problem.offset):  # losses must leave the scores of pairs
        flat, a = work.pairs.reshape(1, work.pairs[0].size), problem.first[0]
        add_rows(problem.pair_rows[a : a + 1], weights.pair, live.pair, flat)
        constrain(work.nodes[:1], work.pairs, problem.start, problem.end, problem.step, True, True)
        list_transitions(work.pairs[0], as_transitions(work.bounds, work.lists))
        work.n_active[HELD] = 1


@implements(contract.score_scaled, ChainProblem)
def score_scaled(problem, weights, live, scale, i, work):
    a, b = problem.first[i], problem.last[i]
    n_labels = problem.start.size
    plain, vectors = split_live(problem, live)
    add_scaled_rows(problem.rows[a:b], weights.node, plain, scale.node, work.nodes)
    for j in vectors:
        for t in range(a, b):
            add_vector_scores(
                problem.vectors, t, j - problem.rows.shape[1], weights.node, scale.node[j], work.nodes[t - a]
            )
    k, n_pairs = first_pair(problem), n_pair_parts(problem, i)
    flat = work.pairs.reshape(work.pairs.shape[0], n_labels * n_labels)
    flat[:k] = 0
    work.n_active[HELD] = 0
    add_scaled_rows(problem.pair_rows[a + k : a + n_pairs], weights.pair, live.pair, scale.pair, flat[k:])
    forbid(problem, i, work)


@implements(contract.add_loss, ChainProblem)
def add_loss(problem, i, work, amount):
    a, n = problem.first[i], problem.last[i] - problem.first[i]
    add_cost(problem.cost, problem.gold[a : a + n], work.nodes, amount)
    contract.add_offset(problem, i, work, amount)


@implements(contract.add_offset, ChainProblem)
def add_offset(problem, i, work, amount):
    add_offsets(problem.offset, problem.offset_pairs, problem.first[i], problem.last[i], amount, work.nodes, work.pairs)


@implements(contract.decode, ChainProblem)
def decode(problem, i, work, augmented):
    return find_best(problem, i, work, augmented, problem.candidates)


@subkernel
def find_best(problem, i, work, augmented, candidates):
    a, b = problem.first[i], problem.last[i]
    if candidates is None:
        if augmented:
            contract.add_loss(problem, i, work, 1.0)
        return best_labels(b - a, problem.observed, work, problem.many)
    if augmented:
        add_candidate_costs(problem.cost, problem.gold[a:b], problem.forms[a:b], candidates, work.nodes)
    return decode_candidates(work.nodes, problem.forms[a:b], candidates, work.labels)


@subkernel
def best_labels(n, observed, work, many):
    """Write the best labels of n positions to ``work``; return their score."""
    pairs = work.pairs[: n if observed else 1]
    if many is None:
        return viterbi(work.nodes[:n], pairs, work.best, work.back, work.labels)
    if n <= 2 and not work.n_active[HELD]:
        return viterbi(work.nodes[:n], pairs, work.best, work.back, work.labels)
    if not work.n_active[HELD]:
        list_transitions(work.pairs[0], as_transitions(work.bounds, work.lists))
    transitions = as_transitions(work.bounds, work.lists)
    return viterbi_many(work.nodes[:n], work.pairs[0], transitions, work.best, work.back, work.labels)[0]


@implements(contract.gold_score, ChainProblem)
def gold_score(problem, i, work):
    a, n = problem.first[i], problem.last[i] - problem.first[i]
    return output_score(work.nodes[:n], work.pairs[: n if problem.observed else 1], problem.gold[a : a + n])
