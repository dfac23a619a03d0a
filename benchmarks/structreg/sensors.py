"""Real-valued features: a room's sensors minute by minute, and whether somebody is in (UCI Occupancy Detection).

It stands in for the paper's activity recognition, whose recordings are not to be had: real numbers instead of observations, and labels that last.
It is one room with two labels instead of twenty people and more activities, and an easy task: the light alone gives most labels away.
"""

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

from benchmarks.common.significance import Counts
from spacy_mtl.sequences import problem_from_arrays
from spacy_mtl.sequences.arrays import SequenceProblem
from spacy_mtl.structures.contract import Weights

NAME = "sensors"
SENSORS = ("Temperature", "Humidity", "Light", "CO2", "HumidityRatio")
#: The first test file comes before the training file in time, the second after it.
FILES = {"train": "datatraining.txt", "dev": "datatest.txt", "test": "datatest2.txt"}
#: Minutes of a sequence.
LENGTH = 60
#: Minutes over which means and deviations are taken: this one and those before.
WINDOW = 10


def read(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Readings float64[N, 5] and labels int64[N]. The rows have a number before their first column that the heading lacks."""
    with path.open(encoding="utf8", newline="") as file:
        lines = list(csv.reader(file))
    at = [lines[0].index(name) for name in (*SENSORS, "Occupancy")]
    shift = len(lines[1]) - len(lines[0])
    values = np.array([[float(line[i + shift]) for i in at] for line in lines[1:]])
    return values[:, :-1], values[:, -1].astype(np.int64)


def features(readings: np.ndarray, mean: np.ndarray, deviation: np.ndarray) -> dict[str, np.ndarray]:
    """Readings in units of the training part, their means and deviations over the last minutes, and a constant: a block each."""
    scaled = (readings - mean) / deviation
    before = np.concatenate([np.repeat(scaled[:1], WINDOW - 1, axis=0), scaled])
    windows = np.lib.stride_tricks.sliding_window_view(before, WINDOW, axis=0)
    blocks = {
        "readings": scaled,
        "means": windows.mean(axis=2),
        "deviations": windows.std(axis=2),
        "constant": np.ones((len(scaled), 1)),
    }
    return {name: block.astype(np.float32) for name, block in blocks.items()}


def lengths_of(n: int) -> list[int]:
    """Sequences of an hour, and what is left."""
    return [LENGTH] * (n // LENGTH) + [n % LENGTH] * bool(n % LENGTH)


@dataclass(frozen=True)
class Part:
    """Sequences to label, and their labels."""

    blocks: dict[str, np.ndarray]
    gold: np.ndarray

    def sequences(self) -> Iterator[slice]:
        ends = np.cumsum([0, *lengths_of(self.gold.size)]).tolist()
        return (slice(a, b) for a, b in pairwise(ends))


@dataclass(frozen=True)
class SensorData:
    """Like :class:`.data.Data`: the training problem, and dev and test to be labelled."""

    train: SequenceProblem
    others: dict[str, Part]

    @classmethod
    def load(cls, corpora: Path) -> "SensorData":
        parts = {part: read(corpora / "occupancy" / name) for part, name in FILES.items()}
        readings, gold = parts["train"]
        mean, deviation = readings.mean(axis=0), readings.std(axis=0)
        blocks = {part: features(values, mean, deviation) for part, (values, _) in parts.items()}
        train = problem_from_arrays(blocks["train"], gold, lengths_of(gold.size))
        return cls(train, {part: Part(blocks[part], parts[part][1]) for part in ("dev", "test")})

    def counts(self, part: str, weights: Weights) -> Counts:
        """Minutes that are right, for each sequence."""
        of = self.others[part]
        right = self.train.model(weights).predict(of.blocks, lengths_of(of.gold.size)) == of.gold
        sums = np.array([right[where].sum() for where in of.sequences()], np.int64)
        sizes = np.array(lengths_of(of.gold.size), np.int64)
        return Counts(sums, sizes, sizes)

    def score(self, part: str, weights: Weights) -> float:
        """Accuracy in percent."""
        return self.counts(part, weights).score()
