"""The filter of hopeless arcs: scores and steps against a plain-Python reference, what it learns, and which arcs it keeps."""

import itertools

import numpy as np
import pytest

from spacy_mtl.structures.tree.build import all_arcs
from spacy_mtl.structures.tree.filter import (
    FilterTables,
    empty_tables,
    filtered_arcs,
    learn_filter,
    marked_arcs,
    padded,
    table_sizes,
    word_scores,
)

#: tags 1..3, the root 4, outside 0
N_TAGS = 5
STARTS = np.array([0, 1, 4, 18, 25])
FAR = np.float32(1e9)


def random_tables(rng) -> FilterTables:
    return FilterTables(*(rng.normal(size=size).astype(np.float32) for size in table_sizes(N_TAGS)))


def random_tags(rng) -> np.ndarray:
    return rng.integers(1, N_TAGS - 1, STARTS[-1])


def random_heads(rng) -> np.ndarray:
    """A tree for each sentence: every word hangs on an earlier one of a random order."""
    heads = np.zeros(STARTS[-1], np.int32)
    for start, stop in itertools.pairwise(STARTS):
        order = rng.permutation(stop - start) + 1
        for k, m in enumerate(order[1:], start=1):
            heads[start + m - 1] = order[rng.integers(k)]
    return heads


def features(tags: list[int], h: int, m: int) -> list[tuple[int, tuple[int, ...]]]:
    """Table and index of every feature of an arc. tags: of the words of one sentence."""
    n = len(tags)

    def tag(place: int) -> int:
        return 0 if not 0 <= place <= n else N_TAGS - 1 if place == 0 else int(tags[place - 1])

    left, gap = int(h > m), abs(h - m)
    distance = sum(gap >= bound for bound in (2, 3, 4, 5, 6, 11))
    both = (tag(h), tag(m))
    around = (tag(h - 1), tag(h + 1), tag(m - 1), tag(m + 1))
    between = {tag(p) for p in range(min(h, m) + 1, max(h, m))}
    found = [(0, (*both, distance + 7 * left))]
    found += [(k, (*both, neighbour, left)) for k, neighbour in enumerate(around, start=1)]
    return found + [(5, (*both, t)) for t in between]


def shaped(tables: FilterTables) -> list[np.ndarray]:
    shapes = [(N_TAGS, N_TAGS, 14), *[(N_TAGS, N_TAGS, N_TAGS, 2)] * 4, (N_TAGS,) * 3]
    return [table.reshape(shape) for table, shape in zip(tables, shapes, strict=True)]


def slow_scores(tables: FilterTables, tags, m: int) -> np.ndarray:
    """float64[n + 1], -inf for the word itself."""
    own = shaped(tables)
    return np.array(
        [-np.inf if h == m else sum(float(own[k][at]) for k, at in features(tags, h, m)) for h in range(len(tags) + 1)]
    )


def sentences(tags):
    return [tags[a:b] for a, b in itertools.pairwise(STARTS)]


def kept_heads(arcs) -> list[list[int]]:
    return [arcs.heads[a:b].tolist() for a, b in zip(arcs.first, arcs.first[1:], strict=False)]


def log_likelihood(tables: FilterTables, tags, heads) -> float:
    total = 0.0
    for sentence, gold in zip(sentences(tags), sentences(heads), strict=True):
        for m, head in enumerate(gold, start=1):
            scores = slow_scores(tables, sentence, m)
            total += scores[head] - np.logaddexp.reduce(scores)
    return total


@pytest.mark.parametrize("seed", range(3))
def test_scores(seed):
    rng = np.random.default_rng(seed)
    tables, tags = random_tables(rng), random_tags(rng)
    for start, stop in itertools.pairwise(STARTS):
        sentence = np.zeros(stop - start + 3, np.int64)
        n = padded(tags, start, stop, N_TAGS, sentence)
        present, counts, cells = np.zeros(N_TAGS + 1, np.int64), np.zeros(n + 1, np.int64), np.zeros(5, np.int64)
        for m in range(1, n + 1):
            scores = np.full(n + 1, np.nan, np.float32)
            word_scores(sentence, n, N_TAGS, m, tables, present, counts, cells, scores)
            np.testing.assert_allclose(scores, slow_scores(tables, tags[start:stop], m), rtol=1e-4, atol=1e-5)


def test_one_pass_is_a_gradient_step_after_every_word():
    rng = np.random.default_rng(0)
    tags, heads, rate = random_tags(rng), random_heads(rng), 0.1
    heads[5] = -1  # unknown
    tables, slow = empty_tables(N_TAGS), empty_tables(N_TAGS)
    learn_filter(tags, STARTS, heads, N_TAGS, tables, np.array([rate], np.float32))
    own = shaped(slow)
    for sentence, gold in zip(sentences(tags), sentences(heads), strict=True):
        for m, head in enumerate(gold, start=1):
            if head < 0:
                continue
            scores = slow_scores(slow, sentence, m)
            shares = np.exp(scores - np.logaddexp.reduce(scores))
            for h in range(len(sentence) + 1):
                if h != m:
                    for k, at in features(sentence, h, m):
                        own[k][at] += rate * ((h == head) - shares[h])
    for fast, table in zip(tables, slow, strict=True):
        np.testing.assert_allclose(fast, table, atol=2e-3)  # steps below 1e-4 are left out


