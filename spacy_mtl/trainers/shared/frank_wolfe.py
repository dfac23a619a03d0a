"""Block-coordinate Frank-Wolfe on the dual in the part marginals, with pairwise steps (Lacoste-Julien et al. 2013; Osokin et al. 2016).

For fixed template weights mu the dual is  D_mu(M) = -1/2 C^2 sum_j mu_j ||V_j(M)||^2 + C E_M[loss],  with w_j = C mu_j V_j(M).
"""

from typing import NamedTuple

import numpy as np

from spacy_mtl.kernels import kernel, subkernel
from spacy_mtl.structures.contract import (
    curvature,
    decode,
    gold_outputs,
    load_output,
    move,
    n_sentences,
    n_slots,
    new_work,
    same_output,
    score_parts,
    set_difference,
    set_direction,
    set_vertex,
    store_output,
    stored_score,
)


class Atoms(NamedTuple):
    """For each sentence, the few outputs that carry most of the weight in the mixture that its marginals are.

    outputs: int32[K, n_slots]. weights: float64[S, K], 0 for free slots; if they sum to less than 1, the rest belongs to
    outputs that are no longer stored.
    """

    outputs: np.ndarray
    weights: np.ndarray


@kernel
def gold_atoms(arrays, n_atoms):
    """Put all weight on the gold outputs, with space for ``n_atoms`` outputs per sentence."""
    outputs = np.zeros((n_atoms, n_slots(arrays)), np.int32)
    outputs[0] = gold_outputs(arrays)
    weights = np.zeros((n_sentences(arrays), n_atoms))
    weights[:, 0] = 1
    return Atoms(outputs, weights)


@subkernel
def find_atom(arrays, atoms, i, work):
    """The slot of the output in ``work`` among sentence i's atoms; a new output replaces the atom with the least weight."""
    least = 0
    for k in range(atoms.weights.shape[1]):
        if atoms.weights[i, k] > 0 and same_output(arrays, i, work, atoms.outputs[k]):
            return k
        if atoms.weights[i, k] < atoms.weights[i, least]:
            least = k
    store_output(arrays, i, work, atoms.outputs[least])
    atoms.weights[i, least] = 0
    return least


@subkernel
def worst_atom(arrays, atoms, i, work):
    """The atom with the lowest score, its score, and the total weight of all atoms."""
    worst, low, total = -1, 0.0, 0.0
    for k in range(atoms.weights.shape[1]):
        if atoms.weights[i, k] > 0:
            total += atoms.weights[i, k]
            score = stored_score(arrays, i, atoms.outputs[k], work)
            if worst < 0 or score < low:
                worst, low = k, score
    return worst, low, total


@subkernel
def settle(arrays, atoms, state, i, work):
    """If one atom has all the weight, set the marginals to exactly that output, so that its positions cost nothing."""
    for k in range(atoms.weights.shape[1]):
        if atoms.weights[i, k] >= 1 - 1e-9:
            atoms.weights[i] = 0
            atoms.weights[i, k] = 1
            load_output(arrays, i, atoms.outputs[k], work)
            set_vertex(arrays, state, i, work)


@subkernel
def ascend(arrays, weights, live, scale, state, atoms, i, work):
    """Make one step for sentence i with exact line search; return its Frank-Wolfe gap before the step.

    The pairwise step moves weight only from the worst atom. It is used if the mixture consists of atoms only, or if the
    worst atom is further below the mixture than the best output is above it.
    """
    score_parts(arrays, weights, live, i, work)
    best = decode(arrays, i, work, True)
    gap = set_direction(arrays, state, i, work)
    if gap <= 0:
        return 0.0
    target = find_atom(arrays, atoms, i, work)
    worst, low, total = worst_atom(arrays, atoms, i, work)
    pairwise = worst >= 0 and worst != target and (total > 1 - 1e-9 or best - gap - low > gap)
    longest = 1.0
    rise = gap
    if pairwise:
        set_difference(arrays, i, atoms.outputs[worst], work)
        longest = atoms.weights[i, worst]
        rise = best - low
        if rise <= 0:  # rounding of single precision
            return gap
    bend = curvature(arrays, live, scale, i, work)
    step = longest if rise >= longest * bend else rise / bend
    move(arrays, weights, live, scale, state, i, work, step)
    if pairwise:
        atoms.weights[i, worst] -= step
    else:
        atoms.weights[i] *= 1 - step
    atoms.weights[i, target] += step
    settle(arrays, atoms, state, i, work)
    return gap


@kernel
def ascent_pass(arrays, weights, live, scale, state, atoms, order, gaps):
    """Make one step for each sentence of ``order``, towards its most violated output.

    scale: C mu_j of each template. order: int64[k]. gaps: float64[S], entry i is set to the gap of sentence i before its step.
    """
    work = new_work(arrays)
    for k in range(order.size):
        gaps[order[k]] = ascend(arrays, weights, live, scale, state, atoms, order[k], work)


def best_scaling(loss: float, norm: float, C: float) -> float:
    """max over 0 <= s <= 1 of D(s M), where s M mixes M with gold. loss: E_M[loss]; norm: ||V(M)||_{2,p*}."""
    bend = (C * norm) ** 2
    s = 1.0 if bend <= C * loss else C * loss / bend
    return -0.5 * s * s * bend + s * C * loss


class TemplateWeights:
    """Template weights mu for p = 1, re-estimated after each pass by multiplicative updates with one step size per template.

    The variational formula mu_j = ||w_j|| / sum ||w|| is mu_j <- mu_j * (||V_j|| / mean)^1, with the mean weighted by mu. Larger powers have
    the same fixed points (equal pulls ||V_j|| of live templates, smaller ones of dead templates) but converge faster. The power of a template
    grows while its pull stays on one side of the mean, and shrinks when it crosses the mean (as in Rprop).
    """

    def __init__(self, n: int):
        self.mu = np.full(n, 1 / n)
        self._power = np.ones(n)
        self._side = np.zeros(n)

    def update(self, pull: np.ndarray, floor: float) -> np.ndarray:
        """New weights float64[T], summing to 1 and at least ``floor`` (templates at 0 stay there), from the pulls ||V_j|| (float64[T])."""
        mean = float(self.mu @ pull)
        if mean == 0:
            return self.mu.copy()
        side = np.sign(pull - mean)
        self._power = np.clip(np.where(side == self._side, 1.25, 0.5) * self._power, 0.5, 6.0)
        self._side = side
        change = self._power * np.log(np.maximum(pull / mean, 1e-3))
        new = self.mu * np.exp(np.clip(change, -1.5, 1.5))
        new = np.where(self.mu > 0, np.maximum(new / new.sum(), floor), 0)
        self.mu = new / new.sum()
        return self.mu.copy()

    def revive(self, mu: np.ndarray, pull: np.ndarray, weight: float) -> np.ndarray:
        """``mu``, with ``weight`` for templates at 0 whose pull is larger than the average of the live ones."""
        back = (mu == 0) & (pull > float(mu @ pull))
        self._power[back], self._side[back] = 1.0, 0.0
        new = np.where(back, weight, mu)
        self.mu = new / new.sum()
        return self.mu.copy()
