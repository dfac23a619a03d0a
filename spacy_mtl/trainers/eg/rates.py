"""Learning rates at which exponentiated gradient cannot decrease the dual objective.

The paper's Theorem 2 requires eta < 0.567 / (B + lambda), with lambda the largest eigenvalue of A = C^2 <Phi_{i,y}, Phi_{j,z}> over all outputs and B
the range of the gradient. There are exponentially many outputs, and lambda grows with their number, although the quantity that it bounds in the proof
does not. Hence a tighter version:

A step from a to u changes F by  (1/eta) sum_i J_i - C^2/2 ||sum_i (E_{u_i} - E_{a_i}) Phi_i||^2,  J_i = KL(u_i, a_i) + KL(a_i, u_i) >= 4 t_i^2
(Pinsker), t_i the total variation between the two. Since E_{u_i} - E_{a_i} = t_i (E_p - E_q) for some p and q, the norm is at most
sum_i t_i range_i(v) for some unit vector v, where range_i(v) = max_y <v, Phi_i(y)> - min_y <v, Phi_i(y)>. With

    Lambda = sup_v sum_i range_i(v)^2

(the largest eigenvalue of the Gram matrix of one difference of outputs per sentence, chosen to maximize it) the dual cannot decrease for
eta <= 8 / (C^2 Lambda). At half of that rate, also F(best) - F(T) <= C^2 Lambda KL(best, start) / (4 T) (mirror descent under relative smoothness);
this is the safe rate. For one sentence at a time, Lambda_i = max_{y,z} ||Phi_i(y) - Phi_i(z)||^2 replaces Lambda.

Lambda is the maximum of a convex function. Power iteration, v <- sum_i range_i(v) (Phi_i(argmax) - Phi_i(argmin)), approaches it from below with two
decodings per sentence and round. It begins with weights for one label, the same for all features, since outputs with one label throughout are
furthest apart if features recur. The factor of one half above allows it to stop at half of Lambda.
"""

import numpy as np

from spacy_mtl.kernels import kernel, subkernel
from spacy_mtl.structures.contract import (
    Weights,
    add_output,
    decode,
    gold_outputs,
    load_output,
    n_sentences,
    n_slots,
    new_work,
    score_parts,
    score_scaled,
    store_output,
    stored_score,
)
from spacy_mtl.structures.problem import Problem, shares

#: The largest number of rounds of power iteration.
ROUNDS = 10
#: Power iteration ends with a round that gains less than this share.
GAIN = 1e-2


@subkernel
def find_extremes(arrays, vector, live, minus, i, work, most, least):
    """Write the outputs of sentence i with the highest and the lowest score to ``most`` and ``least`` (int32[n_slots]); return range_i.

    minus: -1 for every block.
    """
    score_parts(arrays, vector, live, i, work)
    width = decode(arrays, i, work, False)
    store_output(arrays, i, work, most)
    score_scaled(arrays, vector, live, minus, i, work)
    width += decode(arrays, i, work, False)
    store_output(arrays, i, work, least)
    return width


@subkernel
def add_extremes(arrays, vector, i, work, most, least, amount):
    """Add amount * (Phi(most) - Phi(least)) to vector."""
    load_output(arrays, i, least, work)
    add_output(arrays, vector, i, work, amount)
    load_output(arrays, i, most, work)
    add_output(arrays, vector, i, work, -amount)


@kernel
def power_round(arrays, vector, live, minus, target):
    """Add sum_i range_i(v) (Phi(most_i) - Phi(least_i)) to target; return sum_i range_i(v)^2."""
    work = new_work(arrays)
    most, least = np.zeros(n_slots(arrays), np.int32), np.zeros(n_slots(arrays), np.int32)
    total = 0.0
    for i in range(n_sentences(arrays)):
        width = find_extremes(arrays, vector, live, minus, i, work, most, least)
        total += width * width
        add_extremes(arrays, target, i, work, most, least, width)
    return total


@subkernel
def copy_output(arrays, i, work, source, target):
    """Copy the output of sentence i from one array of outputs to another."""
    load_output(arrays, i, source, work)
    store_output(arrays, i, work, target)


