"""The weights of a trained component, by label and by name of feature, as python-crfsuite's ``info()`` tells them."""

from dataclasses import dataclass

import numpy as np

from spacy_mtl.components.protocol.base import StructuredPipe

from .names import NODE, PAIR, FeatureNames


@dataclass(frozen=True)
class Weight:
    """The weight of a feature for a label. label: "" for what scores arcs; for pairs of labels ``B-LOC I-LOC``; for constituents a symbol or rule.

    feature: ``U03:x[-1,LOWER]=la``, or ``#`` and its key where its name is not known.
    """

    label: str
    feature: str
    value: float


def state_features(
    pipe: StructuredPipe, names: FeatureNames | None = None, top: int = 10, side: str = NODE
) -> dict[str, list[Weight]]:
    """The ``top`` features of each label with the largest weights in size, the largest first; 0 for all.

    side: NODE for labels, arcs or spans, PAIR for pairs of labels, labels of arcs or rules of a grammar. The component must be trained.
    """
    weights = pipe.explained_weights()
    keys, codes, scales = weights.matrix(side == PAIR)
    known = names.names[side] if names is not None else {}
    found = {}
    for label, column in zip(weights.columns(side == PAIR), codes.T, strict=True):
        values = column * scales.astype(np.float64)
        order = np.lexsort((keys, -np.abs(values)))[: top or None]
        found[label] = [
            Weight(label, known.get(int(keys[row]), f"#{int(keys[row]):012x}"), float(values[row]))
            for row in order.tolist()
            if values[row]
        ]
    return found


def transitions(pipe: StructuredPipe) -> list[tuple[str, str, float]]:
    """The pairs of labels of a chain and what each scores whatever is observed, the highest first; none for other structures."""
    weights = pipe.explained_weights()
    step = getattr(weights, "step", np.empty((0, 0)))
    pairs = [
        (x, y, float(step[a, b]))
        for a, x in enumerate(weights.labels)
        for b, y in enumerate(weights.labels)
        if step.size
    ]
    return sorted((pair for pair in pairs if pair[2]), key=lambda pair: -pair[2])
