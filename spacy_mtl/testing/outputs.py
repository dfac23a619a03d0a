"""Checks of *score and decode* and of *outputs as arrays*."""

import numpy as np

from spacy_mtl.structures import contract
from spacy_mtl.structures.contract import Function

from .case import Case, flat_state
from .failure import StructureError, Witness
from .probes import outputs as probes
from .probes import sums

DECODE, ADD_LOSS, OUTPUT_LOSS = Function(contract.decode), Function(contract.add_loss), Function(contract.output_loss)
GOLD_SCORE, STORED_SCORE = Function(contract.gold_score), Function(contract.stored_score)
STORE, LOAD, SAME = Function(contract.store_output), Function(contract.load_output), Function(contract.same_output)
ADD_OFFSET = Function(contract.add_offset)
TAKE = Function(contract.take_output)
GOLD_OUTPUTS, N_SLOTS = Function(contract.gold_outputs), Function(contract.n_slots)
GOLD_STATE, SET_VERTEX = Function(contract.gold_state), Function(contract.set_vertex)


def check_storing(case: Case) -> None:
    """Check that a stored output has the form of ``take_output``, is the same when loaded, and differs from all others for ``same_output``."""
    used = np.flatnonzero((case.stored != -7).any(axis=0))
    if used.size != case.outputs.shape[1]:
        case.fail(STORE, "an output fills another number of slots than it has parts", case.outputs.shape[1], used.size)
    slots = case.filled.copy()
    slots[:, used] = case.outputs
    again = probes.loaded_forms(case.arrays, case.i, slots)[:, used]
    taken, loaded = ((forms == case.outputs).all() for forms in (case.stored[:, used], again))
    if not taken:
        blamed = TAKE if loaded else STORE
        case.fail(blamed, "an output is stored as another one than was taken", case.outputs, case.stored[:, used])
    if not loaded:
        case.fail(LOAD, "a stored output is loaded as another one", case.outputs, again)
    same = probes.alike(case.arrays, case.i, case.outputs[case.some], slots[case.some])
    case.equal(SAME, "which output is the stored one", np.eye(case.some.size), same)


def check_slots(cases: list[Case]) -> None:
    """Check that ``n_slots`` is the size of the gold outputs, and large enough."""
    case = cases[0]
    n_slots, gold = probes.stored_gold(case.arrays)
    try:
        stored = [probes.stored_forms(one.arrays, one.i, one.outputs[-1:], -7)[0] for one in cases]
    except IndexError as error:  # only in plain Python
        raise StructureError(case.names.of(N_SLOTS), 0, f"too few slots ({error})", gold.size, n_slots) from error
    if gold.size != n_slots:
        last = max(np.flatnonzero(row != -7).max(initial=-1) for row in stored)
        wrong = GOLD_OUTPUTS if last + 1 == n_slots else N_SLOTS
        case.fail(wrong, "gold outputs have another size than n_slots says", gold.size, n_slots)
    if gold.dtype != np.int32:
        case.fail(GOLD_OUTPUTS, "of another type than int32", "int32", str(gold.dtype))


def find_gold(case: Case) -> int:
    """The number of the gold output, by all functions that know it; -1 if gold is not among the outputs. Fails if they disagree."""
    masks = {OUTPUT_LOSS: case.losses == 0}
    if "outputs" in case.offers:
        gold = probes.stored_gold(case.arrays)[1]
        masks[GOLD_OUTPUTS] = ((case.stored == -7) | (case.stored == gold)).all(axis=1)
    else:
        masks[Function(contract.add_output)] = ~case.vectors.any(axis=1)
    if "directions" in case.offers:
        masks[GOLD_STATE] = _gold_vertices(case)
    elif "outputs" in case.offers:
        at = case.at(np.zeros(case.owner.size))
        plain, costly = (probes.stored_scores(case.arrays, at, False, loss, case.outputs)[0] for loss in (0.0, 1.0))
        masks[ADD_LOSS] = np.abs(costly - plain) < 1e-6
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


