"""The factories of components for columns of a treebank, as light as those beside the folder."""

from collections.abc import Callable
from typing import Any

from spacy.language import Language
from spacy.pipeline import TrainablePipe
from thinc.api import Model

from spacy_mtl.components.factories import component_class, requiring, run_with

MORPHOLOGIZER_CONFIG = {
    "model": {
        "@architectures": "spacy_mtl.TemplateChain.v1",
        "templates": {"@mtl_templates": "spacy_mtl.morph.v1"},
    },
    "trainer": {"@mtl_trainers": "spacy_mtl.MTLStruct.v1", "p": 1.3333, "C": 0.2, "average": 8},
    "known_words": 1,
    "max_values": 40,
    "tags": False,
    "overwrite": False,
    "confidence": False,
    "threads": 1,
    "scorer": {"@scorers": "spacy.morphologizer_scorer.v1"},
}
SENTER_CONFIG = {
    "model": {
        "@architectures": "spacy_mtl.TemplateChain.v1",
        "templates": {"@mtl_templates": "spacy_mtl.sent.v1"},
    },
    "trainer": {"@mtl_trainers": "spacy_mtl.MTLStruct.v1", "p": 1.3333, "C": 0.3, "average": 6},
    "bias": 0.0,
    "overwrite": False,
    "confidence": False,
    "threads": 1,
    "scorer": {"@scorers": "spacy.senter_scorer.v1"},
}
LEMMATIZER_CONFIG = {
    "model": {
        "@architectures": "spacy_mtl.TemplateChain.v1",
        "templates": {"@mtl_templates": "spacy_mtl.lemma.v1"},
    },
    "trainer": {"@mtl_trainers": "spacy_mtl.MTLStruct.v1", "p": 1.3333, "C": 0.5, "average": 8},
    "min_forms": 2,
    "max_scripts": 1000,
    "overwrite": False,
    "confidence": False,
    "threads": 1,
    "scorer": {"@scorers": "spacy.lemmatizer_scorer.v1"},
}


@Language.factory(
    "mtl_morphologizer",
    assigns=["token.pos", "token.morph"],
    default_config=MORPHOLOGIZER_CONFIG,
    default_score_weights={"pos_acc": 0.5, "morph_acc": 0.5, "morph_micro_f": None, "morph_per_feat": None},
)
def make_morphologizer(
    nlp: Language,
    name: str,
    model: Model,
    trainer: Any,
    known_words: int,
    max_values: int,
    tags: bool,
    overwrite: bool,
    confidence: bool,
    threads: int,
    scorer: Callable | None,
) -> TrainablePipe:
    """Make a component for parts of speech and morphological features. confidence: give documents the probabilities of these.

    model: ``@architectures = "spacy_mtl.TemplateChain.v1"``. trainer: any of ``@mtl_trainers``. known_words: a word seen at least this many times in
    training is given only analyses that it was seen with; 0 allows every word all analyses. max_values: the largest number of values of a factor, a
    group of features that a chain of its own predicts. tags: learn and set TAG, too, with the analysis that it belongs to; for tags that are
    nearly determined by part of speech and features, however many there are. overwrite: replace what is already on a Doc (otherwise it stays).
    """
    pipe = component_class("columns.morphologizer", "MTLMorphologizer")(
        nlp.vocab, model, name, trainer=trainer, known_words=known_words, max_values=max_values, tags=tags, overwrite=overwrite, scorer=scorer
    )  # fmt: skip
    assigns = ["token.pos", "token.morph", *(["token.tag"] if tags else [])]
    return requiring("mtl_morphologizer", run_with(pipe, confidence, threads), assigns)


@Language.factory(
    "mtl_lemmatizer",
    assigns=["token.lemma"],
    default_config=LEMMATIZER_CONFIG,
    default_score_weights={"lemma_acc": 1.0},
)
def make_lemmatizer(
    nlp: Language,
    name: str,
    model: Model,
    trainer: Any,
    min_forms: int,
    max_scripts: int,
    overwrite: bool,
    confidence: bool,
    threads: int,
    scorer: Callable | None,
) -> TrainablePipe:
    """Make a lemmatizer. confidence: give documents the probabilities of the edit scripts that lemmas are made by.

    model: ``@architectures = "spacy_mtl.TemplateChain.v1"``. trainer: any of ``@mtl_trainers``. min_forms: an edit script is a label if at least this
    many different forms of the training corpus have it. max_scripts: the largest number of labels, those with the most forms. overwrite: replace
    lemmas that are already on a Doc (otherwise they stay). The lemmas of words of the training corpus are remembered.
    """
    pipe = component_class("columns.lemmatizer", "MTLLemmatizer")(
        nlp.vocab, model, name, trainer=trainer, min_forms=min_forms, max_scripts=max_scripts, overwrite=overwrite, scorer=scorer
    )  # fmt: skip
    return requiring("mtl_lemmatizer", run_with(pipe, confidence, threads))


@Language.factory(
    "mtl_senter",
    assigns=["token.is_sent_start"],
    default_config=SENTER_CONFIG,
    default_score_weights={"sents_f": 1.0, "sents_p": 0.0, "sents_r": 0.0},
)
def make_senter(
    nlp: Language,
    name: str,
    model: Model,
    trainer: Any,
    bias: float,
    overwrite: bool,
    confidence: bool,
    threads: int,
    scorer: Callable | None,
) -> TrainablePipe:
    """Make a component that finds sentence borders. confidence: give documents the probabilities of these.

    model: ``@architectures = "spacy_mtl.TemplateChain.v1"``. trainer: any of ``@mtl_trainers``. bias: added in prediction to the score of every
    token that begins a sentence: above 0 for more and shorter sentences. overwrite: replace borders that are already on a Doc (otherwise they stay).
    """
    pipe = component_class("columns.senter", "MTLSenter")(
        nlp.vocab, model, name, trainer=trainer, overwrite=overwrite, bias=bias, scorer=scorer
    )  # fmt: skip
    return requiring("mtl_senter", run_with(pipe, confidence, threads))
