"""What a segmenter checks of its settings, in a config and in a model file."""

from collections.abc import Mapping
from typing import Any

from spacy_mtl.errors import Errors
from spacy_mtl.learning.counted.known_words import check_known_words
from spacy_mtl.models.chain.weights import ChainWeights
from spacy_mtl.models.readable import check_tables
from spacy_mtl.segmentation.boundaries import TAG_SETS
from spacy_mtl.segmentation.corpus_breaks import check_written
from spacy_mtl.segmentation.user_words.words import MOST_WEIGHT, ROLES, check_user_words
from spacy_mtl.settings import brief, is_choice, is_number, is_whole
from spacy_mtl.stored.fault import StoredValueError
from spacy_mtl.stored.values import Check, boolean, mapping, number, one_of, text
from spacy_mtl.tables.phrases import MOST_FOLDS
from spacy_mtl.templates.attributes.learned import FormTable
from spacy_mtl.templates.attributes.reader import of_characters

from .biased.pipe import BIAS_CHECK
from .protocol.settings import check_switches, refuse

#: The check of each entry of ``cfg``.
CFG_CHECKS: dict[str, Check] = {
    "tags": one_of(*TAG_SETS),
    "keep_runs": boolean,
    "lexicon": text,
    "breaks": check_written,
    "known": mapping,
    "bias": BIAS_CHECK,
    "user_words": check_user_words,
    "user_words_role": one_of(*ROLES),
    "user_words_weight": number(0, MOST_WEIGHT),
}
#: Entries that files of format 3 lack if they were saved before there were known marks, biases, or roles of the user's words.
CFG_MISSING: dict[str, Any] = {"known": {}, "bias": 0.0, "user_words_role": "hint", "user_words_weight": 1.0}


def check_given(
    name: str, tags: object, keep_runs: object, folds: object, known: object, hidden: object, known_marks: object
) -> None:
    """Refuse settings of a config that are out of range. Raises ValueError: M133, M416, M418."""
    if not is_choice(tags, TAG_SETS):
        raise ValueError(Errors.M416.format(name=name, tags=brief(tags), known=", ".join(TAG_SETS)))
    check_switches(name, keep_runs=keep_runs)
    if not (is_whole(folds, 2, MOST_FOLDS) and is_whole(known, 1) and is_whole(known_marks)):
        counts = {"known": brief(known), "folds": brief(folds), "known_marks": brief(known_marks)}
        raise ValueError(Errors.M418.format(name=name, most=MOST_FOLDS, **counts))
    if not is_number(hidden, 0, 1):
        refuse(name, "hidden", "a number from 0 to 1", hidden)


def check_segmenter(cfg: dict[str, Any], weights: ChainWeights, learned: Mapping[str, FormTable]) -> None:
    """Refuse known marks with tags that there are not, and templates that read what characters do not have. Raises StoredValueError."""
    check_known_words(cfg["known"], len(TAG_SETS[cfg["tags"]]), "known of cfg")
    attributes = weights.live_templates().attributes
    if weights.dense_codes.size:
        raise StoredValueError("its templates read vectors, which characters do not have")
    check_tables(attributes, learned, words=True)
    for attr in attributes:
        if not of_characters(attr):
            raise StoredValueError(f"its templates read {attr}, which characters do not have")
