import random

import numpy as np
import pytest
from scipy.spatial.distance import pdist

from spacy_mtl.clustering import exchange as module
from spacy_mtl.clustering import hierarchy, neighbours
from spacy_mtl.clustering.exchange import exchange, first_clusters, likelihood
from spacy_mtl.clustering.hierarchy import paths_of
from spacy_mtl.clustering.learn import learn_clusters
from spacy_mtl.clustering.neighbours import count_neighbours, normal_form

NOUNS, VERBS, NAMES = ("cat", "dog", "cow", "pig"), ("sees", "hears", "knows"), ("Ann", "Bob", "Eve")


def corpus(n=400, seed=0):
    rng = random.Random(seed)
    return [[rng.choice(NAMES), rng.choice(VERBS), rng.choice(("the", "a")), rng.choice(NOUNS), "."] for _ in range(n)]


def naive(sentences, cluster_of, neighbours):
    """The log likelihood from the definition, up to what does not depend on the clusters. neighbours: words that count by themselves."""
    from collections import Counter
    from math import log

    both, sizes = [Counter(), Counter()], Counter()
    for sentence in sentences:
        known = [word if word in neighbours else "rare" for word in sentence]
        padded = ["border", *known, "border"]
        for k, word in enumerate(sentence):
            if word in cluster_of:
                sizes[cluster_of[word]] += 1
                both[0][padded[k], cluster_of[word]] += 1
                both[1][padded[k + 2], cluster_of[word]] += 1
    total = sum(n * log(n) for side in both for n in side.values())
    return total - 2 * sum(n * log(n) for n in sizes.values())


def test_the_likelihood_is_that_of_the_definition():
    sentences = corpus(50)
    text = count_neighbours(sentences, 3)
    clusters = first_clusters(text, 4)
    cluster_of = dict(zip(text.words, clusters.cluster.tolist(), strict=True))
    assert likelihood(text, clusters) == pytest.approx(naive(sentences, cluster_of, set(text.words)))


def test_what_a_word_gains_is_against_an_empty_cluster():
    """f(N(v, c) + n) - f(N(v, c)) - f(n) for each neighbour v that stands n times beside the word, where f(x) = x log x and f(0) = 0."""
    listed = np.array([0, 0, *(k * np.log(k) for k in range(2, 60))])
    counts = np.random.default_rng(0).integers(0, 3, (5, 4))
    first, words, times = np.array([0, 2, 5]), np.array([0, 3, 1, 3, 4]), np.array([1, 2, 2, 3, 4])
    gains = np.ones(4)
    module.add_gains(counts, first, words, times, 1, listed, gains)
    f = listed.__getitem__
    pairs = ((1, 2), (3, 3), (4, 4))
    expected = [1 + sum(f(counts[v, c] + n) - f(counts[v, c]) - f(n) for v, n in pairs) for c in range(4)]
    np.testing.assert_allclose(gains, expected)


def test_a_word_moves_to_the_best_cluster():
    sentences = corpus(60, seed=1)
    text = count_neighbours(sentences, 1)
    x = np.arange(1000.0)
    listed = x * np.log(np.maximum(x, 1))
    for w in range(len(text.words)):
        clusters = first_clusters(text, 4)
        values = []
        for c in range(4):
            other = dict(zip(text.words, clusters.cluster.tolist(), strict=True)) | {text.words[w]: c}
            values.append(naive(sentences, other, set(text.words)))
        module.exchange_words(w, w + 1, text.counts, text.left, text.right, clusters, listed)
        assert values[clusters.cluster[w]] == pytest.approx(max(values))
        # the tables are those of the clusters after the move
        assert likelihood(text, clusters) == pytest.approx(max(values))


def test_numbers_beyond_the_list_count_the_same(monkeypatch):
    text = count_neighbours(corpus(300), 1)
    expected = exchange(text, 5, 10)[0].cluster.tolist()
    monkeypatch.setattr(module, "_LISTED", 8)
    assert exchange(text, 5, 10)[0].cluster.tolist() == expected


def test_words_of_a_kind_come_together_and_passes_never_make_it_worse():
    text = count_neighbours(corpus(), 1)
    values = [likelihood(text, exchange(text, 6, passes)[0]) for passes in (1, 2, 3, 10)]
    assert values == sorted(values)
    learned = learn_clusters(text, 5, 20)
    path = {word: path for path, word, _ in learned.entries}
    for words in (NOUNS, VERBS, NAMES):
        assert len({path[word] for word in words}) == 1
    assert len({path[words[0]] for words in (NOUNS, VERBS, NAMES)}) == 3


