"""Directions and steps: part marginals of the whole corpus, the way from them to an output, its features, and a step along it.

Needed by dual ascent (``MTLStruct``, ``L1M3N``), ``EG``, ``CRF``, ``MIRA`` and ``OnlineMKL``. Builds on *decode* and *outputs*.

A *state* is a NamedTuple of arrays of the structure's own making with a number for each part of the corpus; the part marginals M are one. Making a
direction leaves it in ``work``, until the next; it may use up the scores there no more than it needs (the output stays).
"""

from .implementing import generic


@generic
def gold_state(problem):
    """Part marginals of the whole corpus with all mass on gold, a NamedTuple of the structure's own making."""


@generic
def set_vertex(problem, state, i, work):
    """M_i = the indicator of the output in ``work``, exactly."""


@generic
def expected_loss(problem, state, i):
    """E_{M_i}[loss]."""


@generic
def add_marginals(problem, vector, state, i, amount):
    """vector += amount * (Phi(gold_i) - E_{M_i} Phi), over all templates."""


@generic
def set_direction(problem, state, i, work):
    """Direction from the marginals M_i to the output in ``work``, kept in ``work``; returns <scores, output - M_i>.

    After an augmented decode this is the Frank-Wolfe gap of sentence i.
    """


@generic
def set_difference(problem, i, outputs, work):
    """Direction from the output stored for sentence i to the output in ``work``, kept in ``work`` as by :func:`set_direction`."""


@generic
def gold_direction(problem, i, work):
    """Direction from gold to the output in ``work``, kept in ``work``."""


@generic
def add_direction(problem, vector, live, scale, i, work, amount):
    """vector_j += amount * scale_j * Phi_j(direction in ``work``) for every live template j (or single weight, under a metric)."""


@generic
def block_products(problem, vector, live, i, work, node, pair):
    """<vector_j, Phi_j(direction in ``work``)> of every live template j, written to node (float64[T]) and pair (float64[Tp])."""


@generic
def block_curvatures(problem, live, i, work, node, pair):
    """||Phi_j(direction in ``work``)||^2 of every live template j, written to node (float64[T]) and pair (float64[Tp]).

    Features that recur inside the sentence are summed before squaring.
    """


@generic
def curvature(problem, live, scale, i, work):
    """sum_j scale_j ||Phi_j(direction in ``work``)||^2 over live templates.

    Under a metric: sum_k scale_k Phi_k(direction)^2 over the single weights k of live templates.
    """


@generic
def move(problem, weights, live, scale, state, i, work, step):
    """M_i += step * direction; w_j -= step * scale_j * Phi_j(direction) for every live template j (or single weight, under a metric)."""
