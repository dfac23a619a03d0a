"""MTLstruct on a corpus in shards: dual ascent in rounds (CoCoA+, Ma et al. 2015), certified by the gap over all shards."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from spacy_mtl.errors import Errors
from spacy_mtl.structures.contract import Weights
from spacy_mtl.thresholds import LIVE
from spacy_mtl.trainers.base import Report, relative_gap
from spacy_mtl.trainers.mtlstruct.bounds import Dual, filled
from spacy_mtl.trainers.mtlstruct.dual_ascent import LATE, OVER, REVIVAL, ROUNDING
from spacy_mtl.trainers.mtlstruct.norms import block_norm, dual_exponent
from spacy_mtl.trainers.mtlstruct.reweighing import FLOOR, reestimated
from spacy_mtl.trainers.mtlstruct.settings import MTLStructSettings
from spacy_mtl.trainers.shared.frank_wolfe import TemplateWeights, best_scaling
from spacy_mtl.trainers.shared.groups import template_groups

from .changes import add_changes
from .frame import common_frame
from .messages import Ascend, Follow
from .packing import flattened, packed, room_for, set_flat, unpacked
from .workers import MOST_LOST, Workers

#: How much larger sigma is than it would have had to be in the round before.
MARGIN = 1.25
#: The share of itself that sigma falls to in a round at most.
SLOWLY = 0.9


class LostError(Exception):
    """A worker was lost: what was asked of all has to be asked again."""


class ShardedAscent:
    """The driver: it has the weights w, the template weights mu, and no sentence.

    Each round, every worker ascends on the mixtures of its own sentences under the weights that all share, and sends one vector, by which its part
    of them has changed. The driver adds them up, estimates mu anew, and tells the workers.

    sigma: Ma et al. show that the sum d of all changes d_k raises the dual by what the workers have gained if sigma >= ||d||^2 / sum_k ||d_k||^2,
    which is the number of workers at most. The square is a sum over blocks, so each has a sigma of its own, float64[T + Tp]: small where features are
    rare, and few workers have the same. It is measured in each round, and what was needed in the last one is used in the next.
    passes: of each worker over its shard in a round.
    """

    def __init__(self, settings: MTLStructSettings, workers: Workers, passes: int = 1):
        self.settings, self.workers, self.passes = settings, workers, passes
        self.frame = common_frame(workers)
        n = self.frame.blocks.n
        self.mu = np.full(n, float(n) ** (1 - 2 / settings.p))
        self.sigma = np.full(n, float(len(workers)))
        self.rounds = 0
        self.gaps = np.inf
        self._w = self.frame.zeros()
        self._room = room_for(self._w)
        self._selector = TemplateWeights(n)
        self._filled = filled(self.frame)
        self._next = self._unchanged()
        self._torn = False
        self._mean: Weights | None = None
        self._meant = 0

    @property
    def weights(self) -> Weights:
        """The weights for prediction, float32: those that all share, or (``average``) their mean over about so many rounds."""
        if self._mean is not None:
            return self._mean
        if self._torn:
            self._gather()
        return self._w

    def _average(self) -> None:
        if self.settings.average > 1:
            self._mean = self.frame.zeros() if self._mean is None else self._mean
            self._meant += 1
            self.frame.blend(self._mean, self._w, 1 / min(self._meant, self.settings.average))

    def state(self) -> dict[str, np.ndarray]:
        """What the driver knows and the workers do not: mu, sigma, the number of rounds, and the average of the weights."""
        found = {"mu": self.mu, "sigma": self.sigma, "rounds": np.array([self.rounds, self._meant])}
        if self._mean is not None:
            found |= {"node": self._mean.node, "pair": self._mean.pair}
        return found

    @property
    def nbytes(self) -> int:
        """The bytes that :meth:`state` takes at most."""
        return 16 * (self.mu.size + 1) + sum(matrix.nbytes for matrix in self._w)

    def resume(self, state: Mapping[str, np.ndarray]) -> None:
        """Go on with mixtures that the workers have taken over. state: of an earlier training; what does not fit is not used."""
        self._torn = True
        expected = self.state() | {"node": self._w.node, "pair": self._w.pair}
        fits = {
            name
            for name, array in state.items()
            if name in expected
            and (array.shape, array.dtype) == (expected[name].shape, expected[name].dtype)
            and np.isfinite(array).all()
        }
        if not {"mu", "sigma", "rounds"} <= fits or (state["mu"] < 0).any() or not state["mu"].any():
            return
        self.mu, self.sigma = state["mu"].copy(), np.clip(state["sigma"], 1.0, len(self.workers))
        self._selector.begin_at(self.mu)
        self.rounds, meant = (max(0, int(n)) for n in state["rounds"])
        if {"node", "pair"} <= fits and meant and self.settings.average > 1:
            self._mean, self._meant = Weights(state["node"].copy(), state["pair"].copy()), meant

    def round(self) -> None:
        """One exchange: every worker makes its passes, and the weights follow."""
        if self._torn:
            self._gather()
        elif self.settings.p == 1 and self.rounds and self.rounds % REVIVAL == 0:
            self._revive()
        scales = self.settings.C * self.mu
        pace = OVER if self.rounds >= LATE else 1.0
        task = Ascend(self._next, scales, self.sigma, self.passes, pace)
        found = self.workers.call("ascend", [(task,)] * len(self.workers))
        self.rounds += 1
        self._torn = any(each is None for each in found)
        if not self._torn:
            self._add(found, scales > 0)

    def _add(self, found: list[Any], mask: np.ndarray) -> None:
        """Add up what the workers have changed in the blocks of a mask, and estimate mu anew."""
        total, together = add_changes(self.frame, self._w, mask, [each.change for each in found], self._room)
        alone = np.sum([each.squares for each in found], axis=0)
        needed = np.divide(together, alone, out=np.zeros_like(alone), where=alone > 0)
        self.sigma = np.clip(np.maximum(MARGIN * needed, SLOWLY * self.sigma), 1.0, len(self.workers))
        self.gaps = sum(each.gaps for each in found)
        norms = self.frame.block_norms(self._w)
        new = reestimated(self.settings, self.mu, norms, self._selector, self._filled, self.rounds)
        factors = np.divide(new, self.mu, out=np.zeros_like(new), where=self.mu > 0)
        self.frame.scale_blocks(self._w, factors)
        self.mu = new
        self._next = Follow(mask, total, factors, False)
        self._average()

    def _ask(self, method: str, *given: Any) -> list[Any]:
        found = self.workers.call(method, [given] * len(self.workers))
        if any(each is None for each in found):
            raise LostError
        return found

    def _unchanged(self) -> Follow:
        n = self.frame.blocks.n
        return Follow(np.zeros(n, bool), packed(np.empty(0, np.float32)), np.ones(n), False)

    def _sum_up(self) -> np.ndarray:
        """Set the weights to C mu_j V_j(M), with V(M) summed over all shards in double precision; returns ||V_j||, float64[T + Tp].

        For all templates, whatever their mu. Raises LostError.
        """
        norms = np.zeros(self.mu.size)
        for mask in template_groups(self.frame, 1):
            total = np.sum([unpacked(each) for each in self._ask("vector", mask)], axis=0)
            vector = Weights(*(np.zeros(matrix.shape) for matrix in self._w))
            set_flat(self.frame, vector, mask, total)
            norms += self.frame.block_norms(vector, mask)
            self.frame.scale_blocks(vector, self.settings.C * self.mu)
            set_flat(self.frame, self._w, mask, flattened(self.frame, vector, mask))
        return norms

    def _tell_all(self) -> None:
        """Have the workers get the weights as they are, whatever they had."""
        self._next = self._all_of(self._w)

    def _all_of(self, weights: Weights) -> Follow:
        everything = np.ones(self.mu.size, bool)
        return Follow(everything, packed(flattened(self.frame, weights, everything)), np.ones(self.mu.size), True)

    def _gather(self) -> np.ndarray:
        """The weights of the mixtures as they are now, after a worker was lost or for a certificate; returns ||V_j||."""
        for _ in range(MOST_LOST):
            try:
                norms = self._sum_up()
            except LostError:
                continue
            self._tell_all()
            self._torn = False
            return norms
        raise ValueError(Errors.M377.format(lost=MOST_LOST))

    def _revive(self) -> None:
        """Look up all templates again; those that pull more than the average come back."""
        pulls = self._gather()
        before = self.mu
        self.mu = self._selector.revive(self.mu, pulls, FLOOR)
        if (self.mu[before == 0] > 0).any():
            self._gather()
        else:
            self.frame.scale_blocks(self._w, np.divide(self.mu, before, out=np.zeros_like(before), where=before > 0))
            self._tell_all()

    def certify(self) -> Report:
        """Primal of :attr:`weights` and dual of the mixtures, in double precision, over all shards.

        The weights that all share are computed again from the mixtures, so that no rounding error of the rounds is left in them.
        """
        for _ in range(MOST_LOST):
            pulls = self._gather()
            try:
                loss = float(sum(self._ask("loss")))
                hinges = float(sum(self._ask("hinges", self._all_of(self.weights))))
            except LostError:
                continue
            if self._mean is None:
                self._next = self._unchanged()  # they have them
            return self._report(self._dual(loss, pulls), hinges)
        raise ValueError(Errors.M377.format(lost=MOST_LOST))

    def _dual(self, loss: float, pulls: np.ndarray) -> Dual:
        C = self.settings.C
        dual = best_scaling(loss, block_norm(pulls, dual_exponent(self.settings.p)), C)
        return Dual(dual - ROUNDING * (abs(dual) + 2 * C * abs(loss)), pulls)

    def _report(self, dual: Dual, hinges: float) -> Report:
        p, C = self.settings.p, self.settings.C
        primal = 0.5 * block_norm(self.frame.block_norms(self.weights), p) ** 2 + C * hinges
        live = self.mu > LIVE * self.mu.sum() if p < 2 else dual.pulls > 0
        return Report(primal, dual.value, relative_gap(primal, dual.value), int(live.sum()), self.mu.size, self.rounds)
