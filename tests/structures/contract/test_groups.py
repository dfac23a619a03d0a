"""What a type offers follows from what it implements; what is made of other functions steps back for a type's own."""

from collections import namedtuple

import numpy as np
import pytest

import spacy_mtl.structures.chain.implementation
import spacy_mtl.structures.tree.implementation  # noqa: F401  (registers what implements the contract)
from examples.independent_labels import Labels
from spacy_mtl.structures import contract
from spacy_mtl.structures.chain.problem import ChainProblem, ChainWork
from spacy_mtl.structures.contract import Function, Scale, Weights, implements
from spacy_mtl.structures.tree.problem import TreeProblem

GROUPS = {group.name: group for group in contract.GROUPS}


def type_with(*groups: str) -> type:
    """A new type that implements these groups as the example does."""
    new = namedtuple("New", Labels._fields)
    for name in groups:
        for function in GROUPS[name].functions:
            body = contract.own(function.generic, Labels, function.scale)
            if body:
                implements(function.generic, new, function.scale)(body)
    return new


def test_a_type_that_implements_nothing_offers_no_group():
    assert contract.offered(type_with()) == set(contract.ABILITIES)


def test_groups_follow_from_functions():
    # gold_score and add_output are made of functions of the next two groups, if they are not written
    assert "decode" not in contract.offered(type_with("decode"))
    assert [f.name for f in contract.missing_functions(GROUPS["decode"], type_with("decode"))] == [
        "gold_score",
        "add_output",
    ]
    three = type_with("decode", "outputs", "directions")
    assert contract.offered(three) == {"decode", "outputs", "directions", "features", "cut"}
    assert contract.offered(type_with(*GROUPS)) == {*GROUPS, *contract.ABILITIES}


def test_what_a_problem_lacks_takes_with_it_what_builds_on_that():
    assert "metric" not in contract.offered(ChainProblem, frozenset({"features"}))
    assert contract.offered(ChainProblem, frozenset({"decode"})) == set(contract.ABILITIES)
    assert "marginals" not in contract.offered(TreeProblem, frozenset({"directions"}))


def test_one_function_less_is_one_group_less():
    whole = type_with(*GROUPS)
    for name in GROUPS:
        for function in contract.must_write(GROUPS[name]):
            assert contract.given(function, whole)
    assert not contract.given(Function(contract.curvature, Weights), type_with("decode", "outputs", "directions"))
    assert contract.given(Function(contract.curvature, Scale), type_with("decode", "outputs", "directions"))


def test_every_function_is_in_a_group():
    grouped = {function.generic for group in contract.GROUPS for function in group.functions}
    modules = (
        contract.decoding,
        contract.outputs,
        contract.directions,
        contract.marginals,
        contract.best_outputs,
        contract.metric,
    )
    public = {value for module in modules for value in vars(module).values() if hasattr(value, "__wrapped__")}
    assert grouped == public
    assert all(getattr(contract, function.__name__) is function for function in grouped)


def test_a_types_own_function_comes_first():
    assert contract.chosen(contract.score_parts, ChainProblem, None).__module__.endswith("chain.problem")
    assert contract.chosen(contract.score_parts, Labels, None).__module__.endswith("contract.defaults")
    assert contract.chosen(contract.curvature, Labels, Weights).__module__ == "examples.independent_labels"
    assert contract.chosen(contract.curvature, Labels, Scale).__module__.endswith("contract.defaults")
    with pytest.raises(NotImplementedError, match=r"New does not implement decode\."):
        contract.chosen(contract.decode, type_with(), None)


@pytest.mark.parametrize("cls", [ChainProblem, TreeProblem])
def test_chains_and_trees_keep_their_own_where_that_is_quicker(cls):
    for generic, scale in ((contract.score_parts, None), (contract.add_output, None), (contract.dot_output, None),
                           (contract.gold_direction, None), (contract.curvature, Scale), (contract.log_partition, None)):  # fmt: skip
        assert contract.own(generic, cls, scale)


def test_compiled_functions_are_not_called_from_python():
    work = ChainWork(*(np.zeros(1) for _ in ChainWork._fields))
    with pytest.raises(TypeError, match="decode can be called from compiled functions only"):
        contract.decode(None, 0, work, False)


def test_words_for_what_is_missing():
    assert contract.in_words(frozenset({"kbest", "marginals"})) == (
        "marginals (probabilities of parts and the log partition), kbest (the k best outputs)"
    )


def test_names_that_the_contract_does_not_know_are_shown():
    assert contract.in_words(frozenset({"kbest", "log_partition"})) == (
        "kbest (the k best outputs), 'log_partition', which the contract does not know"
    )
    with pytest.raises(ValueError, match=r"M250.*marginal\b.*decode, outputs, directions, marginals"):
        contract.offered(ChainProblem, frozenset({"marginal"}))
