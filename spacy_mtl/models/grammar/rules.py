"""What prediction with a grammar needs besides its weights, and is saved with them."""

from dataclasses import dataclass
from typing import Any, ClassVar

from spacy_mtl.models.readable import check_tables
from spacy_mtl.stored.fault import StoredValueError
from spacy_mtl.stored.values import Check, distinct_texts, fields, number

from .weights import GrammarWeights

#: The largest margin: what is e^100 times less probable than the best tree is not worth a look.
MOST_MARGIN = 100.0


@dataclass(frozen=True)
class ParseRules:
    """tags: of words, in the order of ``word_scores``. margin: of the pruning, in log probability."""

    #: The check of each setting in a file.
    CHECKS: ClassVar[dict[str, Check]] = {"tags": distinct_texts, "margin": number(0, MOST_MARGIN)}

    tags: tuple[str, ...]
    margin: float


def read_rules(stored: Any, name: str) -> ParseRules:
    """The settings of a file, as ``asdict`` of :class:`ParseRules` gave them. Raises StoredValueError."""
    found = fields(stored, name, ParseRules.CHECKS)
    return ParseRules(tuple(found["tags"]), float(found["margin"]))


def check_grammar(weights: GrammarWeights, rules: ParseRules) -> None:
    """Refuse weights that do not fit the settings, or templates that cannot be read with them. Raises StoredValueError."""
    check_tables(weights.live_templates().attributes, (), words=False)
    if weights.is_trained and len(weights.word_scores) != len(rules.tags) + 1:
        raise StoredValueError(
            f"word_scores has {len(weights.word_scores)} lines, not one for each of {len(rules.tags)} tags and one more"
        )
