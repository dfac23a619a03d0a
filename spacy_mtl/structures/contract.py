"""The narrow waist between trainers and structures: generic kernels, chosen by the type of the problem.

A *problem* is a NamedTuple of arrays (feature rows, gold, layout of a corpus). A structure implements the generic
functions below for its own NamedTuple type; a trainer's kernel calls them and so works for every structure, fused and cached. ``Work`` is scratch
space of one sentence, a NamedTuple of the structure's own making.

Part scores, indicators and marginals of a sentence share one layout, which only the structure knows.
"""

from collections.abc import Callable
from inspect import signature
from typing import Any, NamedTuple

import numpy as np
from numba import types
from numba.extending import overload

from spacy_mtl.kernels import subkernel


class Weights(NamedTuple):
    """One weight vector, as two row-contiguous matrices: a feature row scores every label, or every pair of labels.

    node: float32[R, L]. pair: float32[Rp, L * L], pair (previous, current) at ``previous * L + current``.
    """

    node: np.ndarray
    pair: np.ndarray


class Live(NamedTuple):
    """Templates worth looking up (weight not zero). node, pair: int64, template numbers within their kind."""

    node: np.ndarray
    pair: np.ndarray


class Scale(NamedTuple):
    """A factor for each template's block. node: float64[T]. pair: float64[Tp].

    :func:`curvature`, :func:`add_direction` and :func:`move` also take :class:`Weights` in its place, a *metric*: a factor for each single weight.
    Which of the two is a matter of type, decided when a kernel is compiled.
    """

    node: np.ndarray
    pair: np.ndarray


def n_sentences(problem):
    """Number of training sentences (or pieces of sentences)."""


def score_parts(problem, weights, live, i, work):
    """Part scores of sentence i under ``weights`` into ``work``."""


def score_scaled(problem, weights, live, scale, i, work):
    """Part scores of sentence i under the weights ``scale_j * w_j`` into ``work``: what lazily scaled blocks need."""


def add_loss(problem, i, work, amount):
    """Scores in ``work`` += amount * loss of each part."""


def load_parts(problem, state, i, work):
    """Scores in ``work`` = the numbers of sentence i in ``state`` (a number for each part, not marginals), constraints added.

    Where a part of the layout stands for a sum over positions, its number is the score at each of them.
    """


def add_parts(problem, state, i, work, amount):
    """The reverse: numbers of sentence i in ``state`` += amount * scores in ``work``."""


def decode(problem, i, work, augmented):
    """Best output under the scores in ``work``, left in ``work``; returns its score.

    ``augmented``: the loss is first added to the scores in ``work``, and stays there (gold costs nothing, so its score is unchanged).
    """


def gold_score(problem, i, work):
    """Score of the gold output under the scores in ``work``."""


def output_loss(problem, i, work):
    """Loss of the output left in ``work`` against gold."""


def gold_state(problem):
    """Part marginals of the whole corpus with all mass on gold, a NamedTuple of the structure's own making."""


def set_direction(problem, state, i, work):
    """Direction from the marginals M_i to the output in ``work``, kept in ``work``; returns <scores, output - M_i>.

    After an augmented decode this is the Frank-Wolfe gap of sentence i.
    """


def curvature(problem, live, scale, i, work):
    """sum_j scale_j ||Phi_j(direction)||^2, features that recur inside the sentence summed before squaring.

    Under a metric: sum_k scale_k Phi_k(direction)^2 over the single weights k of live templates.
    """


def move(problem, weights, live, scale, state, i, work, step):
    """M_i += step * direction; w_j -= step * scale_j * Phi_j(direction) for every live template j (or single weight, under a metric)."""


def gold_direction(problem, i, work):
    """Direction from gold to the output in ``work``, kept in ``work``."""


def marginal_direction(problem, i, work):
    """Direction from gold to the part marginals under the scores in ``work``, kept in ``work``; returns the log partition."""


def add_direction(problem, vector, live, scale, i, work, amount):
    """vector_j += amount * scale_j * Phi_j(direction in ``work``) for every live template j (or single weight, under a metric)."""


def direction_entries(problem, i, work):
    """Phi(direction in ``work``) as a sparse vector, over all templates.

    Returns node int64[k], node_values float64[k], pair int64[k'], pair_values float64[k']: entry ``row * columns + column`` of the two
    matrices. An entry may come several times; its values are then to be summed.
    """


