"""Feature rows of arcs: which observations get one, in which order, and which rows each arc or pair has."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

from spacy_mtl.templates.arcs import index as arc_index
from spacy_mtl.templates.arcs.index import Parts, build_arc_index, find_arc_rows
from spacy_mtl.templates.arcs.program import compile_arcs
from spacy_mtl.templates.grammar import parse_templates
from spacy_mtl.threads.crew import Crew

from .reference import ATTRIBUTES, GRANDPARENT_TEMPLATES, LABEL_TEMPLATES, SIBLING_TEMPLATES, TEMPLATES, observed

STARTS = np.array([0, 5, 6, 13])
NO_SIBLINGS = np.empty(0, np.int32)
#: heads that templates of labels may look at
TREE = np.array([2, 0, 2, 5, 3, 0, 4, 4, 4, 0, 4, 5, 5], np.int32)


def some_parts(rng, third: str) -> Parts:
    """About half of all arcs of the sentences, in any order; each with a sibling between, or none, or with a grandparent."""
    counts, heads, inner = [], [], []
    for n in np.diff(STARTS):
        for m in range(1, n + 1):
            kept = [h for h in rng.permutation(n + 1).tolist() if h != m and rng.random() < 0.5]
            if third == "grandparent":
                kept = [h for h in kept if h and n > 1]
            counts.append(len(kept))
            heads += kept
            for h in kept:
                choice = [h, *range(min(h, m) + 1, max(h, m))]
                if third == "grandparent":
                    choice = [g for g in range(n + 1) if g not in (h, m)]
                inner.append(int(rng.choice(choice)))
    first = np.concatenate([[0], np.cumsum(counts)])
    siblings_of_parts = np.array(inner, np.int32) if third else NO_SIBLINGS
    return Parts(STARTS, first, np.array(heads, np.int32), siblings_of_parts, TREE)


def observations(columns, templates, parts) -> list[list[list]]:
    """Of each part, of each template."""
    found = []
    for start, stop in pairwise(STARTS):
        for t in range(start, stop):
            for a in range(parts.first[t], parts.first[t + 1]):
                head = int(parts.heads[a])
                sibling = int(parts.siblings[a]) if parts.siblings.size and parts.siblings[a] != head else None
                sentence = columns[:, start:stop]
                own_tree = TREE[start:stop]
                found.append([observed(sentence, tem, head, t - start + 1, sibling, own_tree) for tem in templates])
    return found


CASES = pytest.mark.parametrize("seed", range(4))


@pytest.fixture(
    params=[
        (TEMPLATES, ""),
        (SIBLING_TEMPLATES, "sibling"),
        (GRANDPARENT_TEMPLATES, "grandparent"),
        (LABEL_TEMPLATES, ""),
    ],
    ids=["arcs", "siblings", "grandparents", "labels"],
)
def kind(request):
    texts, third = request.param
    templates = parse_templates(texts)
    return templates, compile_arcs(templates, ATTRIBUTES), third


@CASES
@pytest.mark.parametrize("min_count", [1, 3])
@pytest.mark.parametrize("room", [1 << 18, 4], ids=["at once", "growing"])
def test_index_and_rows(kind, seed, min_count, room, monkeypatch):
    """Rows of what the supported parts observe often enough, by template, then frequent ones first; the rows of other parts."""
    monkeypatch.setattr(arc_index, "_ROOM", room)
    templates, program, third = kind
    rng = np.random.default_rng(seed)
    columns = rng.integers(1, 4, (2, STARTS[-1])).astype(np.uint64)
    supported, parts = some_parts(rng, third), some_parts(rng, third)
    index, table = build_arc_index(columns, program, len(templates), supported, min_count)
    counts = Counter(
        obs for part in observations(columns, templates, supported) for group in part for obs in group
    )  # each starts with the template's name
    kept = {obs: count for obs, count in counts.items() if count >= min_count}
    sizes = [sum(obs[0] == template.name for obs in kept) for template in templates]
    assert np.diff(index.blocks).tolist() == sizes
    assert index.n_rows == len(kept) == np.unique(index.keys).size

    for shown in (supported, parts):
        first, rows, owners = find_arc_rows(columns, program, shown, table)
        assert first.size == shown.heads.size + 1
        for a, groups in enumerate(observations(columns, templates, shown)):
            own = rows[first[a] : first[a + 1]]
            of_template = owners[first[a] : first[a + 1]]
            assert [(of_template == j).sum() for j in range(len(templates))] == [
                sum(obs in kept for obs in group) for group in groups
            ]
            assert all(index.blocks[j] <= row < index.blocks[j + 1] for row, j in zip(own, of_template, strict=True))

    first, rows, _ = find_arc_rows(columns, program, supported, table)
    frequency = np.bincount(rows, minlength=index.n_rows)
    assert sorted(frequency.tolist()) == sorted(kept.values())
    for low, high in pairwise(index.blocks):
        assert (np.diff(frequency[low:high]) <= 0).all()


@pytest.mark.parametrize("room", [1 << 18, 4], ids=["at once", "growing"])
def test_several_threads_find_the_rows_that_one_does(kind, room, monkeypatch):
    monkeypatch.setattr(arc_index, "_ROOM", room)
    templates, program, third = kind
    rng = np.random.default_rng(3)
    columns = rng.integers(1, 4, (2, STARTS[-1])).astype(np.uint64)
    supported, parts = some_parts(rng, third), some_parts(rng, third)
    _, table = build_arc_index(columns, program, len(templates), supported)
    one = find_arc_rows(columns, program, parts, table)
    for size in (2, 3, 7):
        several = find_arc_rows(columns, program, parts, table, Crew(size))
        for found, wanted in zip(several, one, strict=True):
            assert np.array_equal(found, wanted)
    assert one[1].size


def test_equal_observations_share_a_row_and_others_do_not(kind):
    templates, program, third = kind
    rng = np.random.default_rng(7)
    columns = rng.integers(1, 3, (2, STARTS[-1])).astype(np.uint64)
    parts = some_parts(rng, third)
    _, table = build_arc_index(columns, program, len(templates), parts)
    first, rows, owners = find_arc_rows(columns, program, parts, table)
    row_of = {}
    for a, groups in enumerate(observations(columns, templates, parts)):
        own, of_template = rows[first[a] : first[a + 1]], owners[first[a] : first[a + 1]]
        for j, group in enumerate(groups):
            if len(group) == 1:
                [row] = own[of_template == j].tolist()
                assert row_of.setdefault(group[0], row) == row
    assert len(set(row_of.values())) == len(row_of)


def test_no_observation_is_often_enough(kind):
    templates, program, third = kind
    columns = np.ones((2, STARTS[-1]), np.uint64)
    parts = some_parts(np.random.default_rng(0), third)
    index, table = build_arc_index(columns, program, len(templates), parts, 1000)
    assert index.n_rows == 0
    first, rows, _ = find_arc_rows(columns, program, parts, table)
    assert rows.size == 0
    assert not first.any()
