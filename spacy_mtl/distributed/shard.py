"""A shard: the sentences of one worker, with their mixtures of outputs and a copy of the weights that all share."""

from importlib.metadata import version

import numpy as np

from spacy_mtl.structures.contract import Weights
from spacy_mtl.structures.problem import Problem, shares
from spacy_mtl.trainers.shared.frank_wolfe import ascent_pass, gold_atoms
from spacy_mtl.trainers.shared.mixture import loss_of_mixtures, mixture_vector
from spacy_mtl.trainers.shared.multiples import hinges_and_losses

from .changes import follow_change, take_back
from .messages import Ascend, Ascended, Follow, Shape
from .packing import Packed, flattened, packed, room_for

#: Number of outputs stored for each sentence.
N_ATOMS = 32


def follow(problem: Problem, weights: Weights, how: Follow) -> None:
    """Change weights in place. The driver and all workers do it alike, so that their weights are the same to the bit."""
    if how.whole:
        for matrix in weights:
            matrix[:] = 0
    follow_change(problem, weights, how.mask, how.change)
    problem.scale_blocks(weights, how.factors)


class Shard:
    """The part of a problem that one worker has. All mass is on gold at first: a dual point that is feasible, and adds nothing to the weights.

    seed: order of the sentences within a pass.
    """

    def __init__(self, problem: Problem, seed: int = 0):
        self.problem = problem
        self.atoms = gold_atoms(problem.arrays, N_ATOMS)
        self._w = problem.zeros()
        self._room = room_for(self._w)
        self._gaps = np.zeros(problem.n)
        self._random = np.random.default_rng(seed)

    def shape(self) -> Shape:
        """What the driver compares."""
        problem, blocks = self.problem, self.problem.blocks
        widths = problem.node_width, problem.pair_width
        features = "features" in problem.offers
        return Shape(version("spacy_mtl"), blocks.names, blocks.node, blocks.pair, widths, problem.n, features)

    def ascend(self, task: Ascend) -> Ascended:
        """Make passes over the shard under the shared weights (Ma et al. 2015, equation 9, with gamma = 1).

        The local subproblem is the dual in which the square of this worker's own change of block j counts sigma_j times. So the weights that it sees
        change by sigma_j times what the shared ones will, which is the pass of one machine with all scales multiplied by sigma.
        """
        problem, mask = self.problem, task.scales > 0
        follow(problem, self._w, task.follow)
        before = flattened(problem, self._w, mask, self._room)
        live, scale = problem.live(mask), shares(problem, task.sigma * task.scales)
        for _ in range(task.passes):
            order = self._random.permutation(problem.n)
            ascent_pass(problem.arrays, self._w, live, scale, self.atoms, order, self._gaps, task.pace)
        change, squares = take_back(problem, self._w, mask, before, 1 / task.sigma)
        return Ascended(change, squares, float(self._gaps.sum()))

    def vector(self, mask: np.ndarray) -> Packed:
        """V(M) of the shard for the templates of a mask, in double precision."""
        return packed(flattened(self.problem, mixture_vector(self.problem, self.atoms, mask), mask))

    def loss(self) -> float:
        """E_M[loss], summed over the shard."""
        return float(loss_of_mixtures(self.problem.arrays, self.atoms, 0, self.problem.n))

    def hinges(self, how: Follow) -> float:
        """The sum of the structured hinges under the shared weights, in double precision."""
        follow(self.problem, self._w, how)
        return float(hinges_and_losses(self.problem, self._w)[0].sum())
