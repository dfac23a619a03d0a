"""What a segmenter checks of the settings in a model file."""

from collections.abc import Mapping
from typing import Any

from spacy_mtl.learning.counted.known_words import check_known_words
from spacy_mtl.models.chain.weights import ChainWeights
from spacy_mtl.models.readable import check_tables
from spacy_mtl.segmentation.boundaries import TAG_SETS
from spacy_mtl.segmentation.corpus_breaks import check_written
from spacy_mtl.segmentation.user_words.words import MOST_WEIGHT, ROLES, check_user_words
from spacy_mtl.stored.fault import StoredValueError
from spacy_mtl.stored.values import Check, boolean, mapping, number, one_of, text
from spacy_mtl.templates.attributes.learned import FormTable
from spacy_mtl.templates.attributes.reader import of_characters

#: The check of each entry of ``cfg``.
CFG_CHECKS: dict[str, Check] = {
    "tags": one_of(*TAG_SETS),
    "keep_runs": boolean,
    "lexicon": text,
    "breaks": check_written,
    "known": mapping,
    "user_words": check_user_words,
    "user_words_role": one_of(*ROLES),
    "user_words_weight": number(0, MOST_WEIGHT),
}
#: Entries that files of format 3 lack if they were saved before there were known marks, or roles of the user's words.
CFG_MISSING: dict[str, Any] = {"known": {}, "user_words_role": "hint", "user_words_weight": 1.0}


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
