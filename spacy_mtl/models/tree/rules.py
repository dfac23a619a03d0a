"""Settings of a parser that are saved with its weights."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class TreeRules:
    """Settings that training and prediction of trees share.

    projective: whether trees are projective. single_root: whether a sentence has exactly one root. labelling: "joint" with the arcs, in a
    "second_pass" given the tree, or "none". support: which observations get weights, those of "gold" arcs or of "all" arcs. margin: the filter keeps
    arcs that score at most this far below the best arc of their word; None keeps all. filter_attr: the attribute that the filter reads; None to
    choose it from the corpus. label_cost: loss of a wrong label in joint labelling, where a wrong head costs 1.
    """

    projective: bool = True
    single_root: bool = True
    labelling: Literal["joint", "second_pass", "none"] = "second_pass"
    support: Literal["gold", "all"] = "gold"
    margin: float | None = 5.0
    filter_attr: str | None = None
    label_cost: float = 0.5
