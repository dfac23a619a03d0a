"""Problems in shards, for tests."""

import numpy as np

from spacy_mtl.distributed.shard import Shard
from spacy_mtl.distributed.workers import LocalWorkers
from spacy_mtl.structures.problem import Problem


def part(problem: Problem, sentences: np.ndarray) -> Problem:
    """The same features with these sentences only: each "piece" that they are cut into is one of them."""
    return problem.cut(np.asarray(sentences, np.int64), 1e9, np.random.default_rng(0))


def local_workers(problem: Problem, count: int) -> LocalWorkers:
    """Every count-th sentence goes to the same worker."""

    def maker(k: int):
        return lambda: Shard(part(problem, np.arange(k, problem.n, count)), seed=k)

    return LocalWorkers([maker(k) for k in range(count)])