@kernel
def add_guide(arrays, guide, vector, live, minus, most, least, out):
    """Take the extremes under ``guide`` for the sentences where they are further apart than those found so far.

    vector: zeros, before and (up to rounding) after the call. most, least: int32[n_slots]. out: float64[S], their squared distance.
    """
    work = new_work(arrays)
    high, low = most.copy(), least.copy()
    for i in range(out.size):
        find_extremes(arrays, guide, live, minus, i, work, high, low)
        add_extremes(arrays, vector, i, work, high, low, 1.0)
        score_parts(arrays, vector, live, i, work)
        norm2 = stored_score(arrays, i, high, work) - stored_score(arrays, i, low, work)
        add_extremes(arrays, vector, i, work, high, low, -1.0)
        if norm2 > out[i]:
            out[i] = norm2
            copy_output(arrays, i, work, high, most)
            copy_output(arrays, i, work, low, least)


@kernel
def climb(arrays, vector, live, minus, rounds, gain, most, least, out):
    """Run power iteration for every sentence, beginning with what :func:`add_guide` found. Arguments as there."""
    work = new_work(arrays)
    high, low = most.copy(), least.copy()
    for i in range(out.size):
        for _ in range(rounds):
            add_extremes(arrays, vector, i, work, most, least, 1.0)
            score_parts(arrays, vector, live, i, work)
            out[i] = stored_score(arrays, i, most, work) - stored_score(arrays, i, least, work)
            width = find_extremes(arrays, vector, live, minus, i, work, high, low)
            add_extremes(arrays, vector, i, work, most, least, -1.0)
            if width <= (1 + gain) * out[i]:
                break
            copy_output(arrays, i, work, high, most)
            copy_output(arrays, i, work, low, least)


@kernel
def outputs_of_gold(arrays):
    """A copy of the gold outputs, to write to: int32[n_slots]."""
    return gold_outputs(arrays).copy()


def one_label(problem: Problem, guide: Weights, label: int) -> None:
    """Set ``guide`` to weights of 1 for this label (a column of the node weights), for all features."""
    guide.node[:] = 0
    guide.node[:, label] = 1


def sentence_spreads(problem: Problem) -> np.ndarray:
    """Lambda_i of every sentence, float64[S]. Takes the memory of two weight vectors."""
    arrays, live = problem.arrays, problem.all_live()
    minus = shares(problem, np.full(problem.blocks.n, -1.0))
    guide, vector = problem.zeros(), problem.zeros()
    out = np.zeros(problem.n)
    most, least = outputs_of_gold(arrays), outputs_of_gold(arrays)
    for label in range(problem.node_width):
        one_label(problem, guide, label)
        add_guide(arrays, guide, vector, live, minus, most, least, out)
    climb(arrays, vector, live, minus, ROUNDS, GAIN, most, least, out)
    return out


def corpus_spread(problem: Problem) -> float:
    """Lambda of the whole corpus. Takes the memory of two weight vectors."""
    live, minus = problem.all_live(), shares(problem, np.full(problem.blocks.n, -1.0))
    vector, target = problem.zeros(), problem.zeros()

    def spread() -> float:
        """sum_i range_i(v)^2 / ||v||^2 of ``vector``; writes the next vector to ``target``."""
        norm = float(np.linalg.norm(problem.block_norms(vector)))
        problem.scale_blocks(vector, np.full(problem.blocks.n, 1 / max(norm, 1e-30)))
        for matrix in target:
            matrix[:] = 0
        return float(power_round(problem.arrays, vector, live, minus, target))

    found = []
    for label in range(problem.node_width):
        one_label(problem, vector, label)
        found.append(spread())
    one_label(problem, vector, int(np.argmax(found)))
    best = 0.0
    for _ in range(ROUNDS):
        now = spread()
        if now <= (1 + GAIN) * best:
            break
        best, vector, target = now, target, vector
    return best


def safe_rate(spread: np.ndarray | float, C: float) -> np.ndarray:
    """The safe learning rate for a spread Lambda; if Lambda is 0, any rate is safe."""
    return 4 / (C * C * np.maximum(spread, 1e-12))
