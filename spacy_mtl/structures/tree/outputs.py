"""Tree outputs as plain arrays (a word's head * L + label), and differences of feature vectors between outputs, gold and marginals."""

import numpy as np

from spacy_mtl.kernels import subkernel
from spacy_mtl.structures import contract
from spacy_mtl.structures.contract import implements

from .algorithms.eisner import is_projective
from .bundles import add_bundles, bundle_products
from .decode import set_tree, tree_score
from .features import add_all
from .problem import TreeProblem, arcs_of, gold_heads, pair_code, pair_to, siblings_of


@implements(contract.n_slots, TreeProblem)
def n_slots(problem):
    return problem.gold.size


@implements(contract.store_output, TreeProblem)
def store_output(problem, i, work, outputs):
    a = problem.first[i]
    for t in range(a, problem.last[i]):
        outputs[t] = work.heads[t - a] * problem.n_labels + work.labels[t - a]


@implements(contract.load_output, TreeProblem)
def load_output(problem, i, outputs, work):
    a = problem.first[i]
    for t in range(a, problem.last[i]):
        work.heads[t - a], work.labels[t - a] = outputs[t] // problem.n_labels, outputs[t] % problem.n_labels


@implements(contract.take_output, TreeProblem)
def take_output(problem, i, output, work):
    for t in range(output.size):
        work.heads[t], work.labels[t] = output[t] // problem.n_labels, output[t] % problem.n_labels


@implements(contract.gold_outputs, TreeProblem)
def gold_outputs(problem):
    return problem.gold_output.copy()


@implements(contract.same_output, TreeProblem)
def same_output(problem, i, work, outputs):
    a = problem.first[i]
    for t in range(a, problem.last[i]):  # noqa: SIM110  a loop is what numba compiles best
        if outputs[t] != work.heads[t - a] * problem.n_labels + work.labels[t - a]:
            return False
    return True


@implements(contract.stored_score, TreeProblem)
def stored_score(problem, i, outputs, work):
    stored = outputs[problem.first[i] : problem.last[i]]
    return tree_score(problem, i, stored // problem.n_labels, stored % problem.n_labels, work)


@implements(contract.set_vertex, TreeProblem)
def set_vertex(problem, state, i, work):
    n = problem.last[i] - problem.first[i]
    set_tree(problem, state, i, work.heads[:n], work.labels[:n])


@implements(contract.add_output, TreeProblem)
def add_output(problem, vector, i, work, amount):
    contract.gold_direction(problem, i, work)
    add_all(problem, vector, i, work, -amount)


@implements(contract.dot_output, TreeProblem)
def dot_output(problem, vector, i, work, node_dots, pair_dots):
    contract.gold_direction(problem, i, work)
    nodes, pairs = work.node_touched[: work.counts[2]], work.pair_touched[: work.counts[3]]
    node, pair = np.zeros(problem.n_node), np.zeros(problem.n_pair)
    bundle_products(problem.node, i, nodes, work.node_change, vector.node, node)
    bundle_products(problem.pair, i, pairs, work.pair_change, vector.pair, pair)
    for j in range(problem.n_node):
        node_dots[j] -= node[j]
    for j in range(problem.n_pair):
        pair_dots[j] -= pair[j]


@subkernel
def add_link_sums(links, amount, sums):
    """Add amount to sums[u] for the uses u in ``links``. sums: float64[., K]; amount: float64[K]."""
    for u in links:
        if u >= 0:
            for y in range(amount.size):
                sums[u, y] += amount[y]


@subkernel
def add_changed(bundles, i, sums, n_templates, amount, matrix):
    """Add amount * sums to matrix, at the rows of every use with a non-zero sum."""
    touched, count = np.empty(sums.shape[0], np.int64), 0
    for u in range(sums.shape[0]):
        moved = False
        for y in range(sums.shape[1]):
            moved |= sums[u, y] != 0
        if moved:
            touched[count] = u
            count += 1
    add_bundles(bundles, i, touched[:count], sums, np.ones(n_templates), amount, matrix)


@subkernel
def add_parts_of(problem, vector, i, arcs, pairs, amount):
    """Add amount * Phi(numbers in the parts of sentence i) to vector. arcs: float[a, L]; pairs: float[b]."""
    (begin, end), (pair_begin, pair_end) = (
        arcs_of(problem.first, problem.last, problem.first_arc, i),
        siblings_of(problem.first, problem.last, problem.first_arc, problem.siblings.first, i),
    )
    nodes = np.zeros((problem.node.first_use[i + 1] - problem.node.first_use[i], 1))
    labelled = np.zeros((problem.pair.first_use[i + 1] - problem.pair.first_use[i], problem.n_labels))
    total, by_label = np.empty(1), np.empty(problem.n_labels)
    for a in range(end - begin):
        total[0] = 0
        for y in range(problem.n_labels):
            by_label[y] = arcs[a, y]
            total[0] += by_label[y]
        if (by_label != 0).any():
            add_link_sums(problem.node_links[begin + a], total, nodes)
            add_link_sums(problem.pair_links[begin + a], by_label, labelled)
    for b in range(pair_end - pair_begin):
        if pairs[b] != 0:
            total[0] = pairs[b]
            add_link_sums(problem.siblings.links[pair_begin + b], total, nodes)
    add_changed(problem.node, i, nodes, problem.n_node, amount, vector.node)
    add_changed(problem.pair, i, labelled, problem.n_pair, amount, vector.pair)


@implements(contract.add_state, TreeProblem)
def add_state(problem, vector, state, i, amount):
    (begin, end), (pair_begin, pair_end) = (
        arcs_of(problem.first, problem.last, problem.first_arc, i),
        siblings_of(problem.first, problem.last, problem.first_arc, problem.siblings.first, i),
    )
    add_parts_of(problem, vector, i, state.arcs[begin:end], state.siblings[pair_begin:pair_end], amount)


@implements(contract.add_marginals, TreeProblem)
def add_marginals(problem, vector, state, i, amount):
    (begin, end), (pair_begin, pair_end) = (
        arcs_of(problem.first, problem.last, problem.first_arc, i),
        siblings_of(problem.first, problem.last, problem.first_arc, problem.siblings.first, i),
    )
    arcs, pairs = -state.arcs[begin:end], -state.siblings[pair_begin:pair_end]
    heads = gold_heads(problem.gold, problem.first, problem.last, i)
    for m in range(1, heads.size + 1):
        t = problem.first[i] + m - 1
        arcs[problem.gold_arc[t] - begin, problem.gold_label[t]] += 1
        if problem.second_order:
            for kind in range(2 if problem.grandparents else 1):
                code = pair_code(heads, m, kind)
                if code >= 0:
                    arc = problem.gold_arc[t]
                    pairs[pair_to(problem.siblings.first, problem.siblings.inner, arc, code) - pair_begin] += 1
    add_parts_of(problem, vector, i, arcs, pairs, amount)


def crossing_sentences(heads: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """The sentences whose trees are not projective, int64[k]. heads: int32[N]; starts: int64[S + 1]."""
    return np.array(
        [s for s in range(starts.size - 1) if not is_projective(heads[starts[s] : starts[s + 1]])], np.int64
    )