def test_the_result_depends_on_the_text_alone():
    sentences = corpus()
    turned = sentences[::-1]
    found = [learn_clusters(count_neighbours(each, 1), 5, 10).entries for each in (sentences, sentences, turned)]
    assert found[0] == found[1] == found[2]


def test_paths_are_a_prefix_code_that_every_cluster_has():
    text = count_neighbours(corpus(), 1)
    clusters, _ = exchange(text, 7, 5)
    paths = [path for path, size in zip(paths_of(clusters), clusters.sizes, strict=True) if size]
    assert all(path and set(path) <= set("01") for path in paths)
    assert len(set(paths)) == len(paths)
    assert sum(2.0 ** -len(path) for path in paths) == 1  # a full binary tree
    assert paths_of(exchange(count_neighbours([["a", "a"]], 1), 1, 1)[0]) == ["0"]


def test_distances_are_those_of_scipy_however_many_clusters_there_are(monkeypatch):
    points = np.random.default_rng(0).random((7, 5))
    points[3] = points[1]
    told = []
    for chunk in (1, 3, 250):
        monkeypatch.setattr(hierarchy, "_CHUNK", chunk)
        np.testing.assert_allclose(hierarchy._distances(points, told.append), pdist(points), atol=1e-9)
    assert told == [1] * 7 + [3, 3, 1] + [7]
    assert hierarchy._distances(points, told.append)[6 + 1] == 0  # of 1 and 3


def test_a_search_that_is_stopped_leaves_what_has_been_found(monkeypatch):
    monkeypatch.setattr(module, "CHUNK", 4)
    text = count_neighbours(corpus(), 1)

    placed = []
    learned = learn_clusters(text, 4, 10, placed.append, stopped=lambda: len(placed) == 2)
    assert sum(placed) == 8
    assert not learned.finished
    assert len(learned.entries) == len(text.words)


def test_neighbours_are_counted_on_both_sides(monkeypatch):
    text = count_neighbours([["a", "b", "a"], ["a", "rare"]], 2)
    assert (text.words, text.counts.tolist(), text.n_neighbours) == (["a"], [3], 3)
    assert (text.left.words.tolist(), text.left.times.tolist()) == ([1, 2], [1, 2])  # rare, border
    assert (text.right.words.tolist(), text.right.times.tolist()) == ([1, 2], [2, 1])


def test_words_that_are_rare_or_beyond_the_limit_are_one_neighbour(monkeypatch):
    import spacy_mtl.clustering.neighbours as neighbours

    monkeypatch.setattr(neighbours, "MOST_NEIGHBOURS", 1)
    text = count_neighbours([["b", "a", "c", "a", "b", "a"]], 1)
    assert text.words == ["a", "b", "c"]
    assert text.n_neighbours == 3
    of_c = slice(*text.left.first[2:4])
    assert (text.left.words[of_c].tolist(), text.left.times[of_c].tolist()) == ([0], [1])
    of_a = slice(*text.left.first[:2])
    assert (text.left.words[of_a].tolist(), text.left.times[of_a].tolist()) == ([1], [3])


def test_normal_forms_are_made_once_for_each_word(monkeypatch):
    asked = []
    monkeypatch.setattr(neighbours, "normal_form", lambda word: asked.append(word) or normal_form(word))
    text = count_neighbours([["IL-2", "a", "il-7"], ["a", "IL-2", "IL-2"]], 1)
    assert asked == ["IL-2", "a", "il-7"]
    assert (text.words, text.counts.tolist()) == (["il-0", "a"], [4, 2])


def test_digits_are_folded():
    assert [normal_form(word) for word in ("Madrid", "1999", "IL-2")] == ["Madrid", "0000", "il-0"]


def test_no_word_is_frequent_enough():
    assert count_neighbours([["a", "b"]], 2) is None
    assert count_neighbours([], 1) is None


def test_words_that_no_line_of_a_file_can_hold_are_left_out():
    fit = ["می\u200cخواهم", "10\u00a0000", "a\ufeff", "b" * 200]  # as they are in column files
    text = count_neighbours([[*fit, "a\tb", "a\nb", "a\x85b", "\ud800", "b" * 201]], 1)
    assert {word for _, word, _ in learn_clusters(text, 3, 2).entries} == {*map(normal_form, fit)}
