"""Marginals and log partition: sums over all outputs of a sentence, and states whose numbers are not marginals.

Needed by ``CRF``, ``EG``, and ``OnlineMKL`` with the log loss. Builds on *decode* and *directions*.
"""

from .implementing import generic


@generic
def set_marginals(problem, state, i, work):
    """Set M_i to the part marginals of the distribution proportional to exp(score), under the scores in ``work``; return the log partition."""


@generic
def log_partition(problem, i, work):
    """log sum over all outputs of exp(score), under the scores in ``work``."""


@generic
def marginal_direction(problem, i, work):
    """Set the direction in ``work`` to the one from gold to the part marginals under the scores in ``work``; return the log partition."""


@generic
def load_parts(problem, state, i, work):
    """Set the scores in ``work`` to the numbers of sentence i in ``state`` (a score for each part, not marginals), plus constraints.

    If a part of the layout stands for a sum over positions, its number is the score at each of them.
    """


@generic
def add_parts(problem, state, i, work, amount):
    """Add amount * scores in ``work`` to the numbers of sentence i in ``state``, the inverse of :func:`load_parts`."""


@generic
def dot_state(problem, state, i, work):
    """sum_r state_{i,r} * (score of part r in ``work``)."""


@generic
def add_state(problem, vector, state, i, amount):
    """Add amount * sum_r state_{i,r} phi_r to vector, for all templates: the adjoint of part scores, for any numbers in the layout of marginals."""