def _gold_vertices(case: Case) -> np.ndarray:
    """The outputs whose indicator is the sentence's part of ``gold_state``, bool[K]."""
    vertices, state = [flat_state(vertex) for vertex in case.vertices], flat_state(sums.gold_state(case.arrays))
    mine = np.max([vertex != 0 for vertex in vertices], axis=0)
    if not mine.any():
        case.fail(SET_VERTEX, "the indicator of an output is 0 in every part", 1, 0)
    different = len({vertex.tobytes() for vertex in vertices})
    if different < len(vertices):
        case.fail(SET_VERTEX, "different outputs have the same indicator", len(vertices), different)
    return np.array([np.array_equal(vertex[mine], state[mine]) for vertex in vertices])


def check_output_scores(case: Case, gold: int) -> None:
    """Check the scores of the decoded output and of gold, by all functions that compute them."""
    at = case.at(case.draw())
    best, scored, cost, vector = probes.decode(case.arrays, at, False, False, 0.0, case.zeros())
    for number, of in (
        (case.number(cost, vector, sure=True), Witness(DECODE, best)),
        (gold, Witness(GOLD_SCORE, scored)),
    ):
        if number >= 0:
            witnesses = [of]
            if "outputs" in case.offers:
                scores, _ = probes.stored_scores(case.arrays, at, False, 0.0, case.outputs[number : number + 1])
                witnesses.append(Witness(STORED_SCORE, scores[0]))
            if "marginals" in case.offers:
                product, _ = sums.state_products(case.arrays, at, case.vertices[number], case.zeros())
                witnesses.append(Witness(Function(contract.dot_state), product))
            case.agree("the score of one output under random weights", witnesses)


def check_scores(case: Case) -> None:
    """Check that scores are linear in the weights, and that only live templates score, each times its scale."""
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
    """Check that losses are not negative, apart from offsets, and that those added to scores are those of the outputs."""
    costs = probes.costs(case.arrays, case.i, case.outputs)
    if (costs < 0).any():
        case.fail(OUTPUT_LOSS, "a negative loss", 0.0, costs.min())
    if "outputs" not in case.offers:
        return
    at = case.at(case.draw())
    offsets, added = probes.offsets(case.arrays, at, case.outputs)
    case.equal(ADD_OFFSET, "two times the offset of each output", 2 * offsets, added)
    plain, costly = (probes.stored_scores(case.arrays, at, False, loss, case.outputs)[0] for loss in (0.0, 2.0))
    witnesses = [Witness(OUTPUT_LOSS, case.losses), Witness(ADD_LOSS, (costly - plain) / 2)]
    if "directions" in case.offers:
        expected = [sums.expect(case.arrays, vertex, case.i, case.zeros())[0] for vertex in case.vertices]
        witnesses.append(Witness(Function(contract.expected_loss), expected))
    case.agree("losses of all outputs", witnesses)


def check_decode(case: Case) -> None:
    """Check that decoding finds the best output, with and without losses, and that the output in ``work`` has the returned score."""
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
    """Check products with the difference between gold and each output, which are added block by block to existing values."""
    flat, blocks = case.draw(), case.problem.blocks
    node, pair = np.ones((case.some.size, blocks.n_node)), np.ones((case.some.size, blocks.n - blocks.n_node))
    probes.dot_outputs(case.arrays, case.weights(flat), case.i, case.outputs[case.some], node, pair)
    expected = np.stack([case.by_block((case.gold_features - case.by_score[k]) * flat) for k in case.some])
    case.equal(
        Function(contract.dot_output), "products with gold minus output", expected + 1, np.concatenate([node, pair], 1)
    )


def check_norms(case: Case) -> None:
    """Check the norms of kernelised blocks for a sum of output vectors, against the scores under these vectors."""
    shares = case.random.integers(-4, 5, len(case.outputs)) / 4
    vector = shares @ case.vectors
    products = (shares @ (case.gold_features - case.by_score)) * vector
    expected = np.sqrt(np.maximum(case.by_block(products), 0))
    case.equal(
        Function(contract.kernel_norms), "norms of blocks", expected, case.problem.block_norms(case.weights(vector))
    )
