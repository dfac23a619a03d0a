"""What the driver knows of the problem: the blocks of the weights, but no sentences."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from spacy_mtl.errors import Errors
from spacy_mtl.structures.problem import Blocks, Problem

from .messages import Shape
from .workers import MOST_LOST, Workers


class Frame(Problem):
    """A problem without sentences, in which every weight belongs to one feature."""

    @cached_property
    def offers(self) -> frozenset[str]:
        return frozenset({"features"})


def common_frame(workers: Workers) -> Frame:
    """The blocks that all shards have.

    Raises ValueError: M374 shards that differ, M375 a shard that is empty, M376 one that cannot be trained on, M377 workers are lost again and again.
    """
    shapes = _shapes(workers)
    first = shapes[0]
    for k, shape in enumerate(shapes):
        for what, one, other in _compared(shape, first):
            if not np.array_equal(one, other):
                raise ValueError(Errors.M374.format(worker=workers.name(k), what=what, first=workers.name(0)))
        if not shape.sentences:
            raise ValueError(Errors.M375.format(worker=workers.name(k)))
        if not shape.features:
            raise ValueError(Errors.M376.format(worker=workers.name(k)))
    return Frame(None, Blocks(first.node, first.pair, first.names), *first.widths)


def _shapes(workers: Workers) -> Sequence[Shape]:
    for _ in range(MOST_LOST):
        shapes = workers.call("shape", [()] * len(workers))
        if all(shape is not None for shape in shapes):
            return shapes
    raise ValueError(Errors.M377.format(lost=MOST_LOST))


def _compared(shape: Shape, first: Shape) -> list[tuple[str, Any, Any]]:
    return [
        (f"another version of spacy_mtl ({shape.version}, not {first.version})", shape.version, first.version),
        ("other templates", shape.names, first.names),
        ("another number of labels", shape.widths, first.widths),
        ("features with other numbers", shape.node, first.node),
        ("features of label pairs with other numbers", shape.pair, first.pair),
    ]
