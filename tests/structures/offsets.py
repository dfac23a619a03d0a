"""Random offsets of small problems, and the same in plain Python: what every output has more than gold."""

from dataclasses import dataclass, replace

import numpy as np

from spacy_mtl.structures.offsets.chain import ChainOffset
from spacy_mtl.structures.offsets.chain import settle_offset as settle_chain
from spacy_mtl.structures.offsets.tree import TreeOffset
from spacy_mtl.structures.offsets.tree import settle_offset as settle_tree
from spacy_mtl.structures.problem import Problem

from .conftest import Corpus, random_corpus
from .tree.corpora import TreeCorpus


def draw(rng, shape, size: float) -> np.ndarray:
    """Random numbers of about this size that single precision holds exactly, so that settling does not round them."""
    return np.rint(64 * size * rng.normal(size=shape)) / 64


@dataclass
class ChainWithOffset:
    """A chain problem, and its offset as it was given."""

    problem: Problem
    offset: ChainOffset

    def of(self, i: int, labels) -> float:
        """The offset of a label sequence of piece i."""
        first, observed = self.problem.arrays.first[i], self.problem.arrays.observed
        total = sum(float(self.offset.nodes[first + t, y]) for t, y in enumerate(labels))
        for t in range(1, len(labels)):
            total += float(self.offset.pairs[first + t if observed else 0, labels[t - 1], labels[t]])
        return total

    def more_than_gold(self, i: int, labels) -> float:
        arrays = self.problem.arrays
        return self.of(i, labels) - self.of(i, arrays.gold[arrays.first[i] : arrays.last[i]])


def give_chain(problem: Problem, seed: int, size: float = 3.0) -> ChainWithOffset:
    """The problem with random offsets of about this size."""
    rng, arrays = np.random.default_rng([seed, 77]), problem.arrays
    n, n_labels = arrays.gold.size, arrays.start.size
    offset = ChainOffset(
        draw(rng, (n, n_labels), size), draw(rng, (n if arrays.observed else 1, n_labels, n_labels), size)
    )
    settled = settle_chain(offset, arrays.gold, arrays.first, arrays.last, arrays.observed)
    return ChainWithOffset(
        replace(problem, arrays=arrays._replace(offset=settled.nodes, offset_pairs=settled.pairs)), offset
    )


def chain_with_offset(seed: int, observed: bool) -> ChainWithOffset:
    corpus: Corpus = random_corpus(seed, observed)
    return give_chain(corpus.problem, seed)


@dataclass
class TreeWithOffset:
    """A tree problem, and its offset as it was given."""

    corpus: TreeCorpus
    offset: TreeOffset

    @property
    def problem(self) -> Problem:
        return self.corpus.problem

    def of(self, i: int, output) -> float:
        """The offset of a labelled tree of sentence i."""
        arcs, pairs = self.corpus.parts(i, output[0])
        of_arcs = sum(float(self.offset.offset[arc, label]) for arc, label in zip(arcs, output[1], strict=True))
        return of_arcs + sum(float(self.offset.offset_pairs[pair]) for pair in pairs)

    def more_than_gold(self, i: int, output) -> float:
        return self.of(i, output) - self.of(i, self.corpus.gold(i))


def tree_with_offset(corpus: TreeCorpus, seed: int = 0, size: float = 3.0) -> TreeWithOffset:
    """The corpus with random offsets of about this size."""
    rng, arrays = np.random.default_rng([seed, 77]), corpus.problem.arrays
    offset = TreeOffset(
        draw(rng, (arrays.heads.size, arrays.n_labels), size), draw(rng, (arrays.siblings.inner.size,), size)
    )
    settled = settle_tree(offset, arrays)
    problem = replace(corpus.problem, arrays=arrays._replace(**settled._asdict()))
    return TreeWithOffset(replace(corpus, problem=problem), offset)
