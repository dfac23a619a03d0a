"""Checks of *score and decode* and of *outputs as arrays*."""

import numpy as np

from spacy_mtl.structures import contract
from spacy_mtl.structures.contract import Function

from .case import Case, flat_state
from .failure import Witness
from .probes import outputs as probes
from .probes import sums

DECODE, ADD_LOSS, OUTPUT_LOSS = Function(contract.decode), Function(contract.add_loss), Function(contract.output_loss)
GOLD_SCORE, STORED_SCORE = Function(contract.gold_score), Function(contract.stored_score)
STORE, LOAD, SAME = Function(contract.store_output), Function(contract.load_output), Function(contract.same_output)
GOLD_OUTPUTS, N_SLOTS = Function(contract.gold_outputs), Function(contract.n_slots)
GOLD_STATE, SET_VERTEX = Function(contract.gold_state), Function(contract.set_vertex)


def check_storing(case: Case) -> None:
    """Outputs survive being stored: loaded again they are the same, and ``same_output`` tells them from all others."""
    n_slots, gold = probes.stored_gold(case.arrays)
    used = np.flatnonzero((case.stored != -7).any(axis=0))
    if gold.size != n_slots:
        wrong = N_SLOTS if used.max(initial=-1) >= n_slots or used.max(initial=-1) + 1 == gold.size else GOLD_OUTPUTS
        case.fail(wrong, "gold outputs have another size than n_slots says", gold.size, n_slots)
    if gold.dtype != np.int32:
        case.fail(GOLD_OUTPUTS, "of another type than int32", "int32", str(gold.dtype))
    several = len(case.outputs) > 1 and case.vectors.any()
    if several and (case.stored == case.stored[0]).all():
        case.fail(STORE, "different outputs are stored alike", case.outputs[1], case.stored[1][used])
    some = case.some
    same = probes.alike(case.arrays, case.i, case.outputs[some], case.stored[some])
    known, loaded = np.eye(some.size), np.zeros(some.size, bool)
    for k, number in enumerate(some):
        other = case.outputs[some[k - 1]]
        found = probes.load(case.arrays, case.i, other, case.stored[number], case.zeros())
        loaded[k] = np.allclose(found[0], case.losses[number]) and np.allclose(found[1], case.vectors[number])
    if not loaded.all() and not np.array_equal(known, same):
        case.fail(STORE, "a stored output is neither told nor loaded as it was", known, same)
    if not np.array_equal(known, same):
        case.fail(SAME, "does not tell which output is the stored one", known, same)
    if not loaded.all():
        case.fail(LOAD, "a stored output is loaded as another one", True, loaded)


def find_gold(case: Case) -> int:
    """Which output is gold, by all functions that know it; -1 where gold is none of the outputs. Blames who knows another one."""
    masks = {OUTPUT_LOSS: case.losses == 0}
    if "outputs" in case.offers:
        gold = probes.stored_gold(case.arrays)[1]
        masks[GOLD_OUTPUTS] = ((case.stored == -7) | (case.stored == gold)).all(axis=1)
        at = case.at(np.zeros(case.owner.size))
        plain, costly = (probes.stored_scores(case.arrays, at, False, loss, case.outputs)[0] for loss in (0.0, 1.0))
        masks[ADD_LOSS] = np.abs(costly - plain) < 1e-6
    else:
        masks[Function(contract.add_output)] = ~case.vectors.any(axis=1)
    if "directions" in case.offers:
        state = flat_state(sums.gold_state(case.arrays))
        mine = np.max([flat_state(vertex) != 0 for vertex in case.vertices], axis=0)
        masks[GOLD_STATE] = np.array([np.array_equal(flat_state(v)[mine], state[mine]) for v in case.vertices])
    votes = np.sum(list(masks.values()), axis=0)
    best = int(np.argmax(votes))
    if votes[best] < 2:
        return -1
    for function, mask in masks.items():
        if not mask[best]:
            blamed = function
            if function == GOLD_STATE:
                loss, vector = sums.expect(case.arrays, sums.gold_state(case.arrays), case.i, case.zeros())
                blamed = SET_VERTEX if loss == 0 and not np.abs(vector).max(initial=0) > 1e-6 else GOLD_STATE
            case.fail(
                blamed, "knows another gold output than other functions do", case.outputs[best], case.outputs[mask]
            )
    return best


