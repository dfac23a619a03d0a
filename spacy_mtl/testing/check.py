"""``check_structure``: check every function of the contract that a problem offers against an enumeration of its outputs."""

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

#: A function from ``problem.arrays`` to all possible outputs of each sentence.
Outputs = Callable[[Any], Iterable[Iterable[np.ndarray]]]


def check_structure(problem: Problem, outputs: Outputs | None = None, seed: int = 0) -> None:
    """Check by enumeration what a problem offers. The problem should be small: up to a few hundred outputs per sentence, and a few hundred weights.

    outputs: ``outputs(problem.arrays)`` gives, for each sentence, all its possible outputs in the form that ``take_output`` takes (int32[parts] each,
    of the same length within a sentence); by default ``problem.outputs``. Gold should be among them. seed: of the random weights.

    Kernels are compiled for the problem's type at the first call. With ``NUMBA_DISABLE_JIT=1`` in the environment they run as plain Python, without
    compilation, with array bounds checked, so that a debugger can step through them.

    Raises StructureError (an AssertionError) for the first function that is wrong, with its name, the sentence, what was expected and what was found.
    If several functions should agree and one of them does not, that one is named. A problem that only offers "decode" has few functions to compare,
    so ``decode`` may be named for wrong scores or losses. Raises ValueError if there is no enumeration of the outputs, or if
    functions of "decode" are missing.
    """
    check_written(problem)
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


def check_written(problem: Problem) -> None:
    """Refuse a type that cannot be decoded yet: all other checks call the functions of the group "decode"."""
    cls = type(problem.arrays)
    group = contract.GROUPS[0]
    missing = contract.missing_functions(group, cls)
    # a default made of functions of this group alone comes by itself once they are written
    to_write = [one for one in missing if not set(contract.derived_from(one) or [None]) <= set(group.functions)]
    if to_write:
        names = ", ".join(function.name for function in to_write)
        raise ValueError(
            f"check_structure needs all functions of the group 'decode', but {cls.__name__} has no {names}. "
            f"Write each of them with @implements(contract.NAME, {cls.__name__})."
        )


def check_sizes(problem: Problem, n: int) -> None:
    """Check the numbers of sentences and templates, and that buffers are large enough."""
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
    """Check that buffers are large enough for the sentence; only possible in plain Python, where array bounds are checked."""
    try:
        probes.fits(case.arrays, case.at(np.zeros(case.owner.size)), case.outputs[0])
    except (IndexError, ValueError) as error:
        name = case.names.of(Function(contract.new_work))
        raise StructureError(name, case.i, f"scratch space is too small ({error})", "room", "none") from error


def check_sentence(case: Case) -> None:
    """Run all checks of one sentence, beginning with those that others build on."""
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
