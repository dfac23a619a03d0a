"""Outputs as arrays: one output for every sentence, kept as integers in one int32 array.

Needed by cutting planes, and by all who remember outputs: dual ascent (``MTLStruct``, ``L1M3N``), ``MIRA``, ``OnlineMKL``. Builds on *decode*.
"""

from .implementing import generic


@generic
def n_slots(problem):
    """Length of the int32 array that stores one output for every sentence of the corpus."""


@generic
def gold_outputs(problem):
    """The gold outputs as stored: int32[n_slots]. It may be the problem's own array: copy it before writing to it."""


@generic
def store_output(problem, i, work, outputs):
    """Copy the output in ``work`` into the slots of its sentence in ``outputs`` (int32[n_slots]), as ``take_output`` takes it."""


@generic
def load_output(problem, i, outputs, work):
    """The reverse of :func:`store_output`."""


@generic
def same_output(problem, i, work, outputs):
    """Whether the output in ``work`` is the one stored for sentence i."""


@generic
def stored_score(problem, i, outputs, work):
    """Score of the output stored for sentence i, under the scores in ``work``."""


@generic
def dot_output(problem, vector, i, work, node_dots, pair_dots):
    """dots[j] += <Phi_j(gold_i) - Phi_j(output in ``work``), vector_j> for every template. dots: float64[T] and float64[Tp]."""
