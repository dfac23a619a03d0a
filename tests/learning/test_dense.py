"""Blocks of real numbers: what training sees, against plain NumPy, and that prediction scores the same."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from spacy.vocab import Vocab

from spacy_mtl.learning.dense import DenseFeatures, Scaling
from spacy_mtl.models.dense import add_around
from spacy_mtl.structures.chain.vectors import entries
from spacy_mtl.templates.grammar import parse_template

WIDTHS = {"v": 4, "t": 3}


def corpus(seed, n_words, lengths):
    """A vocabulary of vectors (some words have none), the words and tensor rows of sentences of these lengths, and their borders."""
    random = np.random.default_rng(seed)
    vocab = Vocab()
    vocab.reset_vectors(width=WIDTHS["v"])
    words = [f"w{i}" for i in range(n_words)]
    for word in words[1:]:
        vocab.set_vector(word, random.normal(3, 10, WIDTHS["v"]).astype("f"))
    starts = np.cumsum([0, *lengths])
    orths = np.array([vocab.strings.add(words[k]) for k in random.integers(0, n_words, starts[-1])], np.uint64)
    tensor = random.normal(-2, 0.1, (starts[-1], WIDTHS["t"])).astype("f")
    tensor[random.random(starts[-1]) < 0.2] = 0
    return vocab, orths, tensor, starts


@given(st.integers(0, 99), st.integers(1, 5), st.lists(st.integers(0, 5), min_size=1, max_size=4), st.integers(-2, 2))
def test_training_sees_standardised_vectors_and_prediction_scores_the_same(seed, n_words, lengths, offset):
    vocab, orths, tensor, starts = corpus(seed, n_words, lengths)
    templates = [parse_template(text) for text in (f"V0:%v[{offset}]", "V1:%t[0]", f"V2:%t[{-offset}]")][
        : 3 if offset else 2
    ]
    features = DenseFeatures(templates, vocab)
    vectors = features.read(orths, tensor, starts, 7)
    places = [template.observations[0].place for template in templates]
    assert features.widths == [WIDTHS[place] for place in places]
    n, first = orths.size, 7 + np.cumsum([0, *features.widths])
    raw = {"v": np.array([vocab.get_vector(int(orth)) for orth in orths]).reshape(n, WIDTHS["v"]), "t": tensor}
    sentence = np.repeat(np.arange(len(lengths)), lengths)
    matrix = np.random.default_rng(1).normal(size=(first[-1], 3)).astype(np.float32)
    seen, scored = np.zeros((n, 3)), np.zeros((n, 3), np.float32)
    for j, (template, block) in enumerate(zip(templates, features.blocks(matrix, 7), strict=True)):
        rows, at = raw[places[j]].astype(float), template.observations[0].offset
        there = rows.any(axis=1)
        if there.any():
            spread = rows[there].std(axis=0)
            fixed = spread <= 1e-6 * (abs(rows[there].mean(axis=0)) + spread.max())
            with np.errstate(divide="ignore", invalid="ignore"):
                scaled = (rows - rows[there].mean(axis=0)) / spread / np.sqrt(max(1, (~fixed).sum()))
            scaled[:, fixed] = 0
        for t in range(n):
            begin, end = entries(vectors, t, j)
            if not 0 <= t + at < n or sentence[t + at] != sentence[t] or not there[t + at]:
                assert begin == end
                continue
            assert vectors.rows[begin:end].tolist() == list(range(first[j], first[j + 1]))
            assert np.allclose(vectors.values[begin:end], scaled[t + at], atol=1e-3)
            seen[t] += vectors.values[begin:end] @ matrix[first[j] : first[j + 1]]
        add_around(block.scores(raw[places[j]].astype(np.float32)), starts, block.offset, scored)
    assert np.allclose(seen, scored, atol=2e-2)


def test_vectors_have_a_squared_norm_of_one_on_average():
    rows = np.random.default_rng(0).normal(5, [1, 10, 100, 0], (50, 4)).astype(np.float32)
    counts = np.arange(50)
    scaled = Scaling.of(rows, counts)(rows)
    assert np.allclose(counts @ scaled / counts.sum(), 0, atol=1e-5)
    assert np.isclose(counts @ np.square(scaled).sum(axis=1) / counts.sum(), 1)


def test_scalings_stay_when_documents_join():
    vocab, orths, tensor, starts = corpus(0, 5, [4, 4])
    features = DenseFeatures([parse_template("V0:%t[0]")], vocab)
    before = features.read(orths[:4], tensor[:4], starts[:2], 0)
    after = features.read(orths, tensor, starts, 0)
    assert np.array_equal(after.values[: before.values.size], before.values)
