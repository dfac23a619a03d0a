"""Block-coordinate Frank-Wolfe on the dual over mixtures of outputs, with pairwise steps (Lacoste-Julien et al. 2013; Osokin et al. 2016).

For fixed template weights mu the dual is  D_mu(M) = -1/2 C^2 sum_j mu_j ||V_j(M)||^2 + C E_M[loss],  with w_j = C mu_j V_j(M).
"""

from typing import NamedTuple

import numpy as np

from spacy_mtl.kernels import kernel, seldom_kernel, subkernel
from spacy_mtl.structures.contract import (
    add_direction,
    curvature,
    decode,
    gold_outputs,
    hold_weights,
    load_output,
    n_sentences,
    n_slots,
    new_work,
    same_output,
    score_parts,
    set_difference,
    store_output,
    stored_score,
)


class Atoms(NamedTuple):
    """The dual variable M: for each sentence, a few outputs and their shares of its mixture.

    outputs: int32[K + 1, n_slots], the last one a buffer. weights: float64[S, K], 0 for free slots; they sum to 1 up to double precision.
    """

    outputs: np.ndarray
    weights: np.ndarray


@seldom_kernel
def gold_atoms(arrays, n_atoms):
    """Put all weight on the gold outputs, with space for ``n_atoms`` outputs per sentence."""
    outputs = np.zeros((n_atoms + 1, n_slots(arrays)), np.int32)
    gold = gold_outputs(arrays)
    for slot in range(gold.size):  # numba's assignment of rows compiles formatted messages
        outputs[0, slot] = gold[slot]
    weights = np.zeros((n_sentences(arrays), n_atoms))
    weights[:, 0] = 1
    return Atoms(outputs, weights)


@subkernel
def score_atoms(arrays, atoms, i, work, scores):
    """Write the scores of sentence i's atoms to ``scores``, float64[K]; return the best and the worst atom and the mean score."""
    best, worst, mean = -1, -1, 0.0
    for k in range(scores.size):
        share = atoms.weights[i, k]
        if share > 0:
            scores[k] = stored_score(arrays, i, atoms.outputs[k], work)
            mean += share * scores[k]
            if best < 0 or scores[k] > scores[best]:
                best = k
            if worst < 0 or scores[k] < scores[worst]:
                worst = k
    return best, worst, mean


@subkernel
def place_of(arrays, atoms, i, work):
    """The slot of the output in ``work`` among sentence i's atoms, or else a free slot, or else -1."""
    free = -1
    for k in range(atoms.weights.shape[1]):
        if atoms.weights[i, k] == 0:
            free = k
        elif same_output(arrays, i, work, atoms.outputs[k]):
            return k
    return free


@subkernel
def lightest(weights):
    """The number of the smallest entry."""
    least = 0
    for k in range(weights.size):
        if weights[k] < weights[least]:
            least = k
    return least


@subkernel
def best_step(arrays, weights, live, scale, atoms, i, work, scores, pace):
    """Find the step of sentence i from its worst atom to its most violated output, with exact line search, and set the direction in ``work``.

    Return the Frank-Wolfe gap, the length of the step (0 where there is none), by how much it raises the dual, divided by C, and the slots of the two
    outputs. The target's output is in ``work``.
    Scores of outputs are summed in double precision over the same part scores, so that rounding cannot make a worse output look better.
    """
    score_parts(arrays, weights, live, i, work)
    decode(arrays, i, work, True)
    buffer = atoms.outputs[scores.size]
    store_output(arrays, i, work, buffer)
    top = stored_score(arrays, i, buffer, work)
    best, worst, mean = score_atoms(arrays, atoms, i, work, scores)
    target = place_of(arrays, atoms, i, work)
    whole = False
    if top <= scores[best]:
        target, top = best, scores[best]
        load_output(arrays, i, atoms.outputs[best], work)
    elif target < 0:
        target = worst = lightest(atoms.weights[i])
        whole = True
    gap, rise = top - mean, top - scores[worst]
    if rise <= 0:
        return 0.0, 0.0, 0.0, target, worst
    set_difference(arrays, i, atoms.outputs[worst], work)
    bend = curvature(arrays, live, scale, i, work)
    longest = atoms.weights[i, worst]
    step = longest if whole or pace * rise >= longest * bend else pace * rise / bend
    return gap, step, step * rise - 0.5 * step * step * bend, target, worst


@subkernel
def move_share(arrays, atoms, i, work, step, target, worst):
    """Move the share ``step`` of sentence i's mixture from the atom ``worst`` to the output in ``work``, at ``target``."""
    if target == worst or atoms.weights[i, target] == 0:
        store_output(arrays, i, work, atoms.outputs[target])
    atoms.weights[i, worst] -= step
    atoms.weights[i, target] += step


@subkernel
def ascend(arrays, weights, live, scale, atoms, i, work, scores, pace):
    """Make the best step of sentence i (:func:`best_step`); return its Frank-Wolfe gap before."""
    gap, step, _, target, worst = best_step(arrays, weights, live, scale, atoms, i, work, scores, pace)
    if step > 0:
        add_direction(arrays, weights, live, scale, i, work, -step)
        move_share(arrays, atoms, i, work, step, target, worst)
    return gap


@kernel
def ascent_pass(arrays, weights, live, scale, atoms, order, gaps, pace):
    """Make one step for each sentence of ``order``, towards its most violated output.

    scale: C mu_j of each template. order: int64[k]. gaps: float64[S], entry i is set to the gap of sentence i before its step.
    pace: factor on the length of the best step, from 1 to below 2 (where the dual would stay as it is).
    """
    work = new_work(arrays)
    hold_weights(arrays, weights, live, work)
    scores = np.empty(atoms.weights.shape[1])
    for k in range(order.size):
        gaps[order[k]] = ascend(arrays, weights, live, scale, atoms, order[k], work, scores, pace)


def best_scaling(loss: float, norm: float, C: float) -> float:
    """max over 0 <= s <= 1 of D(s M), where s M mixes M with gold. loss: E_M[loss], with offsets maybe below 0; norm: ||V(M)||_{2,p*}."""
    bend = (C * norm) ** 2
    if loss <= 0:
        return 0.0
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

    def begin_at(self, mu: np.ndarray) -> None:
        """Go on from weights float64[T] that were found before; templates at 0 stay there."""
        self.mu = mu / mu.sum()

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
