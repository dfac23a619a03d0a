"""The groups of the contract, what a type of problem offers by what it implements, and words for what is missing."""

from typing import NamedTuple

from . import best_outputs, decoding, directions, marginals, metric, outputs
from .implementing import Function, derived_from, given
from .vectors import Scale, Weights


class Group(NamedTuple):
    """Functions that are of use together. words: what they give, for people who never saw them. builds_on: names of other groups and abilities."""

    name: str
    words: str
    functions: tuple[Function, ...]
    builds_on: tuple[str, ...] = ()


def _functions(module, *extra: Function) -> tuple[Function, ...]:
    """The functions of a group's file, in its order; those that are implemented for Scale and for Weights come as ``extra``."""
    names = [name for name, value in vars(module).items() if getattr(value, "__module__", "") == module.__name__]
    listed = [Function(getattr(module, name)) for name in names]
    split = {function.generic: function for function in extra}
    return tuple(split.pop(function.generic, function) for function in listed) + tuple(split.values())


#: in the order in which one would write them
GROUPS = (
    Group("decode", "part scores and the best output", _functions(decoding)),
    Group("outputs", "outputs kept as arrays", _functions(outputs), ("decode",)),
    Group(
        "directions",
        "part marginals, and steps towards an output",
        _functions(directions, Function(directions.add_direction, Scale), Function(directions.curvature, Scale)),
        ("decode", "outputs"),
    ),
    Group("marginals", "probabilities of parts and the log partition", _functions(marginals), ("decode", "directions")),
    Group("kbest", "the k best outputs", _functions(best_outputs), ("decode",)),
    Group(
        "metric",
        "a factor for each single weight",
        _functions(metric, Function(directions.add_direction, Weights), Function(directions.curvature, Weights)),
        ("directions", "features"),
    ),
)

#: What a problem may be able to do besides, and what that means: no function of the contract tells.
ABILITIES = {
    "features": "every weight belongs to one feature",
    "cut": "training sentences that can be cut into pieces",
}

WORDS = {group.name: group.words for group in GROUPS} | ABILITIES


def missing_functions(group: Group, problem_type: type) -> list[Function]:
    """The functions of a group that a type neither implements nor has made of others."""
    return [function for function in group.functions if not given(function, problem_type)]


def offered(problem_type: type, lacks: frozenset[str] = frozenset()) -> frozenset[str]:
    """Names of the groups that a type (a NamedTuple class) implements and of the abilities, less what ``lacks`` names and what builds on that."""
    names = set(ABILITIES) - lacks
    for group in GROUPS:
        if group.name not in lacks and names.issuperset(group.builds_on) and not missing_functions(group, problem_type):
            names.add(group.name)
    return frozenset(names)


def in_words(names: frozenset[str]) -> str:
    """These groups and abilities for a message, in the order of the table: ``marginals (probabilities of parts and the log partition)``."""
    return ", ".join(f"{name} ({words})" for name, words in WORDS.items() if name in names)


def must_write(group: Group) -> list[Function]:
    """The functions of a group that are made of no others."""
    return [function for function in group.functions if derived_from(function) is None]
