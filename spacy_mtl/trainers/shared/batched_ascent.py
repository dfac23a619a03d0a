"""Block-coordinate Frank-Wolfe in small batches, so that several threads share the work of a pass (cf. Wang et al. 2016, who do not wait).

All sentences of a batch choose their steps under the same weights, each by some thread; then the steps are added to the weights, each template by one
thread and in the order of the sentences. So the result depends on the batches but not on which thread was faster.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from spacy_mtl.kernels import kernel, subkernel
from spacy_mtl.structures.contract import (
    Live,
    Scale,
    Weights,
    add_direction,
    hold_weights,
    load_output,
    new_work,
    output_loss,
    set_difference,
    store_output,
)
from spacy_mtl.structures.problem import Problem
from spacy_mtl.threads.crew import Crew
from spacy_mtl.threads.meeting import meet, next_task

from .frank_wolfe import Atoms, ascent_pass, best_step, move_share

#: Sentences of a batch, and how many times as many there must be in the corpus: where one batch is a large part of it, it would overshoot.
BATCH, BATCHES = 16, 32
#: By how much steps are shorter than a sentence's own best ones at first, since those of a batch are made at the same time.
SHORTER = 1.3
#: A pass whose steps together have gained less than the first share of what each would have gained alone has overshot: steps get shorter. Above the
#: second share they get longer again. A pass that gains less than LEAST of the penalty tells nothing, since weights have single precision.
LITTLE, MUCH, LEAST = 0.5, 0.8, 1e-4


class Steps(NamedTuple):
    """The steps of a pass. before: int32[n_slots], the output that each sentence has moved away from; the one it has moved to is in the buffer of the
    atoms. lengths: float64[S]. losses, gains: float64[S], by how much the step has changed the expected loss, and raised the dual divided by C.
    """

    before: np.ndarray
    lengths: np.ndarray
    losses: np.ndarray
    gains: np.ndarray


def new_steps(atoms: Atoms) -> Steps:
    """Space for the steps of the sentences that have these atoms."""
    n = len(atoms.weights)
    return Steps(np.zeros(atoms.outputs.shape[1], np.int32), np.zeros(n), np.zeros(n), np.zeros(n))


@subkernel
def choose_step(arrays, weights, live, scale, atoms, steps, i, work, scores, gaps, pace):
    """Move the shares of sentence i by its best step; :func:`add_step` then changes the weights."""
    buffer = atoms.outputs[scores.size]
    gap, length, gain, target, worst = best_step(arrays, weights, live, scale, atoms, i, work, scores, pace)
    gaps[i], steps.lengths[i], steps.gains[i], steps.losses[i] = gap, length, gain, 0.0
    if length > 0:
        store_output(arrays, i, work, buffer)
        loss = output_loss(arrays, i, work)
        load_output(arrays, i, atoms.outputs[worst], work)
        steps.losses[i] = length * (loss - output_loss(arrays, i, work))
        store_output(arrays, i, work, steps.before)
        load_output(arrays, i, buffer, work)
        move_share(arrays, atoms, i, work, length, target, worst)


@subkernel
def add_step(arrays, weights, live, scale, atoms, steps, i, work):
    """Add the step of sentence i to the blocks of the ``live`` templates."""
    if steps.lengths[i] > 0:
        load_output(arrays, i, atoms.outputs[atoms.weights.shape[1]], work)
        set_difference(arrays, i, steps.before, work)
        add_direction(arrays, weights, live, scale, i, work, -steps.lengths[i])


@kernel
def batched_pass(arrays, weights, live, own, scale, atoms, steps, order, gaps, pace, batch, n_threads, state):
    """One thread's part of a pass: as :func:`.ascent_pass`, with the sentences of ``order`` in batches of ``batch``.

    own: the templates whose weights this thread writes. state: where the ``n_threads`` threads meet. If one of them fails, the others stop; the
    mixtures are then valid, but the weights need not belong to them.
    """
    work, other, scores = new_work(arrays), new_work(arrays), np.empty(atoms.weights.shape[1])
    for begin in range(0, order.size, batch):
        end = min(begin + batch, order.size)
        hold_weights(arrays, weights, live, work)
        k = begin + next_task(state)
        while k < end:
            choose_step(arrays, weights, live, scale, atoms, steps, order[k], work, scores, gaps, pace)
            k = begin + next_task(state)
        if not meet(state, n_threads):
            return
        for k in range(begin, end):
            add_step(arrays, weights, own, scale, atoms, steps, order[k], other)
        if not meet(state, n_threads):
            return


def longest_first(problem: Problem, order: np.ndarray, batch: int) -> np.ndarray:
    """The same batches, but each with its longest sentences first, so that threads wait less for the last one. int64[k]

    Sentences of structures that do not tell where they begin and end (``first`` and ``last``, int64[n]) stay in their order.
    """
    first, last = (getattr(problem.arrays, name, None) for name in ("first", "last"))
    if not (
        isinstance(first, np.ndarray) and isinstance(last, np.ndarray) and first.shape == last.shape == (problem.n,)
    ):
        return order
    return order[np.lexsort((first[order] - last[order], np.arange(order.size) // batch))]


def dealt(live: Live, n: int) -> list[Live]:
    """Deal out the templates to n threads."""
    return [Live(*(np.ascontiguousarray(numbers[k::n]) for numbers in live)) for k in range(n)]


class Passes:
    """Passes of dual ascent for given scales of the weights, by one thread or several. The result is the same for any number above one."""

    def __init__(self, crew: Crew):
        self.crew = crew
        self.shorter = SHORTER

    def run(
        self, problem: Problem, weights: Weights, live: Live, scale: Scale | Weights, atoms: Atoms, order: np.ndarray,
        gaps: np.ndarray, pace: float, penalty: Callable[[], float],
    ) -> None:  # fmt: skip
        """A pass as :func:`.ascent_pass` makes it. If anything is raised, the weights need not be those of the mixtures.

        scale: C mu_j of each template, or the same for each single weight. penalty: a function that returns what the dual subtracts from the expected
        loss, divided by C, at the current weights; it is called where the sentences are shared out.
        """
        batch = int(np.clip(problem.n // BATCHES, 1, BATCH))
        if self.crew.size == 1 or batch == 1:
            ascent_pass(problem.arrays, weights, live, scale, atoms, order, gaps, pace)
            return
        before, steps = penalty(), new_steps(atoms)
        self._share_out(problem, weights, live, scale, atoms, steps, order, gaps, pace / self.shorter, batch)
        after = penalty()
        gained, hoped = before - after + float(steps.losses.sum()), float(steps.gains.sum())
        if hoped > LEAST * after:
            self._adapt(gained / hoped)

    def _share_out(
        self, problem: Problem, weights: Weights, live: Live, scale: Scale | Weights, atoms: Atoms, steps: Steps,
        order: np.ndarray, gaps: np.ndarray, pace: float, batch: int,
    ) -> None:  # fmt: skip
        n_threads = min(self.crew.size, batch)
        own, order = dealt(live, n_threads), longest_first(problem, order, batch)

        def task(k: int, state: np.ndarray) -> None:
            if k < n_threads:
                batched_pass(
                    problem.arrays,
                    weights,
                    live,
                    own[k],
                    scale,
                    atoms,
                    steps,
                    order,
                    gaps,
                    pace,
                    batch,
                    n_threads,
                    state,
                )

        self.crew.run(task)

    def _adapt(self, share: float) -> None:
        """Choose the length of the next pass's steps by the share of the gains that came true."""
        if share < LITTLE:
            self.shorter *= SHORTER
        elif share > MUCH:
            self.shorter = max(SHORTER, self.shorter / 1.1)
