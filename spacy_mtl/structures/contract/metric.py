"""Single weights as a metric: a factor for each single weight where other trainers have one for each template's block.

Needed by ``L1M3N`` ("em", "laplace", "cutting_plane"). Builds on *directions*: ``curvature`` and ``add_direction`` are implemented once more, for a
``scale`` that is :class:`.Weights`. It takes weights that belong to one feature each.
"""

from .implementing import generic


@generic
def direction_entries(problem, i, work):
    """Phi(direction in ``work``) as a sparse vector, over all templates.

    Returns node int64[k], node_values float64[k], pair int64[k'], pair_values float64[k']: entry ``row * columns + column`` of the two
    matrices. An entry may come several times; its values are then to be summed.
    """
