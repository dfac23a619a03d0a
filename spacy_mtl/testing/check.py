"""``check_structure``: every function of the contract that a problem offers, against an enumeration of its outputs."""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from spacy_mtl.structures import contract
from spacy_mtl.structures.contract import Function
from spacy_mtl.structures.problem import Problem

from .case import Case
from .directions import check_directions, check_expectations, check_metric, check_move
from .failure import Names, StructureError
from .features import check_differences
from .outputs import (
    check_decode,
    check_dot_output,
    check_losses,
    check_norms,
    check_output_scores,
    check_scores,
    check_slots,
    check_storing,
    find_gold,
)
from .probes import outputs as probes
from .sums import check_kbest, check_parts, check_sums

#: How all outputs are told: for each sentence of ``problem.arrays``, those it may have.
Outputs = Callable[[Any], Iterable[Iterable[np.ndarray]]]


def check_structure(problem: Problem, outputs: Outputs | None = None, seed: int = 0) -> None:
    """Check what a problem offers by enumeration. It should be small: up to a few hundred outputs a sentence, and a few hundred weights.

    outputs: ``outputs(problem.arrays)`` tells, sentence by sentence, every output it may have, as ``take_output`` takes them (int32[parts] each, the
    same length for all of a sentence); by default ``problem.outputs``. Gold should be among them. seed: of the random weights.

    Kernels are compiled for the problem's type at the first call. With ``NUMBA_DISABLE_JIT=1`` in the environment they run as plain Python: at
    once, with bounds of arrays checked, for a debugger to step through.

    Raises StructureError (an AssertionError) for the first function that is wrong: its name, the sentence, what was expected and what was found.
    Where several functions tell the same and one of them says something else, that one is named; a problem that offers no more than "decode" has
    few to compare, and ``decode`` may then be named for wrong scores or losses. ValueError if nothing tells the outputs.
    """
    tell = outputs or problem.outputs
    if tell is None:
        raise ValueError(
            "check_structure needs every output of every sentence: pass outputs=, or give the problem its field outputs."
        )
    every = [np.array(list(of_sentence), np.int32, ndmin=2) for of_sentence in tell(problem.arrays)]
    check_sizes(problem, len(every))
    random = np.random.default_rng(seed)
    cases = [Case(problem, i, of_sentence, random) for i, of_sentence in enumerate(every)]
    for case in cases:
        check_room(case)
    if "outputs" in problem.offers:
        check_slots(cases)
    for case in cases:
        check_sentence(case)


def check_sizes(problem: Problem, n: int) -> None:
    """Numbers of sentences and templates, and scratch space that is large enough."""
    names = Names(type(problem.arrays))
    sentences, node, pair = probes.sizes(problem.arrays)
    if sentences != n:
        raise StructureError(
            names.of(Function(contract.n_sentences)), 0, "another number than there are outputs for", n, sentences
        )
    blocks = (problem.blocks.n_node, problem.blocks.n - problem.blocks.n_node)
    if (node, pair) != blocks:
        raise StructureError(
            names.of(Function(contract.n_templates)),
            0,
            "another number than of the problem's blocks",
            blocks,
            (node, pair),
        )


def check_room(case: Case) -> None:
    """Scratch space is large enough for the sentence; seen in plain Python alone, where bounds of arrays are checked."""
    try:
        probes.fits(case.arrays, case.at(np.zeros(case.owner.size)), case.outputs[0])
    except (IndexError, ValueError) as error:
        name = case.names.of(Function(contract.new_work))
        raise StructureError(name, case.i, f"scratch space is too small ({error})", "room", "none") from error


def check_sentence(case: Case) -> None:
    """All checks of one sentence, those that others build on first."""
    offers = case.offers
    if "outputs" in offers:
        check_storing(case)
    gold = find_gold(case)
    for _ in range(3):
        check_output_scores(case, gold)
    check_differences(case, gold)
    for _ in range(3):
        check_scores(case)
    check_losses(case)
    check_decode(case)
    if not case.features:
        check_norms(case)
    if "outputs" in offers:
        check_dot_output(case)
    if "directions" in offers:
        check_expectations(case)
        check_directions(case, gold)
        for _ in range(3):
            check_move(case)
    if "marginals" in offers:
        check_sums(case)
        check_parts(case)
    if "kbest" in offers:
        check_kbest(case)
    if "metric" in offers:
        for _ in range(3):
            check_metric(case)