def check_gold_score(case: Case, gold: int) -> None:
    """The score of gold, by all functions that tell it."""
    flat = case.draw()
    at = case.at(flat)
    forced, scored, cost, _ = probes.decode(case.arrays, at, False, False, -64.0, case.zeros())
    witnesses = [Witness(GOLD_SCORE, scored)]
    if case.problem.exact and gold >= 0 and cost == 0 and (case.losses > 0).sum() == len(case.losses) - 1:
        witnesses.append(Witness(DECODE, forced))
    if "outputs" in case.offers:
        _, stored = probes.stored_scores(case.arrays, at, False, 0.0, case.outputs)
        witnesses.append(Witness(STORED_SCORE, stored))
        if gold >= 0 and "marginals" in case.offers:
            product, vector = sums.state_products(case.arrays, at, case.vertices[gold], case.zeros())
            witnesses.append(Witness(Function(contract.dot_state), product))
            if case.features:
                witnesses.append(Witness(Function(contract.add_state), vector @ flat))
    case.agree("the score of gold under random weights", witnesses)


def check_scores(case: Case) -> None:
    """Scores are linear in the weights, 0 without; only live templates score, each times its scale."""
    nothing = np.zeros(case.owner.size)
    live_mask = case.random.random(case.problem.blocks.n) < 0.6
    live, scale = case.problem.live(live_mask), case.random.integers(1, 9, case.problem.blocks.n) / 4
    for scaled, function in ((True, Function(contract.score_scaled)), (False, Function(contract.score_parts))):
        flat = case.draw()
        ways = [
            ("without weights", nothing, case.at(nothing)),
            ("under random weights", flat, case.at(flat)),
            ("with some live templates", flat * live_mask[case.owner], case.at(flat, live)),
        ]
        if scaled:
            ways.append(("with scaled blocks", flat * scale[case.owner], case.at(flat, None, scale)))
        for words, weights, at in ways:
            if "outputs" in case.offers:
                found, expected = (
                    probes.stored_scores(case.arrays, at, scaled, 0.0, case.outputs)[0],
                    case.scores(weights),
                )
            else:
                found, expected = (
                    probes.decode(case.arrays, at, scaled, False, 0.0, case.zeros())[1],
                    case.gold_features @ weights,
                )
            case.equal(function, f"scores {words}", expected, found)


def check_losses(case: Case) -> None:
    """Losses are not negative, and those added to the scores are those of the outputs."""
    if (case.losses < 0).any():
        case.fail(OUTPUT_LOSS, "a negative loss", 0.0, case.losses.min())
    if "outputs" not in case.offers:
        return
    at = case.at(case.draw())
    plain, costly = (probes.stored_scores(case.arrays, at, False, loss, case.outputs)[0] for loss in (0.0, 2.0))
    witnesses = [Witness(OUTPUT_LOSS, case.losses), Witness(ADD_LOSS, (costly - plain) / 2)]
    if "directions" in case.offers:
        expected = [sums.expect(case.arrays, vertex, case.i, case.zeros())[0] for vertex in case.vertices]
        witnesses.append(Witness(Function(contract.expected_loss), expected))
    case.agree("losses of all outputs", witnesses)


def check_decode(case: Case) -> None:
    """The best of all outputs, with and without losses; what is left in ``work`` has the score that is returned."""
    for augmented in (False, True):
        for flat in [np.zeros(case.owner.size), *(case.draw() for _ in range(3))]:
            best, _, cost, vector = probes.decode(case.arrays, case.at(flat), False, augmented, 0.0, case.zeros())
            scores = case.scores(flat) + augmented * case.losses
            number = case.number(cost, vector)
            words = "with losses added" if augmented else "without losses"
            if number < 0:
                case.fail(
                    DECODE,
                    f"the output found {words} is none of the sentence's",
                    case.outputs[np.argmax(scores)],
                    vector,
                )
            if case.problem.exact or best > scores.max():
                case.equal(DECODE, f"the score of the best output, {words}", scores.max(), best)
            case.equal(DECODE, f"the score of the output that was found, {words}", best, scores[number])


def check_dot_output(case: Case) -> None:
    """Products with the difference between gold and each output, added block by block to what is there."""
    flat, blocks = case.draw(), case.problem.blocks
    node, pair = np.ones((case.some.size, blocks.n_node)), np.ones((case.some.size, blocks.n - blocks.n_node))
    probes.dot_outputs(case.arrays, case.weights(flat), case.i, case.outputs[case.some], node, pair)
    expected = np.stack([case.by_block((case.gold_features - case.by_score[k]) * flat) for k in case.some])
    case.equal(
        Function(contract.dot_output), "products with gold minus output", expected + 1, np.concatenate([node, pair], 1)
    )


def check_norms(case: Case) -> None:
    """Norms of kernelised blocks: those of a sum of outputs' vectors, from the scores that these give."""
    shares = case.random.integers(-4, 5, len(case.outputs)) / 4
    vector = shares @ case.vectors
    products = (shares @ (case.gold_features - case.by_score)) * vector
    expected = np.sqrt(np.maximum(case.by_block(products), 0))
    case.equal(
        Function(contract.kernel_norms), "norms of blocks", expected, case.problem.block_norms(case.weights(vector))
    )
