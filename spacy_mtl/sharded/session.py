"""A whole training on workers: the components of a config one after the other, evaluations, checkpoints, and the pipeline that is saved."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from spacy.language import Language
from spacy.training import Example
from spacy.training.loop import create_evaluation_callback, update_meta

from spacy_mtl.choosing.corpora import block_of, read_part
from spacy_mtl.choosing.schedule import Schedule
from spacy_mtl.components.protocol.base import StructuredPipe
from spacy_mtl.trainers.base import Report
from spacy_mtl.trainers.mtlstruct.settings import MTLStructSettings

from .about import about, begin, check_workers
from .checkpoint import Best, best_path, end, read_best, write_best
from .crew import Crew
from .driver import Driver
from .settings import check_frozen, check_independent, check_trainer, trained_components

#: Seconds between two checkpoints, at least.
OFTEN = 60.0
#: The folder of checkpoints, within that of the training.
CHECKPOINT = "checkpoint"


@dataclass(frozen=True)
class Row:
    """An evaluation. rounds: so far. report: over all shards. score: as spaCy weighs ``scores``, which are of the dev corpus. seconds: since the
    command began. sent, received: bytes to and from all workers since the component began.
    """

    component: str
    rounds: int
    report: Report
    score: float
    scores: dict[str, Any]
    seconds: float
    sent: int
    received: int


class Watcher(Protocol):
    """What shows progress."""

    def phase(self, component: str, what: str) -> None:
        """Something else is being done."""

    def goes_on(self, component: str, rounds: int) -> None:
        """A training that was ended after so many rounds goes on."""

    def round(self, done: int, total: int, promised: float) -> None:
        """Another round has ended. promised: see :attr:`.Driver.promised`."""

    def row(self, row: Row) -> None:
        """An evaluation has ended."""


@dataclass
class Session:
    """A training. nlp: the untrained pipeline, which gets the components as they are trained. output: the folder, which all machines share.

    where: the config, for messages. save: saves a pipeline to a folder. passes: of each worker over its shard in a round.
    """

    nlp: Language
    output: Path
    where: str
    watcher: Watcher
    save: Callable[[Language, Path], object]
    passes: int = 1
    _begun: float = field(default_factory=time.monotonic)
    _kept: float = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        self.config: Any = self.nlp.config.interpolate()
        self.training = self.config["training"]
        self.names = trained_components(self.nlp, self.training)
        self._blocks = [block_of(self.nlp, part, self.where) for part in ("train", "dev")]
        check_independent(self.nlp, self.names, self._blocks[0])
        self.schedule = Schedule.of(self.training)

    @property
    def checkpoint(self) -> Path:
        return self.output / CHECKPOINT

    def prepare(self) -> None:
        """Look at the folder, read the dev corpus, and make the vocabulary as the config says.

        Raises ValueError: M771-M773 for a corpus, what readers raise, M914 the folder has a training of another config or of other files that can be
        gone on with, M951 a component that is not to be trained does not work.
        """
        self.watcher.phase(self.names[0], "reading what has changed")
        begin(self.checkpoint, about(self.nlp.config.to_str(), self._blocks, self.config["initialize"]))
        with self.nlp.select_pipes(disable=self.nlp.pipe_names):
            self.nlp.initialize()
        examples = read_part(self.nlp, "dev", None, self.where)
        check_frozen(self.nlp, self.names, examples[0].predicted)

        def dev(_: Language) -> Sequence[Example]:
            return [Example(each.predicted.copy(), each.reference) for each in examples]

        self._evaluate = create_evaluation_callback(self.nlp, dev, self.training["score_weights"])

    def run(self, crew: Crew) -> Language:
        """Train all components, and save the pipeline with the best scores as model-best, and the last as model-last.

        A training that was ended before goes on from its checkpoint. Raises ValueError: M377, M914 that was of another number of workers, M944, and
        what workers raise; KeyboardInterrupt after what was learnt has been kept.
        """
        check_workers(self.checkpoint, len(crew))
        for name in self.names:
            self._train(Driver(crew, name, self._settings(name), partial(self.watcher.phase, name), self.passes))
        end(self.checkpoint)
        return self.nlp

    def _settings(self, name: str) -> MTLStructSettings:
        pipe: Any = self.nlp.get_pipe(name)
        return check_trainer(name, pipe.trainer)

    def _train(self, driver: Driver) -> None:
        path = best_path(self.checkpoint, driver.name)
        best = read_best(path)
        if best is None or not best.ended:
            best = self._trained(driver, best)
            if driver.name == self.names[-1]:  # the component is as it was scored last
                self.save(self.nlp, self.output / "model-last")
            write_best(path, best._replace(ended=True))
        self._pipe(driver.name).from_bytes(best.data, exclude=["vocab"])

    def _trained(self, driver: Driver, best: Best | None) -> Best:
        """The component with the best score. best: that of a training that was ended before."""
        driver.begin()
        if driver.resume(self.checkpoint):
            self.watcher.goes_on(driver.name, driver.rounds)
        scores = [] if best is None else [best.score]
        total = sum(self.schedule)
        try:
            for passes in self._left(min(driver.rounds, total - 1)):
                self._rounds(driver, passes, total)
                row, data = self._evaluated(driver)
                scores.append(row.score)
                if best is None or row.score >= best.score:  # of equal scores the last, as in spaCy's loop
                    best = Best(row.score, data, False)
                    if driver.name == self.names[-1]:  # others follow, which are untrained yet
                        self.save(self.nlp, self.output / "model-best")
                    write_best(best_path(self.checkpoint, driver.name), best)
                if row.report.gap <= driver.settings.tol or self.schedule.is_over(scores):
                    break
        except KeyboardInterrupt:
            self._keep(driver)
            raise
        assert best is not None
        return best

    def _left(self, done: int) -> list[int]:
        """The rounds before each evaluation that are left after so many."""
        left = []
        for passes in self.schedule:
            if done < passes:
                left.append(passes - done)
            done = max(0, done - passes)
        return left

    def _rounds(self, driver: Driver, passes: int, total: int) -> None:
        for _ in range(passes):
            driver.round()
            self.watcher.round(driver.rounds, total, driver.promised)
            if time.monotonic() - self._kept > OFTEN:
                self._keep(driver)

    def _keep(self, driver: Driver) -> None:
        """Write a checkpoint."""
        driver.keep(self.checkpoint)
        self._kept = time.monotonic()

    def _pipe(self, name: str) -> StructuredPipe:
        pipe: Any = self.nlp.get_pipe(name)
        return pipe

    def _evaluated(self, driver: Driver) -> tuple[Row, bytes]:
        """Certify, have the component made, and score the pipeline with it."""
        self.watcher.phase(driver.name, "certifying")
        report = driver.certify()
        data = driver.export()
        self._pipe(driver.name).from_bytes(data, exclude=["vocab"])
        self.watcher.phase(driver.name, "evaluating")
        with self.nlp.select_pipes(disable=self.names[self.names.index(driver.name) + 1 :]):
            score, scores = self._evaluate()
        update_meta(self.training, self.nlp, {"other_scores": scores, "losses": {}})
        crew = driver.crew
        seconds = time.monotonic() - self._begun
        row = Row(driver.name, driver.rounds, report, score, scores, seconds, sum(crew.sent), sum(crew.received))
        self.watcher.row(row)
        return row, data
