"""The interface between trainers and structures: generic functions whose implementation is chosen by the type of the problem.

A *problem* is a NamedTuple of arrays (feature rows, gold, layout of a corpus). A structure implements the functions for its own NamedTuple type with
:func:`implements`. A trainer's kernel calls them, and so works for every structure, fused and cached.

The functions are in groups, one per file, in the order in which one would write them: :mod:`.decoding`, :mod:`.outputs`, :mod:`.directions`,
:mod:`.marginals`, :mod:`.best_outputs`, :mod:`.metric`. Some have defaults that use other functions (:mod:`.defaults`), so a structure need not write
them.
"""

from . import defaults
from .best_outputs import kbest
from .decoding import (
    add_loss,
    add_offset,
    add_output,
    decode,
    gold_score,
    hold_weights,
    kernel_norms,
    n_sentences,
    n_templates,
    new_work,
    output_loss,
    output_offset,
    score_parts,
    score_scaled,
    take_output,
)
from .directions import (
    add_direction,
    add_marginals,
    block_curvatures,
    block_products,
    curvature,
    expected_loss,
    gold_direction,
    gold_state,
    move,
    set_difference,
    set_direction,
    set_vertex,
)
from .groups import ABILITIES, GROUPS, Group, in_words, missing_functions, must_write, offered
from .implementing import Function, chosen, derived_from, generic, given, implements, own
from .marginals import (
    add_parts,
    add_state,
    dot_state,
    load_parts,
    log_partition,
    marginal_direction,
    set_marginals,
)
from .metric import direction_entries
from .outputs import dot_output, gold_outputs, load_output, n_slots, same_output, store_output, stored_score
from .vectors import Live, Scale, Weights

__all__ = [
    "ABILITIES",
    "GROUPS",
    "Function",
    "Group",
    "Live",
    "Scale",
    "Weights",
    "add_direction",
    "add_loss",
    "add_marginals",
    "add_offset",
    "add_output",
    "add_parts",
    "add_state",
    "block_curvatures",
    "block_products",
    "chosen",
    "curvature",
    "decode",
    "defaults",
    "derived_from",
    "direction_entries",
    "dot_output",
    "dot_state",
    "expected_loss",
    "generic",
    "given",
    "gold_direction",
    "gold_outputs",
    "gold_score",
    "gold_state",
    "hold_weights",
    "implements",
    "in_words",
    "kbest",
    "kernel_norms",
    "load_output",
    "load_parts",
    "log_partition",
    "marginal_direction",
    "missing_functions",
    "move",
    "must_write",
    "n_sentences",
    "n_slots",
    "n_templates",
    "new_work",
    "offered",
    "output_loss",
    "output_offset",
    "own",
    "same_output",
    "score_parts",
    "score_scaled",
    "set_difference",
    "set_direction",
    "set_marginals",
    "set_vertex",
    "store_output",
    "stored_score",
    "take_output",
]
