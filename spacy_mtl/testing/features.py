"""Checks that all functions agree on the feature vectors of outputs."""

import numpy as np

from spacy_mtl.structures import contract
from spacy_mtl.structures.contract import Function, Scale

from .case import Case
from .failure import Witness
from .probes import outputs as probes
from .probes import sums

ADD_OUTPUT, ADD_DIRECTION = Function(contract.add_output), Function(contract.add_direction, Scale)
ADD_MARGINALS, EXPECTED_LOSS = Function(contract.add_marginals), Function(contract.expected_loss)


def check_differences(case: Case, gold: int) -> None:
    """Check <v, Phi(gold) - Phi(output)> for random v and every output, by all functions that compute it, then the complete vectors."""
    flat = case.draw()
    witnesses = _by_scores(case, flat)
    if case.features:
        witnesses.append(Witness(ADD_OUTPUT, case.vectors @ flat))
    if "outputs" in case.offers:
        witnesses.append(Witness(Function(contract.dot_output), _by_dots(case, flat)))
    if "directions" in case.offers:
        if case.features:
            witnesses.append(Witness(ADD_MARGINALS, _by_marginals(case) @ flat))
        witnesses += _by_directions(case, flat)
    if "marginals" in case.offers and case.features and gold >= 0:
        witnesses.append(Witness(Function(contract.add_state), _by_states(case, gold) @ flat))
    blamed = {one.function for one in case.names.dissenters(witnesses)}
    if {ADD_MARGINALS, Function(contract.add_state)} <= blamed and len(blamed) == 2:
        case.fail(
            Function(contract.set_vertex), "indicators of outputs are not those of their parts", witnesses[0].value, 0
        )
    if {ADD_DIRECTION, Function(contract.block_products)} <= blamed:
        what = "<v, Phi(gold) - Phi(output)> of all outputs, as a direction"
        case.fail(Function(contract.gold_direction), what, witnesses[0].value, witnesses[-1].value)
    case.agree("<v, Phi(gold) - Phi(output)> of all outputs for random weights v", witnesses)
    if case.features:
        case.equal(ADD_OUTPUT, "Phi(gold) - Phi(output)", case.gold_features - case.by_score, case.vectors)
    else:
        products = (case.gold_features - case.by_score) @ case.vectors.T
        case.equal(ADD_OUTPUT, "<d, d'> for differences d, d' of outputs from gold, both ways", products.T, products)


def _by_scores(case: Case, flat: np.ndarray) -> list[Witness]:
    """The score of gold minus that of each output."""
    if "outputs" not in case.offers:
        return []
    both = ((Function(contract.score_scaled), True), (Function(contract.score_parts), False))
    found = [
        (function, probes.stored_scores(case.arrays, case.at(flat), way, 0.0, case.outputs)) for function, way in both
    ]
    return [Witness(function, gold - scores) for function, (scores, gold) in found]


def _by_dots(case: Case, flat: np.ndarray) -> np.ndarray:
    blocks, n = case.problem.blocks, len(case.outputs)
    node, pair = np.zeros((n, blocks.n_node)), np.zeros((n, blocks.n - blocks.n_node))
    probes.dot_outputs(case.arrays, case.weights(flat), case.i, case.outputs, node, pair)
    return node.sum(axis=1) + pair.sum(axis=1)


def _by_marginals(case: Case) -> np.ndarray:
    return np.stack([sums.expect(case.arrays, vertex, case.i, case.zeros())[1] for vertex in case.vertices])


def _by_states(case: Case, gold: int) -> np.ndarray:
    at = case.at(np.zeros(case.owner.size))
    rows = np.stack([sums.state_products(case.arrays, at, vertex, case.zeros())[1] for vertex in case.vertices])
    return rows[gold] - rows


def _by_directions(case: Case, flat: np.ndarray) -> list[Witness]:
    """The direction from gold to each output, as read by ``add_direction`` and ``block_products``."""
    blocks, state = case.problem.blocks, case.blank()
    added, products = np.zeros(len(case.outputs)), np.zeros(len(case.outputs))
    for k, output in enumerate(case.outputs):
        node, pair = np.zeros((2, blocks.n_node)), np.zeros((2, blocks.n - blocks.n_node))
        _, vector, _ = sums.direction(
            case.arrays, case.at(flat), sums.FROM_GOLD, state, case.filled[k], output,
            case.zeros(), case.everything, node, pair,
        )  # fmt: skip
        added[k], products[k] = -vector @ flat, -(node[0].sum() + pair[0].sum())
    found = [Witness(Function(contract.block_products), products)]
    return [*found, Witness(ADD_DIRECTION, added)] if case.features else found
