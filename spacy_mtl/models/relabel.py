"""The weights of a trained model over more labels than it was trained for: what new labels score before anything has been learnt of them."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from .chain.weights import ChainWeights
from .tree.weights import TreeWeights

#: Rows that are relabelled at a time.
ROWS = 1 << 14
#: What a new label is of the label outside, before it has been learnt: more than 0, since most places are of no name at all. Chosen on development
#: data, as are the constants of :mod:`.shrink`.
OUTSIDE = 0.125
#: The kind of a label, and the name of the labels that it belongs with ("" for none): of B-PER, B and PER.
Kind = Callable[[str], tuple[str, str]]


class Sources(NamedTuple):
    """What the labels of a new model are in those of an earlier one.

    mixture: float32[L_old, L_new]: a known label is itself, a new one a mixture of the known labels of its kind and of the label outside, or nothing
    if there are none. together: pairs of new labels that belong together, as their numbers and the mixture of known pairs that they are,
    float32[L_old, L_old].
    """

    mixture: np.ndarray
    together: list[tuple[int, int, np.ndarray]]


def sources_of(old: Sequence[str], new: Sequence[str], kind: Kind, outside: str | None = None) -> Sources:
    """What new labels are before anything has been learnt of them. outside: the label of a position that no name is of.

    A new label is the mean of the known ones of its kind, and its pairs with labels of the same name are the mean of such pairs; the label outside
    has a share of :data:`OUTSIDE` in both. So no output with new labels ever scores more than the best of those that it is a mixture of, and a model
    with new labels predicts as before until it has learnt them.
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
    out = [place[outside]] if outside in place else []
    for k, of, name in added:
        alike = [at for at, (other, _) in enumerate(known) if other == of]
        mixture[:, k] = _mixed(mixture[:, k], alike, out)
        for k2, of2, name2 in added:
            if name and name2 == name:
                both = [(one[of], one[of2]) for one in names.values() if of in one and of2 in one]
                together.append((k, k2, _mixed(np.zeros((len(old),) * 2, np.float32), both, [(at, at) for at in out])))
    return Sources(mixture, together)


def _mixed(nothing: np.ndarray, alike: Sequence, outside: Sequence) -> np.ndarray:
    """The mixture of these places of a table of zeros: all alike in equal shares, and those outside with theirs; all of it where nothing is alike."""
    share = (OUTSIDE if alike else 1.0) if outside else 0.0
    for at in alike:
        nothing[at] += (1 - share) / len(alike)
    for at in outside:
        nothing[at] += share
    return nothing


def relabelled_chain(
    weights: ChainWeights, labels: Sequence[str], kind: Kind, outside: str | None = None
) -> ChainWeights:
    """The weights over ``labels``, among which are all of before. Those of before have the same weights, bit by bit."""
    (mixture, together), n = sources_of(weights.labels, labels, kind, outside), len(labels)
    before = len(weights.labels)

    def pairs(rows: np.ndarray) -> np.ndarray:
        tables = rows.reshape(-1, before, before)
        found = mixture.T @ tables @ mixture
        for a, b, shares in together:
            found[:, a, b] = np.einsum("rxy,xy->r", tables, shares)
        return found.reshape(len(rows), n * n)

    node = _rows(weights.codes, weights.scales, n, lambda rows: rows @ mixture)
    pair = _rows(weights.pair_codes, weights.pair_scales, n * n, pairs)
    step = pairs(weights.step.reshape(1, -1)).reshape(n, n).astype(np.float32)
    dense = _rows(weights.dense_codes, weights.dense_scales, n, lambda rows: rows @ mixture)
    constants = weights.dense_constants @ mixture if weights.dense_codes.size else weights.dense_constants
    weights = replace(weights, dense_codes=dense[0], dense_constants=constants)
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
