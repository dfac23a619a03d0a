"""Marginals and log partition: sums over all outputs of a sentence, and numbers for each part besides marginals.

Needed by ``CRF``, ``EG``, and ``OnlineMKL`` on the log loss. Builds on *decode* and *directions*.
"""

from .implementing import generic


@generic
def set_marginals(problem, state, i, work):
    """M_i = part marginals of the distribution proportional to exp(score), under the scores in ``work``.

    Returns the log partition.
    """


@generic
def log_partition(problem, i, work):
    """log sum over all outputs of exp(score), under the scores in ``work``."""


@generic
def marginal_direction(problem, i, work):
    """Direction from gold to the part marginals under the scores in ``work``, kept in ``work``; returns the log partition."""


@generic
def load_parts(problem, state, i, work):
    """Scores in ``work`` = the numbers of sentence i in ``state`` (a number for each part, not marginals), constraints added.

    Where a part of the layout stands for a sum over positions, its number is the score at each of them.
    """


@generic
def add_parts(problem, state, i, work, amount):
    """The reverse: numbers of sentence i in ``state`` += amount * scores in ``work``."""


@generic
def dot_state(problem, state, i, work):
    """sum_r state_{i,r} * (score of part r in ``work``)."""


@generic
def add_state(problem, vector, state, i, amount):
    """vector += amount * sum_r state_{i,r} phi_r, over all templates: the adjoint of part scores, for any numbers in the layout of marginals."""
