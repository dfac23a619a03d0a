"""Settings of a parser that are saved with its weights."""

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from spacy_mtl.models.readable import check_tables
from spacy_mtl.stored.fault import StoredValueError, shown
from spacy_mtl.stored.values import Check, boolean, fields, number, one_of, optional, text
from spacy_mtl.templates.attributes.reader import check_attributes

from .weights import TreeWeights

#: The largest margin of the filter, and cost of a label, in a file.
_MOST = 1e9


@dataclass(frozen=True)
class TreeRules:
    """Settings that training and prediction of trees share.

    projective: whether trees are projective. single_root: whether a sentence has exactly one root. labelling: "joint" with the arcs, in a
    "second_pass" given the tree, or "none". support: which observations get weights, those of "gold" arcs or of "all" arcs. margin: the filter keeps
    arcs that score at most this far below the best arc of their word; None keeps all. filter_attr: the attribute that the filter reads; None to
    choose it from the corpus. label_cost: loss of a wrong label in joint labelling, where a wrong head costs 1.
    """

    #: The check of each setting in a file.
    CHECKS: ClassVar[dict[str, Check]] = {
        "projective": boolean,
        "single_root": boolean,
        "labelling": one_of("joint", "second_pass", "none"),
        "support": one_of("gold", "all"),
        "margin": optional(number(0, _MOST)),
        "filter_attr": optional(text),
        "label_cost": number(0, _MOST),
    }

    projective: bool = True
    single_root: bool = True
    labelling: Literal["joint", "second_pass", "none"] = "second_pass"
    support: Literal["gold", "all"] = "gold"
    margin: float | None = 5.0
    filter_attr: str | None = None
    label_cost: float = 0.5


def check_rules(stored: Any, name: str) -> dict[str, Any]:
    """Check the settings of a file, as ``asdict`` of :class:`TreeRules` gave them. Raises StoredValueError."""
    rules = fields(stored, name, TreeRules.CHECKS)
    attr = rules["filter_attr"]
    if attr is not None:
        try:
            check_attributes([attr], lambda _: "the filter")
        except ValueError:
            raise StoredValueError(f"its filter reads the attribute {shown(attr)}, which there is not") from None
        check_tables([attr], (), words=False)
    return rules


def check_tree(weights: TreeWeights, rules: TreeRules) -> None:
    """Refuse weights that do not fit the settings, or templates that cannot be read with them. Raises StoredValueError."""
    templates = weights.live_templates()
    check_tables(templates.attributes, (), words=False)
    if weights.filter_tags.size and (rules.filter_attr is None or rules.margin is None):
        raise StoredValueError("it has the tables of a filter, but no attribute or no margin for it")
    if rules.labelling == "joint" and "c" in templates.places:
        raise StoredValueError("its templates look at dependents (%c), which are unknown when labels are found jointly")
