"""The scorer of a morphologizer that sets tags, too."""

from collections.abc import Callable, Iterable
from typing import Any

from spacy.pipeline.morphologizer import morphologizer_score
from spacy.pipeline.tagger import tagger_score
from spacy.training import Example

from spacy_mtl.registry import registry


def score_analyses(examples: Iterable[Example], **options: Any) -> dict[str, Any]:
    """pos_acc, morph_acc, morph_micro_p, morph_micro_r, morph_micro_f, morph_per_feat and tag_acc, as spaCy counts them."""
    examples = list(examples)
    return {**morphologizer_score(examples, **options), **tagger_score(examples, **options)}


@registry.scorers("spacy_mtl.morphologizer_scorer.v1")
def make_morphologizer_scorer() -> Callable[..., dict[str, Any]]:
    """Make a scorer of parts of speech, morphological features and tags."""
    return score_analyses
