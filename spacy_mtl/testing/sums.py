"""Checks of *marginals and log partition* and of *k-best*."""

import numpy as np

from spacy_mtl.structures import contract
from spacy_mtl.structures.contract import Function

from .case import Case, flat_state
from .probes import outputs as probes
from .probes import sums

LOG_PARTITION, SET_MARGINALS = Function(contract.log_partition), Function(contract.set_marginals)
MARGINAL_DIRECTION, KBEST = Function(contract.marginal_direction), Function(contract.kbest)


def check_sums(case: Case) -> None:
    """Check log partition and marginals against the sum over all outputs, and the direction from gold to the marginals."""
    flat = case.draw()
    scores = case.scores(flat)
    log_z = scores.max() + np.log(np.exp(scores - scores.max()).sum())
    shares, state = np.exp(scores - log_z), case.blank()
    found, vector = sums.sums(case.arrays, case.at(flat), state, case.zeros())
    for function, value in zip((SET_MARGINALS, MARGINAL_DIRECTION, LOG_PARTITION), found[[1, 2, 0]], strict=True):
        case.equal(function, "the log partition", log_z, value)
    case.equal(SET_MARGINALS, "marginals of all parts", flat_state(case.mix(shares)), flat_state(state))
    case.equal(MARGINAL_DIRECTION, "from gold to the marginals", -shares @ case.vectors, vector)


def check_parts(case: Case) -> None:
    """Check states of numbers per part: stored scores, and the features and scores of a state."""
    flat = case.draw()
    scores, shares, state = case.scores(flat), case.mixture(), case.blank()
    at, mixture = case.at(flat), case.mix(shares)
    sums.keep_scores(case.arrays, at, state, 0.5)
    kept = [flat_state(vertex)[on := flat_state(vertex) != 0] @ flat_state(state)[on] for vertex in case.vertices]
    case.equal(Function(contract.add_parts), "kept part scores of all outputs", 0.5 * scores, kept)
    loaded = sums.scores_from(case.arrays, case.i, state, case.outputs)
    case.equal(Function(contract.load_parts), "scores of all outputs from kept part scores", 0.5 * scores, loaded)
    product, vector = sums.state_products(case.arrays, at, mixture, case.zeros())
    case.equal(Function(contract.dot_state), "<marginals, scores>", shares @ scores, product)
    other = case.mixture()
    _, second = sums.state_products(case.arrays, at, case.mix(other), case.zeros())
    add_state = Function(contract.add_state)
    case.equal(
        add_state, "features of one mixture less those of another", (other - shares) @ case.vectors, vector - second
    )
    if case.features:
        case.equal(add_state, "features of a mixture", shares @ case.by_score, vector)


def check_kbest(case: Case) -> None:
    """Check that the k best outputs are distinct and in descending order, for several k, one larger than the number of outputs."""
    flat = case.draw()
    scores = case.scores(flat)
    for k in (1, 3, len(case.outputs) + 2):
        outputs, found = sums.kbest(case.arrays, case.at(flat), k)
        case.equal(KBEST, f"scores of the {k} best outputs", np.sort(scores)[::-1][:k], found)
        if len({tuple(output) for output in outputs.tolist()}) < len(outputs):
            case.fail(KBEST, f"some of the {k} best outputs are the same", len(outputs), outputs)
        losses, vectors = probes.take_each(case.arrays, case.i, np.ascontiguousarray(outputs), case.zeros())
        numbers = [case.number(loss, vector) for loss, vector in zip(losses, vectors, strict=True)]
        if -1 in numbers:
            case.fail(KBEST, f"one of the {k} best outputs is none of the sentence's", case.outputs, outputs)
        case.equal(KBEST, f"scores of the {k} best outputs as they are taken", found, scores[numbers])
