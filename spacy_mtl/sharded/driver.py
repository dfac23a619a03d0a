"""The driver of one component: it has no document, asks the workers, and adds up what they answer."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from spacy_mtl.distributed.ascent import ShardedAscent
from spacy_mtl.distributed.workers import MOST_LOST
from spacy_mtl.errors import Errors
from spacy_mtl.learning.learner import joined
from spacy_mtl.sharded.counting import index_of
from spacy_mtl.structures.contract import Weights
from spacy_mtl.trainers.base import Report
from spacy_mtl.trainers.mtlstruct.reweighing import shown_weights
from spacy_mtl.trainers.mtlstruct.settings import MTLStructSettings

from .checkpoint import HEADERS, driver_path, read_arrays, write_arrays
from .crew import Crew, PartWorkers, ask, forget, tell

#: Told what is being done, in a few words.
Tell = Callable[[str], object]


@dataclass
class Driver:
    """Trains a component on the shards of a crew. name: of the component. settings: of its trainer. tell: see :data:`Tell`. passes: of each
    worker over its shard in a round.
    """

    crew: Crew
    name: str
    settings: MTLStructSettings
    tell: Tell = lambda _: None
    passes: int = 1

    def begin(self) -> None:
        """Have all shards read, counted and indexed. Raises ValueError: M377, M944, and what :func:`.common_frame` raises."""
        crew = self.crew
        crew.told.clear()
        self.tell("reading shards")
        surveys = tell(crew, "begin", self.name)
        tell(crew, "settle", surveys)
        counts = ask(crew, "count_pieces")
        tell(crew, "settle_pieces", counts)
        tell(crew, "agree", self._draft())
        self.tell("counting features")
        tell(crew, "count")
        indices = self._indices()
        self.tell("indexing features")
        forget(crew, "count")
        self.parts = tell(crew, "bind", indices)[0]
        self.ascents = [
            ShardedAscent(self.settings, PartWorkers(crew, part), self.passes) for part in range(self.parts)
        ]

    def _draft(self) -> list:
        """What the first shard decides for all."""
        for _ in range(MOST_LOST):
            found = self.crew.call("draft", [(k == 0,) for k in range(len(self.crew))])
            if found[0] is not None:
                return found[0]
        raise ValueError(Errors.M377.format(lost=MOST_LOST))

    def _indices(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """Keys and blocks of each index, from the sums of the workers; they begin again where one is lost meanwhile."""
        crew = self.crew
        for _ in range(MOST_LOST):
            before = list(crew.generations)
            if any(each is None for each in crew.exchange("hand_out", "add_up")):
                continue
            sums = crew.call("sums", [()] * len(crew))
            if crew.generations == before and all(each is not None for each in sums):
                indices = [index_of(parts) for parts in zip(*sums, strict=True)]
                return [(index.keys, index.blocks) for index in indices]
        raise ValueError(Errors.M377.format(lost=MOST_LOST))

    # --- training ---

    def round(self) -> None:
        """An exchange for each problem."""
        for ascent in self.ascents:
            ascent.round()

    @property
    def rounds(self) -> int:
        """The number of rounds so far."""
        return max(ascent.rounds for ascent in self.ascents)

    @property
    def promised(self) -> float:
        """The sum of the sentences' Frank-Wolfe gaps before the last steps, which falls to 0 as training converges."""
        return sum(ascent.gaps for ascent in self.ascents)

    def certify(self) -> Report:
        """Primal, dual and gap over all shards, of all problems together."""
        return joined([ascent.certify() for ascent in self.ascents])

    def export(self) -> bytes:
        """The component as it is saved, with the weights as they are now: one of the workers makes it."""
        found = [(_flat(ascent.weights), shown_weights(ascent.mu, self.settings.p)) for ascent in self.ascents]
        arguments: Sequence[tuple] = [(found,)] + [(None,)] * (len(self.crew) - 1)
        for _ in range(MOST_LOST):
            answer = self.crew.call("export", arguments)[0]
            if answer is not None:
                return answer
        raise ValueError(Errors.M377.format(lost=MOST_LOST))

    # --- checkpoints ---

    def keep(self, folder: Path) -> None:
        """Write what all shards and the driver know to a folder that all machines share.

        Shards are written one after the other, as they are; together they are a feasible dual point, whichever round each is of.
        """
        ask(self.crew, "keep", folder)
        arrays = {}
        for part, ascent in enumerate(self.ascents):
            for name, array in ascent.state().items():
                arrays[f"{name}{part}"] = array
        write_arrays(driver_path(folder, self.name), **arrays)
        forget(self.crew, "resume")
        self.crew.told.append(("resume", (folder,)))  # one that replaces another need not begin at gold

    def resume(self, folder: Path) -> bool:
        """Go on from what was kept in a folder, as far as it fits. Returns whether there was anything."""
        found = sum(tell(self.crew, "resume", folder))
        if not found:
            return False
        most = sum(ascent.nbytes for ascent in self.ascents) + HEADERS
        arrays = read_arrays(driver_path(folder, self.name), most)
        for part, ascent in enumerate(self.ascents):
            end = str(part)
            ascent.resume({name[: -len(end)]: array for name, array in arrays.items() if name.endswith(end)})
        return True


def _flat(weights: Weights) -> np.ndarray:
    return np.concatenate([weights.node.ravel(), weights.pair.ravel()])
