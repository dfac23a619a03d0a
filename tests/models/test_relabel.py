"""New labels of a trained model: what they score before anything has been learnt of them, by enumeration of label sequences."""

from itertools import pairwise, product

import numpy as np
import pytest

from spacy_mtl.components.entity_tags import tag_constraints, tag_labels
from spacy_mtl.models.chain.weights import ChainWeights
from spacy_mtl.models.relabel import OUTSIDE, relabelled_chain, sources_of


def kind(label):
    prefix, _, name = label.partition("-")
    return prefix, name


def chain(labels, seed, n_rows):
    rng, n = np.random.default_rng(seed), len(labels)
    return ChainWeights(
        labels=labels, templates=(), keys=np.arange(n_rows, dtype=np.uint64), codes=rng.integers(-127, 128, (n_rows, n), np.int8),
        scales=np.full(n_rows, 0.01, np.float32), pair_keys=np.empty(0, np.uint64), pair_codes=np.empty((0, n * n), np.int8),
        pair_scales=np.empty(0, np.float32), step=rng.normal(size=(n, n)).astype(np.float32),
    )  # fmt: skip


def allowed(labels, scheme, n):
    limits = tag_constraints(labels, scheme)
    for output in product(range(len(labels)), repeat=n):
        if limits.start[output[0]] and limits.end[output[-1]] and all(limits.step[a, b] for a, b in pairwise(output)):
            yield output


def score(nodes, step, output):
    return sum(nodes[t, y] for t, y in enumerate(output)) + sum(step[a, b] for a, b in pairwise(output))


@pytest.mark.parametrize("scheme", ["iob2", "biluo"])
@pytest.mark.parametrize("seed", range(5))
def test_no_sequence_with_a_new_label_is_better_than_all_known_ones(scheme, seed):
    old = tag_labels(["LOC", "PER"], scheme)
    new = tag_labels(["LOC", "PER", "BOOK"], scheme)
    before = chain(old, seed, 4)
    after = relabelled_chain(before, new, kind, "O")
    rows = [weights.codes * weights.scales[:, None] for weights in (before, after)]
    best = max(score(rows[0], before.step, output) for output in allowed(old, scheme, 4))
    novel = set(range(len(old), len(new)))
    found = [score(rows[1], after.step, y) for y in allowed(new, scheme, 4) if novel.intersection(y)]
    assert max(found) <= best + 4 * 0.005  # codes are rounded


def test_a_new_label_is_a_mixture_of_its_kind_and_of_the_label_outside():
    old, new = ("O", "B-A", "I-A", "B-B", "I-B"), ("O", "B-A", "I-A", "B-B", "I-B", "B-C", "I-C")
    mixture, together = sources_of(old, new, kind, "O")
    share = (1 - OUTSIDE) / 2
    assert mixture[:, 5].tolist() == pytest.approx([OUTSIDE, share, 0, share, 0])
    assert mixture[:, 6].tolist() == pytest.approx([OUTSIDE, 0, share, 0, share])
    tables = {(a, b): shares for a, b, shares in together}
    expected = np.zeros((5, 5))
    expected[0, 0], expected[1, 2], expected[3, 4] = OUTSIDE, share, share
    np.testing.assert_allclose(tables[5, 6], expected)
    assert all(shares.sum() == pytest.approx(1) for shares in tables.values())


def test_without_a_label_outside_the_mean_is_whole():
    mixture, together = sources_of(("x", "y"), ("x", "y", "z"), lambda label: ("", ""))
    assert mixture[:, 2].tolist() == [0.5, 0.5]
    assert not together
