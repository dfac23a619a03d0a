"""Learning rates at which exponentiated gradient cannot lower the dual objective.

The paper's Theorem 2 asks for eta < 0.567 / (B + lambda), lambda the largest eigenvalue of A = C^2 <Phi_{i,y}, Phi_{j,z}> over all outputs, B the
range of the gradient. There are exponentially many outputs, and lambda grows with them; what it stands for in the proof does not. So, the same
statement without the excess:

A step from a to u changes F by  (1/eta) sum_i J_i - C^2/2 ||sum_i (E_{u_i} - E_{a_i}) Phi_i||^2,  J_i = KL(u_i, a_i) + KL(a_i, u_i) >= 4 t_i^2
(Pinsker), t_i the total variation between the two. Since E_{u_i} - E_{a_i} = t_i (E_p - E_q) for some p and q, the norm is at most
sum_i t_i range_i(v) for some unit vector v, where range_i(v) = max_y <v, Phi_i(y)> - min_y <v, Phi_i(y)>. With

    Lambda = sup_v sum_i range_i(v)^2

(the largest eigenvalue of the Gram matrix of one difference of outputs a sentence, those that make it largest) the dual cannot fall for
eta <= 8 / (C^2 Lambda). At half of that, F(best) - F(T) <= C^2 Lambda KL(best, start) / (4 T) as well (mirror descent under relative smoothness);
this is the safe rate. For one sentence at a time, Lambda_i = max_{y,z} ||Phi_i(y) - Phi_i(z)||^2 takes the place of Lambda.

Lambda maximizes a convex function. Power iteration, v <- sum_i range_i(v) (Phi_i(argmax) - Phi_i(argmin)), rises to it from below, two decodings
a sentence and round. It begins with weights for one label, the same for all features, since outputs of one label throughout are furthest apart
where features recur; and the half taken above allows it to stop at a half of Lambda.
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

#: Rounds of power iteration at most.
ROUNDS = 10
#: A round that gains less is the last.
GAIN = 1e-2


@subkernel
def find_extremes(arrays, vector, live, minus, i, work, most, least):
    """The outputs of sentence i with the highest and the lowest score, into ``most`` and ``least`` (int32[n_slots]); returns range_i.

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
    """vector += amount * (Phi(most) - Phi(least))."""
    load_output(arrays, i, least, work)
    add_output(arrays, vector, i, work, amount)
    load_output(arrays, i, most, work)
    add_output(arrays, vector, i, work, -amount)


@kernel
def power_round(arrays, vector, live, minus, target):
    """target += sum_i range_i(v) (Phi(most_i) - Phi(least_i)); returns sum_i range_i(v)^2."""
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
    """Output of sentence i from one array of outputs to another."""
    load_output(arrays, i, source, work)
    store_output(arrays, i, work, target)


@kernel
def add_guide(arrays, guide, vector, live, minus, most, least, out):
    """Take the extremes under ``guide`` for the sentences where they are further apart than those so far.

    vector: zeros, and zeros again afterwards (but for rounding). most, least: int32[n_slots]; out: float64[S], their squared distance.
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
    """Power iteration for every sentence, from what :func:`add_guide` found. Arguments as there."""
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
    """``guide`` becomes weights of 1 for this label (column of the node weights), whatever the feature."""
    guide.node[:] = 0
    guide.node[:, label] = 1


def sentence_spreads(problem: Problem) -> np.ndarray:
    """Lambda_i of every sentence: float64[S]. Two weight vectors of memory."""
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
    """Lambda of the whole corpus. Two weight vectors of memory."""
    live, minus = problem.all_live(), shares(problem, np.full(problem.blocks.n, -1.0))
    vector, target = problem.zeros(), problem.zeros()

    def spread() -> float:
        """sum_i range_i(v)^2 / ||v||^2 of ``vector``; ``target`` becomes the next one."""
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
    """The safe learning rate for a spread Lambda; where there is no spread any rate is safe."""
    return 4 / (C * C * np.maximum(spread, 1e-12))
