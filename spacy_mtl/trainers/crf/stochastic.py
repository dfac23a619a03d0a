"""The CRF with l2 penalty by stochastic gradient descent: the trainer that structure regularization was invented for."""

import numpy as np

from spacy_mtl.structures.contract import Weights
from spacy_mtl.structures.problem import Problem, shares
from spacy_mtl.trainers.base import Carry, Kept, Report
from spacy_mtl.trainers.shared.passes import NOTHING, OnlineTraining

from .settings import CRFSettings
from .sgd_steps import COUNT, SCALE, SUM, Iterates, Rate, blank_scalars, descend, log_losses, mean_size, settle

#: Number of sentences on which initial learning rates are tried.
SAMPLE = 500
#: The first rate to try, and the largest number of doublings or halvings.
FIRST_RATE, TRIALS = 0.1, 20
#: The rate falls as 1/t, and with averaging more slowly (Polyak & Juditsky 1992), with this power.
AVERAGED_POWER = 0.75


class StochasticCRF(OnlineTraining):
    """SGD with the rate eta_0 / (1 + lambda eta_0 t), lambda = 1/(C n).

    n is the number of sentences of the problem with which training began, and t counts such sentences. A piece of another problem, or of a corpus
    that is cut differently, counts as the average fraction of a sentence that it is, measured by the logarithm of the number of outputs (for chains,
    in tokens). So the objective of all pieces together is  1/2 ||w||^2 + C sum of the pieces' losses, whatever the cut.
    """

    def __init__(self, settings: CRFSettings, problem: Problem):
        super().__init__(problem, settings.seed)
        self.settings = settings
        self._n = problem.n
        self._size = self._mean_size(problem, np.random.default_rng(settings.seed).permutation(problem.n))
        self._cut = False
        self._eta0 = settings.eta0
        self._iterates = Iterates(problem.zeros(), self._no_rows(), blank_scalars())

    def _no_rows(self) -> Weights:
        """An empty weight vector in place of the average, if there is none."""
        return Weights(*(np.zeros((0, matrix.shape[1]), np.float32) for matrix in self.problem.zeros()))

    @property
    def eta0(self) -> float:
        """The initial learning rate, as given or as found on a sample of the sentences before the first step."""
        if self._eta0 is None:
            self._eta0 = self._find_rate()
        return self._eta0

    def _rate(self, eta0: float, power: float) -> Rate:
        return Rate(eta0, 1 / (self.settings.C * self._n), power, float(self._n))

    def learn(self, problem: Problem, order: np.ndarray) -> float:
        """Learn from these sentences (int64[k]) of a problem with the same features; return the sum of -log p(y_i), each before its step."""
        rate = self._rate(self.eta0, AVERAGED_POWER if self.settings.average else 1.0)
        if self.settings.average and not self._iterates.u.node.size + self._iterates.u.pair.size:
            self._iterates = self._iterates._replace(u=self.problem.zeros())
        return self._descend(problem, self._iterates, rate, order)

    def _descend(self, problem: Problem, iterates: Iterates, rate: Rate, order: np.ndarray) -> float:
        scale, share = shares(problem, np.ones(problem.blocks.n)), self._share(problem, order)
        return float(descend(problem.arrays, iterates, problem.all_live(), scale, rate, order, share))

    def zero_loss(self) -> float:
        """The sum of -log p(y_i) for zero weights, the logarithms of the numbers of outputs."""
        return float(log_losses(self.problem.arrays, self.problem.zeros(), NOTHING, np.arange(self.problem.n)))

    def _share(self, problem: Problem, order: np.ndarray) -> float:
        """The average fraction of a sentence of the first problem that each of these is."""
        if not self._size or (problem is self.problem and not self._cut):
            return 1.0
        return self._mean_size(problem, order) / self._size

    def _mean_size(self, problem: Problem, order: np.ndarray) -> float:
        """The mean size of a sample: the first sentences of a random order."""
        return float(mean_size(problem.arrays, problem.zeros(), order[:SAMPLE]))

    def _find_rate(self) -> float:
        """The best initial rate among powers of 2, by the objective of a sample after one pass over it (Bottou 2012, section 5.2)."""
        sample = np.random.default_rng(self.settings.seed).permutation(self.problem.n)[:SAMPLE]
        best, lowest = FIRST_RATE, self._tried(FIRST_RATE, sample)
        factor = 2.0
        for trial in range(1, TRIALS):
            found = self._tried(best * factor, sample)
            if found < lowest:
                best, lowest = best * factor, found
            elif trial == 1:
                factor = 0.5
            else:
                break
        return best

    def _tried(self, eta0: float, sample: np.ndarray) -> float:
        """lambda/2 ||w||^2 + the mean loss of the sample after a pass over it with this rate; infinity if it is not a number."""
        problem, rate = self.problem, self._rate(eta0, 1.0)
        iterates = Iterates(problem.zeros(), self._no_rows(), blank_scalars())
        self._descend(problem, iterates, rate, sample)
        settle(iterates)
        loss = log_losses(problem.arrays, iterates.v, problem.all_live(), sample)
        value = 0.5 * rate.decay * float(np.sum(problem.block_norms(iterates.v) ** 2)) + loss / sample.size
        return value if np.isfinite(value) else np.inf

    def end_pass(self) -> None:
        """End the pass as every online training does."""
        self.settle()
        super().end_pass()

    def settle(self) -> None:
        """Multiply the scalars into the vectors. This rounds, so it is done only at the end of a pass, and reading the weights changes nothing."""
        settle(self._iterates)

    def current_weights(self) -> Weights:
        """The average since the second pass if averaging is on, otherwise the last weights."""
        v, u, scalars = self._iterates
        if scalars[SCALE] != 1 or scalars[SUM]:  # amid a pass
            v, u = (Weights(*(matrix.copy() for matrix in vector)) for vector in (v, u))
            settle(Iterates(v, u, scalars.copy()))
        return u if scalars[COUNT] else v

    @property
    def template_weights(self) -> np.ndarray:
        """1 for templates with weights, 0 for others."""
        return np.where(self.problem.block_norms(self.weights) > 0, 1.0, 0.0)

    def measure(self) -> Report:
        """The objective; SGD has no dual."""
        problem, weights = self.problem, self.weights
        norms = problem.block_norms(weights)
        loss = float(log_losses(problem.arrays, weights, problem.all_live(), np.arange(problem.n)))
        primal = 0.5 * float(np.sum(norms**2)) + self.settings.C * loss
        return Report(primal, np.nan, np.nan, int(np.count_nonzero(norms)), norms.size, self.passes)

    def rebind(self, problem: Problem, carry: Carry) -> None:
        """Carry all vectors over to the new features; time and rate continue."""
        self.settle()
        v, u, scalars = self._iterates
        averaged = u.node.size + u.pair.size > 0
        best = None if self._best is None else carry(self._best)
        self._iterates = Iterates(carry(v), carry(u) if averaged else u, scalars)
        self.problem, self._best, self._report = problem, best, None

    def extend(self, problem: Problem, carry: Carry, kept: Kept) -> None:
        """Carry all vectors over; n is the number of sentences of the new corpus."""
        super().extend(problem, carry, kept)
        self._n = problem.n

    def recut(self, problem: Problem) -> None:
        """Continue with other pieces; n is still the number of sentences."""
        super().recut(problem)
        self._cut = True
