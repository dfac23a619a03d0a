"""The constants of python-crfsuite's methods, searched on the development part."""

from collections.abc import Callable, Mapping, Sequence

from .rows import Row, has_peaked

#: The constant of a method: the weight of L-BFGS's l2 penalty, and the longest step of passive-aggressive. The averaged perceptron has none.
CONSTANT = {"lbfgs": "c2", "pa": "c"}
Constants = dict[str, float]


def constants_of(method: str, given: Mapping[str, Sequence[float]]) -> list[Constants]:
    """What is tried of a method; python-crfsuite's own default where nothing is given. given: values by the constant's name."""
    name = CONSTANT.get(method)
    return [{name: value} for value in given.get(name, ())] or [{}] if name else [{}]


def search(
    train: Callable[[Constants, int | None], Row],
    constants: Sequence[Constants],
    iterations: Sequence[int | None],
    score: str,
) -> list[Row]:
    """A row for each training: each constant for each number of iterations, ever more until the score has not risen for three of them.

    train: from scratch. iterations: None for the method's own stop. score: key of the score on dev.
    """
    points: list[Row] = []
    for values in constants:
        own: list[Row] = []
        for count in iterations:
            own.append({"constants": values, **train(values, count)})
            if has_peaked([point[score] for point in own]):
                break
        points += own
    return points
