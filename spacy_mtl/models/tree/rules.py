"""What a parser's model is besides its weights."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class TreeRules:
    """projective: whether trees are projective. single_root: whether a sentence has one root. labelling: "joint" with the arcs, "second_pass" given
    the tree, or "none". support: observations that get weights, those of "gold" arcs or of "all". margin: arcs are kept if their score
    under the filter is so far below the best of their word at most; None keeps all. filter_attr: what the filter reads; None: chosen from the
    corpus. label_cost: loss of a wrong label in joint labelling, that of a wrong head being 1.
    """

    projective: bool = True
    single_root: bool = True
    labelling: Literal["joint", "second_pass", "none"] = "second_pass"
    support: Literal["gold", "all"] = "gold"
    margin: float | None = 5.0
    filter_attr: str | None = None
    label_cost: float = 0.5
