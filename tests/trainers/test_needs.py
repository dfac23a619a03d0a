"""What trainers say they need is what their kernels call: found by walking the compiled code of a training, function by function."""

from collections.abc import Iterator
from types import CodeType, FunctionType
from typing import Any

import pytest

from examples.passive_aggressive import PassiveAggressive
from spacy_mtl.structures import contract
from spacy_mtl.structures.problem import Problem
from spacy_mtl.trainers.base import Trainer, Training
from spacy_mtl.trainers.crf.trainer import CRF
from spacy_mtl.trainers.eg.trainer import EG
from spacy_mtl.trainers.l1m3n.trainer import L1M3N
from spacy_mtl.trainers.mtlstruct.trainer import MTLStruct
from spacy_mtl.trainers.online.mira import MIRA
from spacy_mtl.trainers.online.perceptron import Perceptron
from spacy_mtl.trainers.online_mkl.trainer import OnlineMKL

#: The first group that has a function: those implemented for Scale and for Weights count as directions.
GROUP = {function.generic: group.name for group in reversed(contract.GROUPS) for function in group.functions}
SAFE_RATES = {"safe_rate", "sentence_spreads", "corpus_spread"}
LOG_LOSS = {"log_pass", "log_losses"}
#: by trainer: functions that these settings never call
NEVER: list[tuple[Trainer, set[str]]] = [
    (Perceptron(), set()),
    (MIRA(), set()),
    (MTLStruct(), set()),
    (MTLStruct(solver="cutting_plane"), set()),
    (L1M3N("em"), set()),
    (L1M3N("laplace"), set()),
    (L1M3N("subgradient"), set()),
    (L1M3N("cutting_plane"), set()),
    (EG("online"), SAFE_RATES),
    (EG("batch"), SAFE_RATES),
    (EG("batch_primal"), SAFE_RATES),
    (EG("online", eta="safe"), set()),
    (EG("batch", eta="safe"), set()),
    (CRF(), set()),
    (CRF(algorithm="sgd"), set()),
    (CRF("l1"), set()),
    (CRF("irw"), set()),
    (PassiveAggressive(), set()),
    (OnlineMKL(), LOG_LOSS),
    (OnlineMKL(loss="log"), set()),
]
#: Groups and abilities that cannot be told by the names of functions: a factor for each weight is passed where others pass one for each block,
#: or weights are read and written one by one.
BESIDES = {"em": {"metric", "features"}, "laplace": {"metric", "features"}, "cutting_plane": {"features"}, "subgradient": {"features"}}  # fmt: skip


class Found(BaseException):
    """Carries the class of a training that was about to begin."""


def training_of(trainer: Trainer, monkeypatch: pytest.MonkeyPatch) -> type:
    """The class of training that these settings begin."""

    def stop(training: Training, *_: Any) -> None:
        raise Found(type(training))

    with monkeypatch.context() as patch:
        patch.setattr(Training, "__init__", stop)
        with pytest.raises(Found) as found:
            trainer._begin(None)
    return found.value.args[0]


def codes(code: CodeType) -> Iterator[CodeType]:
    """A function's code and that of the functions inside it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from codes(constant)


def ours(value: Any) -> bool:
    return getattr(value, "__module__", "").startswith(
        ("spacy_mtl.trainers", "spacy_mtl.structures.problem", "examples.")
    )


def methods(cls: type) -> Iterator[tuple[str, FunctionType]]:
    """What an instance of the class would call by each name, and by ``super()``."""
    for name in dir(cls):
        for base in cls.__mro__:
            value = vars(base).get(name)
            value = value.fget if isinstance(value, property) else getattr(value, "__func__", value)
            if isinstance(value, FunctionType) and ours(value):
                yield name, value
                if "super" not in value.__code__.co_names:
                    break


def functions_of(value: Any) -> list[FunctionType]:
    """The Python functions that calling ``value`` may run."""
    value = getattr(value, "py_func", value)
    if isinstance(value, type) and ours(value) and not issubclass(value, Problem):
        return [function for _, function in methods(value)]
    return [value] if isinstance(value, FunctionType) and ours(value) else []


def names_in(function: FunctionType) -> set[str]:
    """Names of globals and attributes that a function uses."""
    return {name for code in codes(function.__code__) for name in code.co_names}


def called(start: type, never: set[str]) -> set[str]:
    """Names of the contract's functions that a training may call."""
    todo, seen, found = functions_of(start), set(), set()
    of_problem = dict(methods(Problem))
    while todo:
        function = todo.pop()
        if function in seen or function.__name__ in never:
            continue
        seen.add(function)
        for name in names_in(function):
            value = function.__globals__.get(name)
            if value in GROUP if isinstance(value, FunctionType) else False:
                found.add(name)
            todo += functions_of(value)
            if name in of_problem:
                todo.append(of_problem[name])
        if function.__module__ == "spacy_mtl.structures.problem":  # it writes contract.NAME
            found |= {name for name in names_in(function) if getattr(contract, name, None) in GROUP}
    return found


@pytest.mark.parametrize(("trainer", "never"), NEVER, ids=[str(trainer) for trainer, _ in NEVER])
def test_needs_are_the_groups_that_are_called(trainer, never, monkeypatch):
    found = called(training_of(trainer, monkeypatch), never)
    groups = {GROUP[getattr(contract, name)] for name in found}
    besides = BESIDES.get(getattr(trainer, "algorithm", None), set())
    if trainer == CRF("l1"):
        besides = {"features"}
    assert trainer.needs == groups | besides


def test_the_walk_sees_functions_behind_several_calls(monkeypatch):
    found = called(training_of(MTLStruct(), monkeypatch), set())
    assert {
        "set_difference",
        "curvature",
        "add_direction",
        "same_output",
        "output_loss",
        "gold_score",
        "kernel_norms",
    } <= found
    assert not found & {"kbest", "set_marginals", "direction_entries"}
    assert "kbest" in called(training_of(MIRA(), monkeypatch), set())
    assert "stored_score" in called(training_of(EG(), monkeypatch), set())
    assert "stored_score" not in called(training_of(EG(), monkeypatch), SAFE_RATES)
