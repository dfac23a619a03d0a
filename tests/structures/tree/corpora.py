"""Small random tree problems, and the same in plain Python: outputs enumerated, feature vectors summed part by part."""

from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np

from spacy_mtl.structures.contract import Live, Scale, Weights
from spacy_mtl.structures.problem import Blocks, Problem, block_starts
from spacy_mtl.structures.tree.build import (
    Arcs,
    GoldTrees,
    TreeFeatures,
    all_arcs,
    all_siblings,
    kept_arcs,
    tree_problem,
)
from spacy_mtl.structures.tree.bundles import Bundles
from spacy_mtl.structures.tree.problem import Siblings, TreeState

from .trees import all_trees


def flat(weights) -> np.ndarray:
    """A weight vector as one float64 array."""
    return np.concatenate([weights.node.ravel(), weights.pair.ravel()]).astype(float)


def inner_of(heads, m: int) -> int:
    """The dependent of the head of word m next to m between the two, or the head."""
    head = heads[m - 1]
    between = [k for k in range(1, len(heads) + 1) if heads[k - 1] == head and min(head, m) < k < max(head, m)]
    if not between:
        return head
    return max(between) if head < m else min(between)


@dataclass
class TreeCorpus:
    """A problem. An output is (heads, labels); a distribution over outputs is a list of (probability, output)."""

    problem: Problem
    rng: np.random.Generator

    @cached_property
    def owner(self) -> np.ndarray:
        """Template of every entry of a flat weight vector."""
        blocks, n_labels = self.problem.blocks, self.problem.pair_width
        pair = np.repeat(np.arange(blocks.n_node, blocks.n), np.diff(blocks.pair) * n_labels)
        return np.concatenate([np.repeat(np.arange(blocks.n_node), np.diff(blocks.node)), pair])

    def words(self, i: int) -> range:
        return range(self.problem.arrays.first[i], self.problem.arrays.last[i])

    def gold(self, i: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
        arrays, words = self.problem.arrays, self.words(i)
        return tuple(arrays.gold[words].tolist()), tuple(arrays.gold_label[words].tolist())

    def arc(self, i: int, head: int, m: int) -> int:
        """Arc number, -1 where it was left out."""
        arrays, t = self.problem.arrays, self.words(i)[m - 1]
        found = [a for a in range(arrays.first_arc[t], arrays.first_arc[t + 1]) if arrays.heads[a] == head]
        return found[0] if found else -1

    def pair(self, arc: int, inner: int) -> int:
        siblings = self.problem.arrays.siblings
        found = [b for b in range(siblings.first[arc], siblings.first[arc + 1]) if siblings.inner[b] == inner]
        return found[0] if found else -1

    def parts(self, i: int, heads) -> tuple[list[int], list[int]] | None:
        """Arcs and pairs of a tree, None where one was left out."""
        arcs = [self.arc(i, head, m) for m, head in enumerate(heads, start=1)]
        if min(arcs) < 0:
            return None
        pairs = []
        if self.problem.arrays.second_order:
            pairs = [self.pair(arc, inner_of(heads, m)) for m, arc in enumerate(arcs, start=1)]
            if self.problem.arrays.grandparents:
                above = [(arc, heads[head - 1]) for arc, head in zip(arcs, heads, strict=True) if head]
                pairs += [self.pair(arc, len(heads) + 1 + g) for arc, g in above]
            if min(pairs) < 0:
                return None
        return arcs, pairs

    def outputs(self, i: int) -> list:
        """Every output the decoder may give for sentence i."""
        arrays, n = self.problem.arrays, len(self.words(i))
        trees = [tuple(tree) for tree in all_trees(n, arrays.projective, arrays.single_root).tolist()]
        labels = list(product(range(arrays.n_labels), repeat=n))
        return [(heads, y) for heads in trees if self.parts(i, heads) is not None for y in labels]

    def phi(self, i: int, output) -> np.ndarray:
        """Feature vector of one output, flat."""
        arrays, (heads, labels) = self.problem.arrays, output
        vector = Weights(*(matrix.astype(float) for matrix in self.problem.zeros()))
        arcs, pairs = self.parts(i, heads)
        for arc, label in zip(arcs, labels, strict=True):
            for row in self.rows(arrays.node, i, arrays.node_links[arc]):
                vector.node[row, 0] += 1
            for row in self.rows(arrays.pair, i, arrays.pair_links[arc]):
                vector.pair[row, label] += 1
        for pair in pairs:
            for row in self.rows(arrays.node, i, arrays.siblings.links[pair]):
                vector.node[row, 0] += 1
        return flat(vector)

    def rows(self, bundles, i: int, links) -> list[int]:
        used = bundles.used[bundles.first_use[i] : bundles.first_use[i + 1]]
        ids = [used[u] for u in links if u >= 0]
        return [row for b in ids for row in bundles.rows[bundles.first[b] : bundles.first[b + 1]]]

    def expected_phi(self, i: int, mix) -> np.ndarray:
        return sum(p * self.phi(i, output) for p, output in mix)

    def loss(self, i: int, output) -> float:
        arrays, total = self.problem.arrays, 0.0
        for t, head, label in zip(self.words(i), *output, strict=True):
            if head != arrays.gold[t]:
                total += arrays.cost[t]
            elif label != arrays.gold_label[t]:
                total += arrays.label_cost[t]
        return float(total)

    def random_mix(self, i: int) -> list:
        outputs = self.outputs(i)
        support = self.rng.integers(len(outputs), size=self.rng.integers(1, 4))
        return [(p, outputs[k]) for p, k in zip(self.rng.dirichlet(np.ones(support.size)), support, strict=True)]

    def state(self, mixes: list) -> TreeState:
        """Part marginals of one distribution a sentence."""
        arcs, pairs = (array.astype(float) for array in self.problem.gold_state())
        arcs[:] = pairs[:] = 0
        for i, mix in enumerate(mixes):
            for p, (heads, labels) in mix:
                own, siblings = self.parts(i, heads)
                for arc, label in zip(own, labels, strict=True):
                    arcs[arc, label] += p
                for pair in siblings:
                    pairs[pair] += p
        return TreeState(arcs.astype(np.float32), pairs.astype(np.float32))

    def random_weights(self) -> Weights:
        return Weights(*(self.rng.normal(size=m.shape).astype(np.float32) for m in self.problem.zeros()))

    def random_scale(self) -> Scale:
        return Scale(self.rng.random(self.problem.blocks.n_node), self.rng.random(self.problem.blocks.pair.size - 1))

    def random_live(self) -> tuple[Live, np.ndarray]:
        """A random choice of templates, and where a flat weight vector belongs to one of them."""
        mask = self.rng.random(self.problem.blocks.n) < 0.7
        return self.problem.live(mask), mask[self.owner]

    def put(self, work, output) -> None:
        """An output into scratch space."""
        heads, labels = output
        work.heads[: len(heads)] = heads
        work.labels[: len(labels)] = labels


def random_bundles(rng, n_templates: int, n_sentences: int) -> tuple[Bundles, np.ndarray]:
    """Bundles over blocks of one to three rows, shared between sentences; with the blocks."""
    sizes = rng.integers(1, 4, n_templates)
    blocks = block_starts(sizes)
    n = int(rng.integers(2, 8))
    lists = [np.flatnonzero(rng.random(n_templates) < 0.6) for _ in range(n)]
    templates = np.concatenate([*lists, []]).astype(np.int16)
    rows = (blocks[templates] + rng.integers(sizes[templates])).astype(np.int32)
    uses = [rng.permutation(n)[: rng.integers(1, n + 1)] for _ in range(n_sentences)]
    first_use, first = block_starts([len(use) for use in uses]), block_starts([len(one) for one in lists])
    return Bundles(first_use, np.concatenate(uses).astype(np.int32), first, rows, templates), blocks


def random_links(rng, bundles: Bundles, sentence: np.ndarray, width: int) -> np.ndarray:
    """Places in the list of each part's sentence, some -1. sentence: int64[parts]."""
    sizes = np.diff(bundles.first_use)[sentence]
    return rng.integers(-1, sizes[:, None], size=(sentence.size, width)).astype(np.int32)


def random_tree_corpus(
    seed: int,
    n_labels: int,
    projective: bool,
    single_root: bool,
    second_order: bool = False,
    most: int = 4,
    grandparents: bool = False,
) -> TreeCorpus:
    """One to three sentences of up to ``most`` words, a part of their arcs, bundles that recur everywhere, gold that the decoder can find."""
    rng = np.random.default_rng(seed)
    starts = block_starts(rng.integers(1, most + 1, rng.integers(1, 4)))
    sizes = np.diff(starts)
    trees = [all_trees(n, projective, single_root) for n in sizes]
    gold = np.concatenate([options[rng.integers(len(options))] for options in trees]).astype(np.int32)
    arcs = all_arcs(starts)
    word = np.repeat(np.arange(gold.size), np.diff(arcs.first))
    arcs = kept_arcs(arcs, (rng.random(arcs.heads.size) < 0.75) | (arcs.heads == gold[word]))
    word = np.repeat(np.arange(gold.size), np.diff(arcs.first))
    sentence = np.repeat(np.arange(sizes.size), sizes)[word]
    node, node_blocks = random_bundles(rng, int(rng.integers(1, 4)), sizes.size)
    pair, pair_blocks, pair_links = None, np.zeros(1, np.int64), None
    if n_labels > 1:
        pair, pair_blocks = random_bundles(rng, int(rng.integers(1, 3)), sizes.size)
        pair_links = random_links(rng, pair, sentence, int(rng.integers(1, 3)))
    siblings = None
    if second_order:
        first, inner = all_siblings(arcs, starts, grandparents)
        siblings = Siblings(first, inner, random_links(rng, node, np.repeat(sentence, np.diff(first)), 2))
    names = tuple(f"t{j}" for j in range(node_blocks.size + pair_blocks.size - 2))
    features = TreeFeatures(
        node, random_links(rng, node, sentence, int(rng.integers(1, 4))), pair, pair_links, siblings, grandparents
    )
    cost, label_cost = rng.integers(0, 3, (2, gold.size)) / 2
    problem = tree_problem(
        features, Arcs(arcs.first, arcs.heads), Blocks(node_blocks, pair_blocks, names),
        GoldTrees(gold, rng.integers(n_labels, size=gold.size), cost, label_cost), starts,
        [f"y{y}" for y in range(n_labels)], projective, single_root,
    )  # fmt: skip
    return TreeCorpus(problem, rng)
