"""Outputs as arrays: one output per sentence, stored as integers in a single int32 array.

Needed by cutting planes and by all trainers that store outputs: dual ascent (``MTLStruct``, ``L1M3N``), ``MIRA``, ``OnlineMKL``. Builds on *decode*.
"""

from .implementing import generic


@generic
def n_slots(problem):
    """The length of an int32 array that stores one output for every sentence of the corpus."""


@generic
def gold_outputs(problem):
    """The stored gold outputs, int32[n_slots]. This may be the problem's own array: copy it before writing to it."""


@generic
def store_output(problem, i, work, outputs):
    """Copy the output in ``work`` to the slots of its sentence in ``outputs`` (int32[n_slots]), in the form that ``take_output`` takes."""


@generic
def load_output(problem, i, outputs, work):
    """Copy the output stored for sentence i in ``outputs`` to ``work``, the inverse of :func:`store_output`."""


@generic
def same_output(problem, i, work, outputs):
    """Whether the output in ``work`` is the one stored for sentence i."""


@generic
def stored_score(problem, i, outputs, work):
    """The score of the output stored for sentence i, under the scores in ``work``."""


@generic
def dot_output(problem, vector, i, work, node_dots, pair_dots):
    """Add <Phi_j(gold_i) - Phi_j(output in ``work``), vector_j> of every template to node_dots (float64[T]) and pair_dots (float64[Tp])."""
