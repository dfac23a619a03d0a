"""The example structure with one function broken at a time: what check_structure says of each. Run with NUMBA_DISABLE_JIT=1; prints JSON."""

import json
from collections import namedtuple
from collections.abc import Callable
from dataclasses import replace
from inspect import signature

import numpy as np

from examples.independent_labels import Labels, Work, small_problem
from spacy_mtl.structures import contract
from spacy_mtl.structures.contract import implements
from spacy_mtl.testing import StructureError, check_structure


def argument(name: str, change: Callable) -> Callable:
    """Breaks a function: it takes another value of one argument."""

    def broken(function):
        at = list(signature(function).parameters).index(name)
        return lambda *given: function(*given[:at], change(given[at]), *given[at + 1 :])

    return broken


def result(change: Callable) -> Callable:
    """Breaks a function: it returns something else."""
    return lambda function: lambda *given: change(function(*given))


def afterwards(spoil: Callable) -> Callable:
    """Breaks a function: something happens to its arguments after it."""

    def broken(function):
        def call(*given):
            found = function(*given)
            spoil(*given)
            return found

        return call

    return broken


def nothing(function):
    """Breaks a function: it does nothing."""
    return lambda *given: None


def every_template(problem_live):
    """All templates of the small problem, whatever is live."""
    return contract.Live(np.arange(2), problem_live.pair)


def other_label(work, k=0):
    work.labels[k] = (work.labels[k] + 1) % 3


def shifted(outputs):
    """Another label at every position."""
    return (outputs + 1) % 3


def first_of(problem, i):
    return problem.first[i]


def twice(value):
    return 2 * value


def ones(scale):
    return type(scale)(*(np.ones_like(part) for part in scale))


def scale_broken(state):
    return type(state)(*(2 * part for part in state))


