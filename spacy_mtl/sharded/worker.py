"""A worker: it reads its shard, and answers the driver about one component of the pipeline after the other."""

import os
import time
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import chain, islice, zip_longest
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np
from spacy.language import Language
from spacy.training import Example

from spacy_mtl.choosing.corpora import read_clearly
from spacy_mtl.components.protocol.base import StructuredPipe
from spacy_mtl.errors import Errors
from spacy_mtl.learning.gather import Piece
from spacy_mtl.learning.learner import Learner
from spacy_mtl.learning.possible import possible_outputs
from spacy_mtl.learning.streamed import Corpus, Stream, made_of
from spacy_mtl.sharded.counting import added, parted
from spacy_mtl.structures.contract import Weights
from spacy_mtl.templates.index import FeatureIndex
from spacy_mtl.templates.indexing import CountingIndexer, Counts, GivenIndexer, Indexer

from .checkpoint import read_shard, shard_path, write_shard
from .memory import give_back
from .pipeline import make
from .settings import check_trainer, trained_components
from .spec import Spec
from .training import ShardTrainer, ShardTraining

#: Documents of up to so many words are kept in memory.
MOST_WORDS = 1_000_000


class ShardWorker:
    """The worker with the documents of a shard. Whatever it is asked, it answers with something, never with None.

    number: of the worker. Raises ValueError: M771 and M773 for a corpus that cannot be read, M941 for a shard without documents.
    """

    def __init__(self, spec: Spec, number: int):
        if spec.folder.is_dir():
            os.chdir(spec.folder)
        self.spec, self.number = spec, number
        self._nlp = make(spec.config, spec.code)
        self._drafts: list[Any] = []
        self._counts: list[Counts] = []
        self._added: list[Counts] = []
        self._bound: Learner | None = None

    @cached_property
    def _examples(self) -> Corpus[Example]:
        """The documents of the shard. If there are many, they are read anew each time, since they take several times the memory of their features."""
        found, words = [], 0
        for example in self._read():
            found.append(example)
            words += len(example.predicted)
            if words > MOST_WORDS:
                return Stream(self._read)
        if not found:
            raise ValueError(Errors.M941.format(path=self.spec.source.files))
        return found

    def _read(self) -> Iterator[Example]:
        source = self.spec.source
        every = chain.from_iterable(read_clearly(self._nlp, block) for block in source.blocks)
        return islice(every, source.part, None, source.of)

    def seconds(self) -> float:
        """CPU seconds of this worker's process so far."""
        return time.process_time()

    # --- what all shards have to know of each other ---

    def begin(self, name: str) -> dict[str, Any]:
        """Begin with a component; returns what its shard has (see :meth:`.PipeHooks.survey`)."""
        nlp, self._bound = self._nlp, None
        with nlp.select_pipes(enable=[name]):
            nlp.initialize(lambda: self._examples)
        self._pipe = pipe_of(nlp, name)
        self._pipe.check_shards()
        self._trainer, self._drafts = check_trainer(name, self._pipe.trainer), []
        return self._pipe.survey(made_of(attrgetter("reference"), self._examples))

    def settle(self, surveys: Sequence[dict[str, Any]]) -> bool:
        """Learn what all shards have, and gather the documents."""
        self._pipe.settle(surveys)
        trained = trained_components(self._nlp, self._nlp.config.interpolate()["training"])
        with self._nlp.select_pipes(disable=[name for name in trained if name != self._pipe.name]):
            self._pieces: list[Piece] = self._pipe.gathered(self._examples)
        give_back()
        return True

    def count_pieces(self) -> dict[str, Any]:
        """What has to be counted of gold labels (see :meth:`.PipeHooks.count_pieces`)."""
        return self._pipe.count_pieces(self._pieces)

    def settle_pieces(self, counts: Sequence[dict[str, Any]]) -> bool:
        """Learn what was counted of all shards."""
        self._pipe.settle_pieces(counts)
        return True

    def draft(self, wanted: bool) -> list[Any]:
        """What one shard decides for all, of each learner of features (see :meth:`.Learner.draft`); nothing where it is not wanted."""
        return [learner.draft(self._pieces) for learner in self._learner(CountingIndexer()).parts] if wanted else []

    def agree(self, drafts: list[Any]) -> bool:
        """Do as that shard has decided."""
        self._drafts = drafts
        return True

    # --- features ---

    def _learner(self, indexer: Indexer) -> Learner:
        learner = self._pipe.make_learner()
        for part, draft in zip_longest(learner.parts, self._drafts):
            part.indexer = indexer
            part.trainer = ShardTrainer(self._trainer.seed + self.number)
            if draft is not None:
                part.follow_draft(draft)
        return learner

    def count(self) -> int:
        """Count the observations of the shard. Returns its number of sentences."""
        indexer = CountingIndexer()
        learner = self._learner(indexer)
        self._pipe.before_features(self._pieces)
        learner.begin(self._pieces)
        self._counts = indexer.counts
        n = learner.trainings[0].problem.n
        del learner
        give_back()
        return n

    def hand_out(self, workers: int) -> list[list[Counts]]:
        """For each worker, the counts of the observations that belong to it, of all indices."""
        return [list(each) for each in zip(*(parted(counts, workers) for counts in self._counts), strict=True)]

    def add_up(self, *shards: Sequence[Counts]) -> bool:
        """Add up the counts of this worker's observations in all shards."""
        self._added = [added(parts) for parts in zip(*shards, strict=True)]
        return True

    def sums(self) -> list[Counts]:
        """What was added up, of all indices; those that occur often enough."""
        found, self._added = self._added, []
        return found

    def bind(self, indices: Sequence[tuple[np.ndarray, np.ndarray]]) -> int:
        """Number the features as all shards do. indices: keys and blocks of each (see :class:`.FeatureIndex`).

        Returns how many problems there are, which are trained independently of each other.
        """
        if self._bound is not None:  # asked again, because another worker was lost
            return len(self._bound.trainings)
        self._counts = []
        learner = self._learner(GivenIndexer([FeatureIndex(*index) for index in indices]))
        self._pipe.before_features(self._pieces)
        learner.begin(self._pieces)
        self._bound, self._pieces = learner, []
        self._pipe.forget_documents()
        for each in (learner, *learner.parts):
            each.documents = ()
        give_back()
        return len(learner.trainings)

    # --- training ---

    @property
    def _trainings(self) -> list[ShardTraining]:
        assert self._bound is not None
        found = [training for training in self._bound.trainings if isinstance(training, ShardTraining)]
        assert len(found) == len(self._bound.trainings)
        return found

    def on(self, part: int, method: str, *arguments: Any) -> Any:
        """Call a method of the :class:`.Shard` of a problem."""
        return getattr(self._trainings[part].shard, method)(*arguments)

    def keep(self, folder: Path) -> bool:
        """Write the mixtures of all problems to a folder that all machines share. Raises OSError: M650-M652."""
        for part, training in enumerate(self._trainings):
            write_shard(shard_path(folder, self._pipe.name, part, self.number), training.shard)
        return True

    def resume(self, folder: Path) -> int:
        """Take over mixtures that were kept in a folder. Returns of how many problems there were any that fit."""
        found = 0
        for part, training in enumerate(self._trainings):
            shard, path = training.shard, shard_path(folder, self._pipe.name, part, self.number)
            found += read_shard(path, shard, possible_outputs(shard.problem))
        return found

    def export(self, found: Sequence[tuple[np.ndarray, np.ndarray]] | None) -> bytes:
        """The component with these weights, as it is saved; nothing if none are given.

        found: for each problem all weights, flattened, and mu, float64[T + Tp].
        """
        if found is None:
            return b""
        assert self._bound is not None
        for part, (flat, mu) in enumerate(found):
            training = self._trainings[part]
            training.set(weights_of(training, flat), mu)
        return self._pipe.exported(self._bound)


def weights_of(training: ShardTraining, flat: np.ndarray) -> Weights:
    """Weights from all of their entries, as :func:`.flattened` has them."""
    weights = training.problem.zeros()
    node = weights.node.size
    weights.node.ravel()[:] = flat[:node]
    weights.pair.ravel()[:] = flat[node:]
    return weights


def pipe_of(nlp: Language, name: str) -> StructuredPipe:
    """The component of this name."""
    pipe: Any = nlp.get_pipe(name)
    assert isinstance(pipe, StructuredPipe)
    return pipe
