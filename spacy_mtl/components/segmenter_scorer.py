"""The scorer of words."""

from collections.abc import Callable, Iterable
from typing import Any

from spacy.scorer import Scorer
from spacy.training import Example

from spacy_mtl.registry import registry


def score_words(examples: Iterable[Example], **_: Any) -> dict[str, Any]:
    """token_acc, and precision, recall and F1 of words, as spaCy counts them."""
    return Scorer.score_tokenization(examples)


@registry.scorers("spacy_mtl.segmenter_scorer.v1")
def make_segmenter_scorer() -> Callable[..., dict[str, Any]]:
    """Make a scorer of words: token_acc, token_p, token_r and token_f."""
    return score_words