ADDED = [argument("amount", twice), argument("amount", lambda amount: -amount), nothing]
FACTORS = [*ADDED, argument("scale", ones), argument("live", every_template)]
PRODUCTS = [
    argument("live", lambda live: contract.Live(live.node[:0], live.pair)),
    afterwards(lambda problem, *rest: rest[-2].__imul__(2)),
]
BREAKS = {
    "n_sentences": [result(lambda n: n - 1)],
    "n_templates": [result(lambda n: (n[0] + 1, n[1])), result(lambda n: (n[0], n[1] + 1))],
    "new_work": [result(lambda work: Work(*(part[:-1] for part in work)))],
    "score_scaled": [
        argument("scale", ones), argument("live", every_template),
        argument("weights", lambda w: contract.Weights(2 * w.node, w.pair)),
        afterwards(lambda problem, weights, live, scale, i, work: work.scores.__iadd__(1)),
        afterwards(lambda problem, weights, live, scale, i, work: work.scores.__setitem__((0, 0), 0)),
    ],
    "add_loss": [
        argument("amount", twice), argument("amount", lambda amount: -amount), nothing,
        afterwards(lambda problem, i, work, amount: work.scores.__iadd__(np.float32(amount / 2))),
    ],
    "decode": [
        result(lambda best: best + 1), result(twice), argument("augmented", lambda augmented: False),
        argument("augmented", lambda augmented: True),
        afterwards(lambda problem, i, work, augmented: other_label(work)),
        lambda function: lambda problem, i, work, augmented: (
            function(problem, i, work, augmented), work.labels.fill(0), work.scores[:2, 0].sum(),
        )[2],
    ],
    "take_output": [
        argument("output", shifted), nothing, afterwards(lambda problem, i, output, work: other_label(work)),
    ],
    "output_loss": [result(lambda loss: loss + 1), result(twice), result(lambda loss: -loss), result(lambda loss: 0.0)],
    "n_slots": [result(lambda n: n + 1), result(lambda n: n - 1)],
    "gold_outputs": [
        result(shifted), result(lambda gold: gold[:-1]), result(lambda gold: np.append(gold, np.int32(0))),
        result(lambda gold: gold.astype(np.int64)),
    ],
    "store_output": [
        nothing,
        lambda function: lambda problem, i, work, outputs: outputs.__setitem__(first_of(problem, i), work.labels[0]),
        afterwards(lambda p, i, work, outputs: outputs.__setitem__(first_of(p, i), (work.labels[0] + 1) % 3)),
    ],
    "load_output": [nothing, argument("outputs", shifted), afterwards(lambda p, i, outputs, work: other_label(work))],
    "same_output": [result(lambda same: not same), result(lambda same: True), result(lambda same: False)],
    "stored_score": [result(lambda score: score + 1), result(twice), argument("outputs", shifted)],
    "gold_state": [result(scale_broken), result(lambda s: type(s)(np.roll(s.labels, 1, axis=1)))],
    "set_vertex": [
        nothing, afterwards(lambda problem, state, i, work: state.labels.__imul__(2)),
        afterwards(lambda p, state, i, work: state.labels.__setitem__(first_of(p, i), np.eye(3)[0])),
    ],
    "expected_loss": [result(lambda loss: loss + 1), result(twice), result(lambda loss: float(loss > 0))],
    "add_marginals": ADDED,
    "set_direction": [
        nothing, result(lambda rise: rise + 1), result(lambda rise: -rise),
        afterwards(lambda problem, state, i, work: work.change.__imul__(2)),
        afterwards(lambda problem, state, i, work: work.change.__imul__(-1)),
    ],
    "set_difference": [
        nothing, argument("outputs", shifted),
        afterwards(lambda problem, i, outputs, work: work.change.__imul__(2)),
        afterwards(lambda problem, i, outputs, work: work.change.__imul__(-1)),
    ],
    "add_direction (Scale)": FACTORS,
    "block_products": [nothing, *PRODUCTS],
    "block_curvatures": [nothing, *PRODUCTS],
    "move": [nothing, argument("step", twice), argument("step", lambda step: -step), argument("scale", ones)],
    "set_marginals": [
        nothing, result(lambda log_z: log_z + 1), result(twice),
        afterwards(lambda problem, state, i, work: state.labels.__imul__(0.5)),
    ],
    "marginal_direction": [
        nothing, result(lambda log_z: log_z + 1),
        afterwards(lambda problem, i, work: work.change.__imul__(-1)),
    ],
    "load_parts": [nothing, argument("state", scale_broken)],
    "add_parts": ADDED,
    "dot_state": [result(lambda value: value + 1), result(twice)],
    "add_state": ADDED,
    "kbest": [
        result(lambda found: (found[0], found[1] + 1)), result(lambda found: (found[0][::-1], found[1])),
        result(lambda found: (found[0][:1], found[1][:1])), result(lambda found: (found[0] * 0, found[1])),
        result(lambda found: (shifted(found[0]), found[1])),
    ],
    "direction_entries": [
        result(lambda found: (found[0], 2 * found[1], *found[2:])),
        result(lambda found: (found[0][:1], found[1][:1], *found[2:])),
        result(lambda found: (found[0][::-1], *found[1:])),
    ],
    "add_direction (Weights)": FACTORS,
    "curvature (Weights)": [result(twice), argument("scale", ones), argument("live", every_template)],
}  # fmt: skip


def with_broken(broken: contract.Function | None, how: Callable | None) -> type:
    """A copy of the type of the example that implements all it does, one function broken."""
    copy = namedtuple("Copy", Labels._fields)
    for group in contract.GROUPS:
        for function in group.functions:
            body = contract.own(function.generic, Labels, function.scale)
            if body is not None:
                body = how(body) if function == broken else body
                implements(function.generic, copy, function.scale)(body)
    return copy


def verdict(copy: type, seed: int) -> str:
    """The function that check_structure names; "" for none."""
    problem = small_problem(seed)
    problem = replace(problem, arrays=copy(*problem.arrays))
    try:
        check_structure(problem, seed=seed)
    except StructureError as error:
        return error.function
    return ""


def main() -> None:
    found = {"": [[verdict(with_broken(None, None), seed) for seed in range(3)]]}
    for group in contract.GROUPS:
        for function in group.functions:
            if function.name in BREAKS:
                copies = [with_broken(function, how) for how in BREAKS[function.name]]
                found[function.name] = [[verdict(copy, seed) for seed in range(3)] for copy in copies]
    print(json.dumps(found))


if __name__ == "__main__":
    main()
