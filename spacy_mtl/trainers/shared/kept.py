"""What a training keeps when its corpus changes: the outputs that it stores, moved to where their sentences are now."""

import numpy as np

from spacy_mtl.kernels import kernel
from spacy_mtl.structures.contract import gold_outputs
from spacy_mtl.structures.problem import Problem
from spacy_mtl.trainers.base import Kept

from .frank_wolfe import Atoms, gold_atoms


@kernel
def _gold(arrays):
    return gold_outputs(arrays)


def moved_outputs(problem: Problem, kept: Kept, outputs: np.ndarray) -> np.ndarray:
    """Stored outputs int32[n_slots] in the places of the new problem; gold for new sentences, and where an output is not possible any more."""
    return _moved(kept, outputs, _gold(problem.arrays))


def _moved(kept: Kept, outputs: np.ndarray, gold: np.ndarray) -> np.ndarray:
    new = np.where(kept.slots >= 0, outputs[kept.slots], gold)
    return np.where(kept.possible(new)[kept.owners], new, gold).astype(np.int32)


def moved_atoms(problem: Problem, kept: Kept, atoms: Atoms) -> Atoms:
    """The mixtures of the old sentences, and gold for new ones. Gold takes the share of an output that is not possible any more."""
    n_atoms = atoms.weights.shape[1]
    moved = gold_atoms(problem.arrays, n_atoms)
    gold = moved.outputs[0].copy()
    for k in np.flatnonzero(atoms.weights.any(axis=0)):
        moved.outputs[k] = _moved(kept, atoms.outputs[k], gold)
    old = np.flatnonzero(kept.sentences >= 0)
    moved.weights[old] = atoms.weights[kept.sentences[old]]
    return moved
