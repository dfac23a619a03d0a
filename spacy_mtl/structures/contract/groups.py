"""The groups of the contract: what a type of problem offers, according to what it implements, and descriptions for messages."""

from typing import NamedTuple

from spacy_mtl.errors import Errors

from . import best_outputs, decoding, directions, marginals, metric, outputs
from .implementing import Function, derived_from, given
from .vectors import Scale, Weights


class Group(NamedTuple):
    """Functions that are used together. words: a description for users. builds_on: names of other groups and abilities that the group requires."""

    name: str
    words: str
    functions: tuple[Function, ...]
    builds_on: tuple[str, ...] = ()


def _functions(module, *extra: Function) -> tuple[Function, ...]:
    """The functions of a group's file, in order. extra: those that are implemented separately for Scale and for Weights."""
    names = [name for name, value in vars(module).items() if getattr(value, "__module__", "") == module.__name__]
    listed = [Function(getattr(module, name)) for name in names]
    split = {function.generic: function for function in extra}
    return tuple(split.pop(function.generic, function) for function in listed) + tuple(split.values())


#: The groups, in the order in which one would write them.
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

#: Further abilities of a problem, which do not follow from the functions that it implements, and what they mean.
ABILITIES = {
    "features": "every weight belongs to one feature",
    "cut": "training sentences that can be cut into pieces",
}

WORDS = {group.name: group.words for group in GROUPS} | ABILITIES


def missing_functions(group: Group, problem_type: type) -> list[Function]:
    """The functions of a group that a type neither implements nor gets from a default."""
    return [function for function in group.functions if not given(function, problem_type)]


def offered(problem_type: type, lacks: frozenset[str] = frozenset()) -> frozenset[str]:
    """Names of the groups that a type (a NamedTuple class) implements and its abilities, without ``lacks`` and those that build on it.

    Raises ValueError (M250) where ``lacks`` has a name that is neither a group nor an ability.
    """
    if not lacks <= set(WORDS):
        raise ValueError(Errors.M250.format(unknown=", ".join(sorted(lacks - set(WORDS))), known=", ".join(WORDS)))
    names = set(ABILITIES) - lacks
    for group in GROUPS:
        if group.name not in lacks and names.issuperset(group.builds_on) and not missing_functions(group, problem_type):
            names.add(group.name)
    return frozenset(names)


def in_words(names: frozenset[str]) -> str:
    """Groups and abilities in words for a message, in order, such as ``marginals (probabilities of parts and the log partition)``."""
    known = [f"{name} ({words})" for name, words in WORDS.items() if name in names]
    return ", ".join(known + [f"'{name}', which the contract does not know" for name in sorted(names - set(WORDS))])


def must_write(group: Group) -> list[Function]:
    """The functions of a group that have no default."""
    return [function for function in group.functions if derived_from(function) is None]
