"""Made-up chains of which few features matter: section 5.1 of the l1-M3N paper (Zhu, Xing and Zhang 2009), correlated features."""

from dataclasses import dataclass

import numpy as np

from spacy_mtl.sequences import SequenceProblem, problem_from_arrays

N_FEATURES = 100
#: Relevant features come first, copies of one value next to one another.
N_RELEVANT = 30
N_COPIES = 3
NOISE = 0.05
LENGTH = 8
N_LABELS = 2
#: Sequences of a data set.
N_SEQUENCES = 1000
#: Further ones from the same model, to choose constants on.
N_CHOICE = 500
#: Numbers of folds; one is trained on, the others are tested. With 1000 sequences: 50, 100, about 150, 200, 250 for training.
N_FOLDS = {50: 20, 100: 10, 150: 7, 200: 5, 250: 4}
SWEEPS = 100


@dataclass(frozen=True)
class Chains:
    """Sequences of one length. X: float32[S, LENGTH, F], F = N_FEATURES where none are left out. y: int64[S, LENGTH]."""

    X: np.ndarray
    y: np.ndarray

    def part(self, sequences: np.ndarray) -> "Chains":
        return Chains(self.X[sequences], self.y[sequences])

    def problem(self) -> SequenceProblem:
        """Every feature with every label, and the label pairs."""
        return problem_from_arrays({"x": self.rows()}, self.y.ravel(), self.lengths(), labels=range(N_LABELS))

    def rows(self) -> np.ndarray:
        return self.X.reshape(-1, self.X.shape[2])

    def only(self, features: np.ndarray) -> "Chains":
        """With these features alone."""
        return Chains(self.X[:, :, features], self.y)

    def lengths(self) -> np.ndarray:
        return np.full(len(self.X), LENGTH)


@dataclass(frozen=True)
class DataSet:
    """sequences: trained on and tested. choice: to choose constants on. node: float64[N_FEATURES, 2], step: float64[2, 2]; of their CRF."""

    sequences: Chains
    choice: Chains
    node: np.ndarray
    step: np.ndarray

    def folds(self, n: int) -> list[np.ndarray]:
        """Sequence numbers of n folds."""
        return np.array_split(np.arange(len(self.sequences.y)), n)

    def others(self, fold: np.ndarray) -> Chains:
        """All sequences but these."""
        return self.sequences.part(np.setdiff1d(np.arange(len(self.sequences.y)), fold))


def make_data(seed: int, n: int = N_SEQUENCES, n_choice: int = N_CHOICE) -> DataSet:
    """A linear-chain CRF and sequences from it. Its weights are uniform in [0, 1], as far as the first plot of Figure 3 shows."""
    random = np.random.default_rng(seed)
    node = np.zeros((N_FEATURES, N_LABELS))
    node[:N_RELEVANT] = random.random((N_RELEVANT, N_LABELS))
    step = random.random((N_LABELS, N_LABELS))
    X = draw_features(random, n + n_choice)
    y = gibbs(random, X @ node, step)
    return DataSet(Chains(X[:n], y[:n]), Chains(X[n:], y[n:]), node, step)


def draw_features(random: np.random.Generator, n: int) -> np.ndarray:
    """Standard normal values; of the relevant features, each group is one value that noise makes three."""
    X = random.normal(size=(n, LENGTH, N_FEATURES)).astype(np.float32)
    shared = random.normal(size=(n, LENGTH, N_RELEVANT // N_COPIES))
    X[:, :, :N_RELEVANT] = np.repeat(shared, N_COPIES, axis=2) + NOISE * X[:, :, :N_RELEVANT]
    return X


def gibbs(random: np.random.Generator, scores: np.ndarray, step: np.ndarray, sweeps: int = SWEEPS) -> np.ndarray:
    """Labels from p(y | x) of a chain of two labels. scores: float[S, L, 2]. step: float[2, 2]. Returns int64[S, L]."""
    n, length, _ = scores.shape
    y = random.integers(0, N_LABELS, (n, length))
    for _ in range(sweeps):
        for t in range(length):
            local = scores[:, t]
            if t > 0:
                local = local + step[y[:, t - 1]]
            if t < length - 1:
                local = local + step[:, y[:, t + 1]].T
            y[:, t] = random.random(n) < 1 / (1 + np.exp(local[:, 0] - local[:, 1]))
    return y
