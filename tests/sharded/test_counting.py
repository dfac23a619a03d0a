"""One index for all shards."""

import numpy as np
import pytest

from spacy_mtl.sharded.counting import added, index_of, owners_of, parted
from spacy_mtl.structures.problem import block_starts
from spacy_mtl.templates.extract import Program
from spacy_mtl.templates.grammar import parse_template
from spacy_mtl.templates.index import build_index
from spacy_mtl.templates.indexing import CountingIndexer, GivenIndexer
from spacy_mtl.templates.program import compile_program

NAMES = {"A": 0, "B": 1}
TEMPLATES = [parse_template(text) for text in ("U0:%x[0,A]", "U1:%x[-1,A]/%x[0,B]", "U2:%x[1,B]")]


def corpus(seed, sentences=40):
    random = np.random.default_rng(seed)
    starts = block_starts(random.integers(1, 8, sentences))
    return random.integers(1, 9, (2, int(starts[-1]))).astype(np.uint64), starts


def program() -> Program:
    return compile_program(TEMPLATES, NAMES)


def shard(columns, starts, k, workers):
    """Every so many sentences."""
    own = range(k, starts.size - 1, workers)
    words = np.concatenate([np.arange(starts[s], starts[s + 1]) for s in own])
    return columns[:, words], block_starts([starts[s + 1] - starts[s] for s in own])


@pytest.mark.parametrize("min_count", [1, 3])
@pytest.mark.parametrize("workers", [1, 2, 5])
def test_shards_get_the_rows_of_one_corpus_up_to_order(workers, min_count):
    columns, starts = corpus(0)
    whole, rows = build_index(columns, starts, program(), min_count)
    sent = []
    for k in range(workers):
        indexer = CountingIndexer()
        indexer.of_positions(*shard(columns, starts, k, workers), program(), min_count)
        sent.append(parted(indexer.counts[0], workers))
    sums = [added([parts[k] for parts in sent]) for k in range(workers)]
    index = index_of(sums)
    assert np.array_equal(index.blocks, whole.blocks)
    for a, b in zip(index.blocks, index.blocks[1:], strict=False):
        assert set(index.keys[a:b]) == set(whole.keys[a:b])
    place = dict(zip(whole.keys.tolist(), range(whole.n_rows), strict=True))
    number = np.array([place[key] for key in index.keys.tolist()] + [-1])
    for k in range(workers):
        _, found = GivenIndexer([index]).of_positions(*shard(columns, starts, k, workers), program(), min_count)
        own = range(k, starts.size - 1, workers)
        expected = np.concatenate([rows[starts[s] : starts[s + 1]] for s in own])
        inside = np.concatenate([np.arange(starts[s + 1] - starts[s]) for s in own])
        assert np.array_equal(number[found], expected)
        assert inside.size == found.shape[0]


def test_the_order_of_rows_does_not_depend_on_the_number_of_workers():
    columns, starts = corpus(1)

    def index(workers):
        sent = []
        for k in range(workers):
            indexer = CountingIndexer()
            indexer.of_positions(*shard(columns, starts, k, workers), program(), 2)
            sent.append(parted(indexer.counts[0], workers))
        return index_of([added([parts[k] for parts in sent]) for k in range(workers)])

    one, three = index(1), index(3)
    assert np.array_equal(one.keys, three.keys)
    assert one.n_rows > 0


def test_frequent_rows_come_first():
    columns, starts = corpus(2)
    indexer = CountingIndexer()
    indexer.of_positions(columns, starts, program(), 1)
    counts = indexer.counts[0]
    index = index_of([counts])
    times = dict(zip(counts.keys.tolist(), counts.times.tolist(), strict=True))
    for a, b in zip(index.blocks, index.blocks[1:], strict=False):
        block = [times[key] for key in index.keys[a:b].tolist()]
        assert block == sorted(block, reverse=True)
        assert sum(block) == columns.shape[1]


def test_every_worker_gets_about_as_many_observations():
    keys = np.random.default_rng(0).integers(0, 2**63, 10_000).astype(np.uint64)
    for workers in (1, 3, 64):
        found = np.bincount(owners_of(keys, workers), minlength=workers)
        assert found.size == workers
        assert found.min() > 0.5 * keys.size / workers
    near = np.arange(1000, dtype=np.uint64)  # as hashes of arcs that differ in distance alone
    assert np.bincount(owners_of(near, 4)).min() > 200
