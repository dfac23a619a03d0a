"""The OCR letters: handwritten words in ten folds, and the blocks of features and kernels over their pixels."""

import gzip
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from spacy_mtl.sequences import KernelBlock
from spacy_mtl.sequences.gram import Kernel, neighbour_distance

N_PIXELS = 128
#: The kernels of Table 1.
SIGMA2 = 5.0
SPLINE_ZEROS = 0.95


@dataclass(frozen=True)
class Part:
    """Some words. pixels: float32[N, 128]. labels: str[N]. lengths: int64[S]."""

    pixels: np.ndarray
    labels: np.ndarray
    lengths: np.ndarray


@dataclass(frozen=True)
class Letters:
    """All words. pixels: float32[N, 128]. labels: str[N]. starts: int64[S + 1], first letters of words. folds: int64[S], of words."""

    pixels: np.ndarray
    labels: np.ndarray
    starts: np.ndarray
    folds: np.ndarray

    def words(self, *folds: int) -> np.ndarray:
        """Numbers of the words in these folds."""
        return np.flatnonzero(np.isin(self.folds, folds))

    def part(self, words: np.ndarray) -> Part:
        """These words, in this order."""
        letters = [np.arange(self.starts[word], self.starts[word + 1]) for word in words]
        rows = np.concatenate(letters)
        return Part(self.pixels[rows], self.labels[rows], np.array([len(letter) for letter in letters]))


def read_letters(path: Path) -> Letters:
    """Read ``letter.data.gz``: number, letter, number of the next one (-1 at the end of a word), word, place, fold, and 128 pixels."""
    labels, folds, is_last, pixels = [], [], [], []
    with gzip.open(path, "rb") as file:
        for line in file:
            fields = line.rstrip().split(b"\t", 6)
            labels.append(fields[1].decode("ascii"))
            is_last.append(fields[2] == b"-1")
            folds.append(int(fields[5]))
            pixels.append(fields[6][::2])
    table = np.frombuffer(b"".join(pixels), np.uint8).reshape(-1, N_PIXELS) - ord("0")
    starts = np.concatenate([[0], np.flatnonzero(is_last) + 1])
    return Letters(table.astype(np.float32), np.array(labels), starts, np.array(folds)[starts[:-1]])


def unit(pixels: np.ndarray) -> np.ndarray:
    """Rows of length 1: the linear kernel with unit diagonal."""
    return pixels / np.linalg.norm(pixels, axis=1, keepdims=True)


def average_values(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """(L + Q + G) / 3, as one kernel."""
    cosines = unit(a) @ unit(b).T
    distances = (a * a).sum(axis=1)[:, None] + (b * b).sum(axis=1)[None] - 2 * (a @ b.T)
    return (cosines + cosines**2 + np.exp(-distances / (2 * SIGMA2))) / 3


def half_spline(pixels: np.ndarray) -> KernelBlock:
    """Half the spline; its width is found in these positions."""
    whole = Kernel("b1_spline", h=neighbour_distance(pixels, SPLINE_ZEROS))
    return KernelBlock(pixels, lambda a, b: 0.5 * whole(a, b))


def same(pixels: np.ndarray) -> np.ndarray:
    return pixels


def ones(pixels: np.ndarray) -> np.ndarray:
    """One feature that is always 1: a weight of every label."""
    return np.ones((len(pixels), 1), np.float32)


@dataclass(frozen=True)
class Kind:
    """A block over pixels. vectors: what it sees of them. block: what training makes of that."""

    vectors: Callable[[np.ndarray], np.ndarray] = same
    block: Callable[[np.ndarray], Any] = same


KINDS = {
    "pixels": Kind(),
    "bias": Kind(vectors=ones),
    "L": Kind(vectors=unit),
    "Q": Kind(block=lambda pixels: KernelBlock(pixels, "quadratic", normalize=True)),
    "G": Kind(block=lambda pixels: KernelBlock(pixels, "gaussian", sigma2=SIGMA2)),
    "B": Kind(block=lambda pixels: KernelBlock(pixels, "b1_spline", zeros=SPLINE_ZEROS)),
    "(L+Q+G)/3": Kind(block=lambda pixels: KernelBlock(pixels, average_values)),
    "L/2": Kind(vectors=lambda pixels: unit(pixels) * np.float32(np.sqrt(0.5))),
    "B/2": Kind(block=half_spline),
}


def blocks(kinds: str, pixels: np.ndarray) -> dict[str, Any]:
    """Blocks for training. kinds: names of KINDS, joined by commas."""
    return {kind: KINDS[kind].block(KINDS[kind].vectors(pixels)) for kind in kinds.split(",")}


def new_blocks(kinds: str, pixels: np.ndarray) -> dict[str, Any]:
    """The same for prediction."""
    return {kind: KINDS[kind].vectors(pixels) for kind in kinds.split(",")}
