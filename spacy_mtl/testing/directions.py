"""Checks of *directions and steps* and of *single weights as a metric*."""

import numpy as np

from spacy_mtl.structures import contract
from spacy_mtl.structures.contract import Function, Scale, Weights

from .case import Case, copy_state, flat_state
from .failure import close
from .probes import sums

SET_DIRECTION, MOVE = Function(contract.set_direction), Function(contract.move)
MAKERS = {
    sums.FROM_GOLD: Function(contract.gold_direction),
    sums.FROM_STORED: Function(contract.set_difference),
    sums.FROM_MARGINALS: SET_DIRECTION,
}
READERS = (
    Function(contract.add_direction, Scale),
    Function(contract.block_products),
    Function(contract.block_curvatures),
    Function(contract.curvature, Scale),
)

#: Number of random directions to check.
DRAWS = 3


def check_expectations(case: Case) -> None:
    """Check expected loss, and gold minus expected features, of a mixture of outputs."""
    shares = case.mixture()
    loss, vector = sums.expect(case.arrays, case.mix(shares), case.i, case.zeros())
    case.equal(Function(contract.expected_loss), "of a mixture of outputs", shares @ case.losses, loss)
    case.equal(Function(contract.add_marginals), "of a mixture of outputs", shares @ case.vectors, vector)


def check_directions(case: Case, gold: int) -> None:
    """Check directions made in three ways, as read by four functions, for some of the templates and with a scale."""
    ways = [way for way in MAKERS if way != sums.FROM_GOLD or gold >= 0]
    wrong = {}
    for _ in range(DRAWS):
        for way in ways:
            for reader, words, expected, found in _readings(case, way, gold):
                if not close(expected, found):
                    wrong[way, reader] = words, expected, found
    # a direction that add_direction reads wrongly is wrong itself, unless add_direction reads all of them wrongly
    unseen = [way for way in ways if (way, READERS[0]) in wrong]
    if unseen and len(unseen) < len(ways):
        unseen.sort(key=lambda way: not case.names.own(MAKERS[way]))
        case.fail(MAKERS[unseen[0]], *wrong[unseen[0], READERS[0]])
    for way, reader in sorted(wrong, key=lambda key: not case.names.own(key[1])):
        case.fail(reader, *wrong[way, reader])


def _readings(case: Case, way: int, gold: int):
    """For each reader of a random direction made in this way: reader, description, expected and found values."""
    blocks, flat = case.problem.blocks, case.draw()
    mask, scale = case.random.random(blocks.n) < 0.7, case.random.integers(1, 9, blocks.n) / 4
    target, origin = case.random.choice(len(case.outputs), 2, replace=len(case.outputs) < 2)
    shares = np.zeros(len(case.outputs))
    shares[gold if way == sums.FROM_GOLD else origin] = 1
    if way == sums.FROM_MARGINALS:
        shares = case.mixture()
    live = case.problem.live(mask)
    node, pair = np.zeros((2, blocks.n_node)), np.zeros((2, blocks.n - blocks.n_node))
    at = case.at(flat, None, scale)
    rise, vector, bend = sums.direction(
        case.arrays, at, way, case.mix(shares), case.filled[origin], case.outputs[target], case.zeros(), live, node, pair
    )  # fmt: skip
    added, scored = shares @ case.vectors - case.vectors[target], case.by_score[target] - shares @ case.by_score
    products, curvatures = case.by_block(scored * flat) * mask, case.by_block(scored * added) * mask
    words = {
        sums.FROM_GOLD: "from gold",
        sums.FROM_STORED: "from a stored output",
        sums.FROM_MARGINALS: "from marginals",
    }[way]
    yield READERS[0], f"direction {words}, scaled", added * (scale * mask)[case.owner], vector
    yield READERS[1], f"<v_j, Phi_j> of a direction {words}", products, np.concatenate([node[0], pair[0]]) * mask
    yield READERS[2], f"||Phi_j||^2 of a direction {words}", curvatures, np.concatenate([node[1], pair[1]]) * mask
    yield READERS[3], f"scaled ||Phi_j||^2 of a direction {words}", scale @ curvatures, bend
    if way == sums.FROM_MARGINALS:
        yield SET_DIRECTION, "<scores, output - marginals>", scored @ flat, rise


def check_move(case: Case) -> None:
    """Check a step from marginals towards an output, which must change both the marginals and the weights."""
    shares, target = case.mixture(), int(case.random.integers(len(case.outputs)))
    scale, flat = case.random.integers(1, 9, case.problem.blocks.n) / 4, case.draw()
    before, at = case.mix(shares), case.at(flat, None, scale)
    state, vector = copy_state(before), case.weights(flat)
    sums.move(case.arrays, at, state, case.outputs[target], vector, at.scale, 0.25)
    expected = flat_state(before) + 0.25 * (flat_state(case.vertices[target]) - flat_state(before))
    case.equal(MOVE, "marginals after a step of 1/4", expected, flat_state(state))
    added = shares @ case.vectors - case.vectors[target]
    moved = np.concatenate([vector.node.ravel(), vector.pair.ravel()])
    case.equal(MOVE, "weights after a step of 1/4", flat - 0.25 * added * scale[case.owner], moved)


def check_metric(case: Case) -> None:
    """Check directions with a factor for each single weight, and as sparse vectors."""
    shares, target, size = case.mixture(), int(case.random.integers(len(case.outputs))), case.owner.size
    factors = (case.random.integers(0, 9, size) / 4).astype(np.float32)
    mask = case.random.random(case.problem.blocks.n) < 0.7
    at = case.at(case.draw(), case.problem.live(mask))
    vector, bend, found = sums.metric(
        case.arrays, at, sums.FROM_MARGINALS, case.mix(shares), case.filled[0], case.outputs[target],
        case.zeros(), case.weights(factors),
    )  # fmt: skip
    added = shares @ case.vectors - case.vectors[target]
    live = mask[case.owner]
    case.equal(Function(contract.add_direction, Weights), "under a metric", added * factors * live, vector)
    case.equal(Function(contract.curvature, Weights), "under a metric", (added**2 * factors * live).sum(), bend)
    node, values, pair, pair_values = found
    entries = np.zeros(size)
    np.add.at(entries, np.concatenate([node, pair + case.zeros().node.size]), np.concatenate([values, pair_values]))
    case.equal(Function(contract.direction_entries), "a direction as a sparse vector", added, entries)
    weights, state = case.weights(factors), copy_state(case.mix(shares))
    sums.move(case.arrays, at, state, case.outputs[target], weights, case.weights(factors), 0.25)
    moved = np.concatenate([weights.node.ravel(), weights.pair.ravel()])
    case.equal(MOVE, "weights after a step of 1/4 under a metric", factors - 0.25 * added * factors * live, moved)