def test_the_likelihood_rises():
    rng = np.random.default_rng(1)
    tags, heads = random_tags(rng), random_heads(rng)
    tables = empty_tables(N_TAGS)
    likelihoods = [log_likelihood(tables, tags, heads)]
    for _ in range(3):
        learn_filter(tags, STARTS, heads, N_TAGS, tables, np.array([0.05], np.float32))
        likelihoods.append(log_likelihood(tables, tags, heads))
    assert (np.diff(likelihoods) > 0).all()


def test_a_regular_language_is_learnt():
    """Every word hangs on the next word of tag 1; the last such on the root: gold ranks first, and little else is kept."""
    rng = np.random.default_rng(2)
    tags = rng.integers(1, 4, 300)
    starts = np.arange(0, 301, 10)
    tags[starts[1:] - 1] = 1
    heads = np.zeros(300, np.int32)
    for start in starts[:-1]:
        for m in range(1, 10):
            heads[start + m - 1] = next(h for h in range(m + 1, 11) if tags[start + h - 1] == 1)
    tables = empty_tables(N_TAGS)
    learn_filter(tags, starts, heads, N_TAGS, tables, np.array([0.1, 0.05, 0.03] * 3, np.float32))
    arcs = filtered_arcs(tags, starts, N_TAGS, tables, 4.0)
    kept = kept_heads(arcs)
    assert np.mean([gold in own for gold, own in zip(heads, kept, strict=True)]) > 0.98
    assert arcs.heads.size < 0.4 * all_arcs(starts).heads.size


@pytest.mark.parametrize("margin", [0.5, 3.0])
@pytest.mark.parametrize("with_gold", [False, True])
def test_arcs_within_the_margin_are_kept(margin, with_gold):
    rng = np.random.default_rng(3)
    tables, tags, heads = random_tables(rng), random_tags(rng), random_heads(rng)
    heads[STARTS[2]] = -1
    kept = iter(kept_heads(filtered_arcs(tags, STARTS, N_TAGS, tables, margin, heads if with_gold else None)))
    for sentence, gold in zip(sentences(tags), sentences(heads), strict=True):
        for m, head in enumerate(gold, start=1):
            scores = slow_scores(tables, sentence, m)
            wanted = set(np.flatnonzero(scores >= scores.max() - margin).tolist()) | {m - 1}
            if with_gold and head >= 0:
                wanted.add(int(head))
            assert next(kept) == sorted(wanted)


@pytest.mark.parametrize("margin", [1.0, FAR])
def test_kept_arcs_have_the_scores_of_the_filter(margin):
    rng = np.random.default_rng(6)
    tables, tags, heads = random_tables(rng), random_tags(rng), random_heads(rng)
    arcs, marks = marked_arcs(tags, STARTS, N_TAGS, tables, margin, heads)
    scores = np.concatenate(
        [slow_scores(tables, sentence, m) for sentence in sentences(tags) for m in range(1, len(sentence) + 1)]
    )
    sizes = np.repeat(np.diff(STARTS) + 1, np.diff(STARTS))
    place = np.repeat(np.cumsum(sizes) - sizes, np.diff(arcs.first)) + arcs.heads
    np.testing.assert_allclose(marks, scores[place], rtol=1e-5, atol=1e-5)


def test_there_always_is_a_projective_tree_of_one_root():
    """The chain of words: it is kept however small the margin is."""
    rng = np.random.default_rng(4)
    kept = kept_heads(filtered_arcs(random_tags(rng), STARTS, N_TAGS, random_tables(rng), 1e-6))
    chain = np.concatenate([np.arange(size) for size in np.diff(STARTS)])
    assert all(head in own for head, own in zip(chain.tolist(), kept, strict=True))


def test_a_wide_margin_keeps_all_arcs():
    """More of them than there is room for at first."""
    rng = np.random.default_rng(5)
    starts = np.array([0, 40, 41])
    arcs, every = filtered_arcs(rng.integers(1, 4, 41), starts, N_TAGS, random_tables(rng), FAR), all_arcs(starts)
    np.testing.assert_array_equal(arcs.first, every.first)
    np.testing.assert_array_equal(arcs.heads, every.heads)


def test_arcs_as_good_as_the_best_are_kept_without_any_margin():
    starts, tags = np.array([0, 3, 7]), np.array([1, 2, 1, 2, 3, 1, 1])
    arcs, every = filtered_arcs(tags, starts, N_TAGS, empty_tables(N_TAGS), 0.0), all_arcs(starts)
    np.testing.assert_array_equal(arcs.first, every.first)
    np.testing.assert_array_equal(arcs.heads, every.heads)
