"""Metrics over single weights: a factor for each single weight, where other trainers have one per template block.

Needed by ``L1M3N`` ("em", "laplace", "cutting_plane"). Builds on *directions*: ``curvature`` and ``add_direction`` are implemented a second time,
for a ``scale`` of type :class:`.Weights`. Requires that each weight belongs to a single feature.
"""

from .implementing import generic


@generic
def direction_entries(problem, i, work):
    """Phi(direction in ``work``) as a sparse vector, over all templates.

    Returns node int64[k], node_values float64[k], pair int64[k'], pair_values float64[k']: entry ``row * columns + column`` of the two
    matrices. Entries may be repeated; their values must then be summed.
    """