def block_products(problem, vector, live, i, work, node, pair):
    """<vector_j, Phi_j(direction in ``work``)> of every live template j, written to node (float64[T]) and pair (float64[Tp])."""


def block_curvatures(problem, live, i, work, node, pair):
    """||Phi_j(direction in ``work``)||^2 of every live template j, written to node (float64[T]) and pair (float64[Tp])."""


def kernel_norms(problem, weights, norms):
    """Overwrite the norms (float64[T], of node blocks) of kernelised blocks, whose rows are not the weights of features."""


def add_state(problem, vector, state, i, amount):
    """vector += amount * sum_r state_{i,r} phi_r, over all templates: the adjoint of part scores, for any numbers in the layout of marginals."""


def dot_state(problem, state, i, work):
    """sum_r state_{i,r} * (score of part r in ``work``)."""


def add_marginals(problem, vector, state, i, amount):
    """vector += amount * (Phi(gold_i) - E_{M_i} Phi), over all templates."""


def expected_loss(problem, state, i):
    """E_{M_i}[loss]."""


def log_partition(problem, i, work):
    """log sum over all outputs of exp(score), under the scores in ``work``."""


def set_marginals(problem, state, i, work):
    """M_i = part marginals of the distribution proportional to exp(score), under the scores in ``work``.

    Returns the log partition.
    """


def kbest(problem, i, work, k):
    """The k best outputs under the scores in ``work``, best first; fewer where fewer are allowed.

    Returns (outputs int32[k', parts], scores float64[k']).
    """


def take_output(problem, i, output, work):
    """Put one output of :func:`kbest` (int32[parts]) into ``work``."""


def new_work(problem):
    """Scratch space that fits the longest sentence."""


def n_slots(problem):
    """Length of the int32 array that stores one output for every sentence of the corpus."""


def store_output(problem, i, work, outputs):
    """Copy the output in ``work`` into its place in ``outputs`` (int32[n_slots])."""


def load_output(problem, i, outputs, work):
    """The reverse of :func:`store_output`."""


def same_output(problem, i, work, outputs):
    """Whether the output in ``work`` is the one stored for sentence i."""


def stored_score(problem, i, outputs, work):
    """Score of the output stored for sentence i, under the scores in ``work``."""


def set_difference(problem, i, outputs, work):
    """Direction from the output stored for sentence i to the output in ``work``, kept in ``work`` as by :func:`set_direction`."""


def gold_outputs(problem):
    """The gold outputs as stored: int32[n_slots]."""


def set_vertex(problem, state, i, work):
    """M_i = the indicator of the output in ``work``, exactly."""


def add_output(problem, vector, i, work, amount):
    """vector += amount * (Phi(gold_i) - Phi(output in ``work``)), over all templates."""


def dot_output(problem, vector, i, work, node_dots, pair_dots):
    """dots[j] += <Phi_j(gold_i) - Phi_j(output in ``work``), vector_j> for every template. dots: float64[T] and float64[Tp]."""


def _is_a(value: Any, named_tuple: type) -> bool:
    """Whether a numba type is that of this NamedTuple class."""
    return isinstance(value, types.BaseNamedTuple) and value.instance_class is named_tuple  # type: ignore[attr-defined]


def _forwarder(generic: Callable, function: Callable) -> Callable:
    """A function with the arguments of ``generic`` that does nothing but call ``function`` as a kernel of its own.

    Compiled code of the kernel is cached and shared by all that call it; an overload by itself would be compiled anew for many of its callers.
    """
    arguments = ", ".join(signature(generic).parameters)
    names: dict[str, Any] = {"__name__": function.__module__, "body": subkernel(function)}
    exec(f"def {generic.__name__}({arguments}): return body({arguments})", names)
    return names[generic.__name__]


def implements(generic: Callable, problem_type: type, scale_type: type | None = None) -> Callable:
    """Decorator: this function is ``generic`` for problems of ``problem_type`` (a NamedTuple class).

    scale_type: only where the argument ``scale`` is of this class (Scale or Weights); None for functions that do not mind.
    """
    at = list(signature(generic).parameters).index("scale") if scale_type else 0

    def register(function: Callable) -> Callable:
        forward = _forwarder(generic, function)

        def choose(*arguments):
            fits = _is_a(arguments[0], problem_type) and (scale_type is None or _is_a(arguments[at], scale_type))
            return forward if fits else None

        options: Any = {"no_cfunc_wrapper": True}  # numba's own types do not know of it
        overload(generic, jit_options=options, strict=False)(choose)
        return function

    return register
