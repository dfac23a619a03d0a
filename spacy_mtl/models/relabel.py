"""The weights of a trained model over more labels than it was trained for: what new labels score before anything has been learnt of them."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from .chain.weights import ChainWeights
from .tree.weights import TreeWeights

#: Rows that are relabelled at a time.
ROWS = 1 << 14
#: The kind of a label, and the name of the labels that it belongs with ("" for none): of B-PER, B and PER.
Kind = Callable[[str], tuple[str, str]]


class Sources(NamedTuple):
    """What the labels of a new model are in those of an earlier one.

    mixture: float32[L_old, L_new]: a known label is itself, a new one the mean of the known labels of its kind, or nothing if there are none.
    together: pairs of new labels that belong together, as their numbers and those of the known pairs that they are the mean of, int64[k] twice.
    """

    mixture: np.ndarray
    together: list[tuple[int, int, np.ndarray, np.ndarray]]


def sources_of(old: Sequence[str], new: Sequence[str], kind: Kind) -> Sources:
    """What new labels are before anything has been learnt of them.

    A new label is the mean of the known ones of its kind, and its pairs with labels of the same name are the mean of such pairs: so no output with
    new labels ever scores more than the best of those that it is the mean of, and a model with new labels predicts as before until it has learnt
    them.
    """
    place, known = {label: k for k, label in enumerate(old)}, [kind(label) for label in old]
    names = {
        name: {of: k for k, (of, own) in enumerate(known) if own == name}
        for name in dict.fromkeys(name for _, name in known)
    }
    mixture, together = np.zeros((len(old), len(new)), np.float32), []
    added = [(k, *kind(label)) for k, label in enumerate(new) if label not in place]
    for label, k in place.items():
        mixture[k, new.index(label)] = 1
    for k, of, name in added:
        alike = [at for at, (other, _) in enumerate(known) if other == of]
        mixture[alike, k] = 1 / max(1, len(alike))
        for k2, of2, name2 in added:
            if name and name2 == name:
                both = [one for one in names.values() if of in one and of2 in one]
                pairs = np.array([(one[of], one[of2]) for one in both], np.int64).reshape(-1, 2)
                together.append((k, k2, pairs[:, 0], pairs[:, 1]))
    return Sources(mixture, together)


def relabelled_chain(weights: ChainWeights, labels: Sequence[str], kind: Kind) -> ChainWeights:
    """The weights over ``labels``, among which are all of before. Those of before have the same weights, bit by bit."""
    (mixture, together), n = sources_of(weights.labels, labels, kind), len(labels)
    before = len(weights.labels)

    def pairs(rows: np.ndarray) -> np.ndarray:
        tables = rows.reshape(-1, before, before)
        found = mixture.T @ tables @ mixture
        for a, b, firsts, seconds in together:
            found[:, a, b] = tables[:, firsts, seconds].sum(axis=1) / max(1, firsts.size)
        return found.reshape(len(rows), n * n)

    node = _rows(weights.codes, weights.scales, n, lambda rows: rows @ mixture)
    pair = _rows(weights.pair_codes, weights.pair_scales, n * n, pairs)
    step = pairs(weights.step.reshape(1, -1)).reshape(n, n).astype(np.float32)
    return replace(
        weights, labels=tuple(labels), codes=node[0], scales=node[1], pair_codes=pair[0], pair_scales=pair[1], step=step
    )


def relabelled_tree(weights: TreeWeights, labels: Sequence[str], kind: Kind) -> TreeWeights:
    """The same for trees, where labels are those of arcs."""
    mixture = sources_of(weights.labels, labels, kind).mixture
    codes, scales = _rows(weights.pair_codes, weights.pair_scales, len(labels), lambda rows: rows @ mixture)
    return replace(weights, labels=tuple(labels), pair_codes=codes, pair_scales=scales)


def _rows(
    codes: np.ndarray, scales: np.ndarray, width: int, make: Callable[[np.ndarray], np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    """Codes int8[R, width] and scales float32[R] of what ``make`` makes of the rows codes * scales.

    No mean is larger than what it is the mean of, so scales stay as they are.
    """
    out = np.empty((scales.size, width), np.int8)
    for first in range(0, scales.size, ROWS):
        some = slice(first, first + ROWS)
        out[some] = np.clip(np.rint(make(codes[some].astype(np.float32))), -127, 127)
    return out, scales
