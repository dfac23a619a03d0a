"""The error of a failed check, and how the function to name in it is chosen."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from spacy_mtl.structures.contract import Function, derived_from, own


class StructureError(AssertionError):
    """Raised if a function of the contract does not do what it should.

    function: its name. sentence: number of the sentence. expected, found: numbers.
    """

    def __init__(self, function: str, sentence: int, what: str, expected: Any, found: Any):
        self.function, self.sentence, self.expected, self.found = function, sentence, expected, found
        shown = [np.array2string(np.asarray(value), precision=6, threshold=20) for value in (expected, found)]
        super().__init__(f"{function}, sentence {sentence}: {what}. Expected {shown[0]}, found {shown[1]}.")


def close(expected: Any, found: Any) -> bool:
    """Whether two values are equal up to single precision; never true for infinite or missing numbers."""
    expected, found = np.asarray(expected, float), np.asarray(found, float)
    if expected.shape != found.shape or not np.isfinite(found).all():
        return False
    return bool((np.abs(expected - found) <= 2e-4 * (1 + np.abs(expected).max(initial=0))).all())


class Witness(NamedTuple):
    """The value that one function gives for a quantity that other functions compute too."""

    function: Function
    value: Any


class Names:
    """Names of functions for messages, and whether a type has its own."""

    def __init__(self, problem_type: type):
        self.problem_type = problem_type

    def own(self, function: Function) -> bool:
        return own(function.generic, self.problem_type, function.scale) is not None

    def of(self, function: Function) -> str:
        """The name of a function; for a default, with the names of the functions that it uses."""
        built_on = () if self.own(function) else derived_from(function) or ()
        return function.name + (f" (made of {' and '.join(map(self.of, built_on))})" if built_on else "")

    def dissenters(self, witnesses: Sequence[Witness]) -> list[Witness]:
        """The witnesses that disagree with the majority of the type's own functions, these first; both if there are only two."""
        mine = [witness for witness in witnesses if self.own(witness.function)]
        made = [witness for witness in witnesses if not self.own(witness.function)]
        voters = mine if len(mine) > 1 else [*mine, *made]
        believed = max(voters, key=lambda one: sum(close(one.value, other.value) for other in voters)).value
        return [witness for witness in [*mine, *made] if not close(believed, witness.value)]
