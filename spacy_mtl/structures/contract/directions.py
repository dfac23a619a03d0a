"""Directions and steps: part marginals of the whole corpus, directions from them to outputs, the features of a direction, and steps along it.

Needed by dual ascent (``MTLStruct``, ``L1M3N``), ``EG``, ``CRF``, ``MIRA`` and ``OnlineMKL``. Builds on *decode* and *outputs*.

A *state* is a NamedTuple of arrays that the structure defines, with a number for each part of the corpus; the part marginals M are a state. A
direction is stored in ``work`` until the next one is made. Making it keeps the output there; :func:`set_direction` also keeps the scores.
"""

from .implementing import generic


@generic
def gold_state(problem):
    """Make the part marginals of the whole corpus with all mass on gold, a NamedTuple that the structure defines."""


@generic
def set_vertex(problem, state, i, work):
    """Set M_i to exactly the indicator of the output in ``work``."""


@generic
def expected_loss(problem, state, i):
    """E_{M_i}[loss]."""


@generic
def add_marginals(problem, vector, state, i, amount):
    """Add amount * (Phi(gold_i) - E_{M_i} Phi) to vector, for all templates."""


@generic
def set_direction(problem, state, i, work):
    """Set the direction in ``work`` to the one from the marginals M_i to the output in ``work``; return <scores, output - M_i>.

    After an augmented decode this is the Frank-Wolfe gap of sentence i.
    """


@generic
def set_difference(problem, i, outputs, work):
    """Set the direction in ``work`` to the one from the output stored for sentence i to the output in ``work``, as :func:`set_direction` does."""


@generic
def gold_direction(problem, i, work):
    """Set the direction in ``work`` to the one from gold to the output in ``work``."""


@generic
def add_direction(problem, vector, live, scale, i, work, amount):
    """Add amount * scale_j * Phi_j(direction in ``work``) to vector_j for every live template j (or single weight, under a metric)."""


@generic
def block_products(problem, vector, live, i, work, node, pair):
    """Write <vector_j, Phi_j(direction in ``work``)> of every live template j to node (float64[T]) and pair (float64[Tp])."""


@generic
def block_curvatures(problem, live, i, work, node, pair):
    """Write ||Phi_j(direction in ``work``)||^2 of every live template j to node (float64[T]) and pair (float64[Tp]).

    Features that recur inside the sentence are summed before squaring.
    """


@generic
def curvature(problem, live, scale, i, work):
    """sum_j scale_j ||Phi_j(direction in ``work``)||^2 over live templates.

    Under a metric: sum_k scale_k Phi_k(direction)^2 over the single weights k of live templates.
    """


@generic
def move(problem, weights, live, scale, state, i, work, step):
    """Make a step: M_i += step * direction; w_j -= step * scale_j * Phi_j(direction) for every live template j (or single weight, under a metric)."""
