"""check_structure over the package's own structures, as plain Python (NUMBA_DISABLE_JIT=1): prints JSON, by kind of problem what failed.

The argument is "chains", "trees" or "grammars".
"""

import json
import sys
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from spacy_mtl.structures.problem import Problem
from spacy_mtl.testing import StructureError, check_structure
from tests.structures.chain.test_vectors import vector_corpus
from tests.structures.conftest import random_corpus
from tests.structures.grammar.corpora import random_grammar_problem
from tests.structures.offsets import chain_with_offset, tree_with_offset
from tests.structures.tree.corpora import random_tree_corpus


def chains() -> Iterator[tuple[str, Problem]]:
    """Constraints, forms, costs that may be 0, missing gold and features that recur; with and without observations in pair templates."""
    for seed in range(8):
        for observed in (True, False):
            yield "chains", random_corpus(seed, observed).problem
            yield "chains with offsets", chain_with_offset(seed, observed).problem
        problem = chain_with_offset(seed, seed % 2 == 0).problem
        yield "cut chains with offsets", problem.cut(np.arange(problem.n), 1.7, np.random.default_rng(seed))
        problem = random_corpus(seed, seed % 2 == 0).problem
        yield "cut chains", problem.cut(np.arange(problem.n), 1.7, np.random.default_rng(seed))
        for kinds in (["dense"], ["sparse", "dense"]):
            yield "chains with vectors", vector_corpus(random_corpus(seed, seed % 2 == 0), kinds).problem
        for kinds in (["kernel"], ["kernel", "sparse"]):
            yield "chains with kernelised blocks", vector_corpus(random_corpus(seed, seed % 2 == 1), kinds).problem
        for missing in ("outputs", "directions", "marginals", "features"):
            yield f"chains without {missing}", replace(random_corpus(seed, True).problem, lacks=frozenset({missing}))


def trees() -> Iterator[tuple[str, Problem]]:
    """Some of the arcs, costs that may be 0; labelled and not."""
    orders = {
        "first order": {},
        "siblings": {"second_order": True},
        "grandparents": {"second_order": True, "grandparents": True},
    }
    for name, order in orders.items():
        for projective in (True, False):
            for single_root in (True, False):
                kind = f"{'projective' if projective else 'crossing'} trees, {name}, {'one root' if single_root else 'any roots'}"
                for seed, n_labels in ((0, 1), (1, 1), (2, 2), (3, 2)):
                    most = 4 if n_labels == 1 else 3
                    corpus = random_tree_corpus(seed, n_labels, projective, single_root, most=most, **order)
                    yield kind, corpus.problem
                    yield f"{kind}, with offsets", tree_with_offset(corpus).problem


def grammars() -> Iterator[tuple[str, Problem]]:
    """Some of the labelled spans, features that recur, sentences of one word."""
    for loss in ("brackets", "rules"):
        for seed in range(10):
            yield f"grammars, loss of {loss}", random_grammar_problem(seed, 4 if seed % 2 else 6, loss)


def main() -> None:
    found: dict[str, list[str]] = {}
    for kind, problem in {"chains": chains, "trees": trees, "grammars": grammars}[sys.argv[1]]():
        failures = found.setdefault(kind, [])
        try:
            check_structure(problem)
        except StructureError as error:
            failures.append(str(error))
    print(json.dumps(found))


if __name__ == "__main__":
    main()
