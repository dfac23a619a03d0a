"""Active learning, simulated: a recognizer chooses from the training corpus what it learns from next; beside it one that draws at random."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from spacy.training import Example

from benchmarks.common.measure import Clock
from benchmarks.ner.data import Data, Ours
from benchmarks.ner.ours import warm_up
from spacy_mtl.choosing.refit import Refit
from spacy_mtl.choosing.schedule import Schedule
from spacy_mtl.choosing.suggesting import Wanted, choose
from spacy_mtl.choosing.uncertain import uncertainty
from spacy_mtl.components.protocol.base import StructuredPipe
from spacy_mtl.stand_in import stand_in

RANDOM = "random"


class Simulation:
    """Sentences of a corpus that are annotated bit by bit. part: what is scored."""

    def __init__(self, data: Data, ours: Ours, part: str):
        self.nlp, _ = ours.pipeline(data)
        self.pool = data.part(self.nlp, "train", 1).examples()
        self.sizes = [len(example.reference) for example in self.pool]
        test = data.part(self.nlp, part, 1).examples()
        self.refit = Refit(self.nlp, "mtl_ner", self.pool, test, Schedule.passes(ours.passes))
        self.passes = ours.passes

    def trained(self, chosen: Sequence[int]) -> StructuredPipe:
        """A component trained from scratch on these sentences."""
        examples: list[Example] = [self.pool[k] for k in chosen]
        self.refit.train = examples
        pipe = self.refit.make(self.refit.config())
        pipe.update([stand_in(examples, self.passes)])
        return pipe

    def rounds(self, by: str, seed: int, n: int, tokens: int, diversity: float) -> Iterator[dict[str, float]]:
        """Tokens annotated and the score, after each round of so many tokens. The first round is drawn at random, the same for all."""
        order = np.random.default_rng(seed).permutation(len(self.pool)).tolist()
        chosen = self._drawn(order, tokens)
        for _ in range(n):
            clock = Clock()
            with clock("cpu_train"):
                pipe = self.trained(chosen)
            score = self.refit.score(pipe)
            rest = [k for k in order if k not in set(chosen)]
            with clock("cpu_choose"):
                new = self._next(pipe, rest, by, tokens, diversity)
            yield {"tokens": sum(self.sizes[k] for k in chosen), "f1": score, **clock.seconds}
            chosen = [*chosen, *new]

    def _drawn(self, order: Sequence[int], tokens: int) -> list[int]:
        within = np.cumsum([self.sizes[k] for k in order]) <= tokens
        return list(order[: int(within.sum())])

    def _next(self, pipe: StructuredPipe, rest: Sequence[int], by: str, tokens: int, diversity: float) -> list[int]:
        if by == RANDOM:
            return self._drawn(rest, tokens)
        docs = [self.pool[k].predicted for k in rest]
        found = choose(
            uncertainty(pipe, docs, by),
            [self.sizes[k] for k in rest],
            Wanted(len(rest), tokens, diversity),
        )
        return [rest[choice.number] for choice in found]


def run(
    data: dict, ours: dict, part: str, by: str, seed: int, rounds: int, tokens: int, diversity: float
) -> dict[str, Any]:
    """One strategy with one seed: the points of its curve."""
    the_data, settings = Data(**data), Ours(**ours)
    warm_up(the_data, settings)
    simulation = Simulation(the_data, settings, part)
    points = list(simulation.rounds(by, seed, rounds, tokens, diversity))
    return {"by": by, "seed": seed, "part": part, "diversity": diversity, "points": points}


def full(data: dict, ours: dict, part: str) -> dict[str, Any]:
    """The score of training on everything."""
    simulation = Simulation(Data(**data), Ours(**ours), part)
    everything = range(len(simulation.pool))
    return {"full_f1": simulation.refit.score(simulation.trained(everything)), "full_tokens": sum(simulation.sizes)}


def tokens_until(points: Sequence[dict[str, float]], score: float) -> float | None:
    """Tokens at which a curve first reaches a score, on the line between two points; None if it does not."""
    before = None
    for point in points:
        if point["f1"] >= score:
            if before is None:
                return point["tokens"]
            share = (score - before["f1"]) / (point["f1"] - before["f1"])
            return before["tokens"] + share * (point["tokens"] - before["tokens"])
        before = point
    return None
