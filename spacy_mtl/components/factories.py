"""The factories of the components, which spaCy imports whenever a pipeline is made, even one without any of them.

So nothing heavy is imported here: a component's module, and with it numba, is imported when the component is made.
"""

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, Literal

from spacy.language import Language
from spacy.pipeline import TrainablePipe
from thinc.api import Model

import spacy_mtl.registry  # noqa: F401  (adds the registries that the defaults name)

NER_CONFIG = {
    "model": {
        "@architectures": "spacy_mtl.TemplateChain.v1",
        "templates": {"@mtl_templates": "spacy_mtl.ner.v1", "tag": False},
    },
    "trainer": {"@mtl_trainers": "spacy_mtl.MTLStruct.v1", "p": 1.3333, "C": 0.3, "average": 4},
    "scheme": "biluo",
    "valid_only": True,
    "overwrite": False,
    "costs": {},
    "bias": 0.0,
    "threshold": 0.0,
    "confidence": False,
    "threads": 1,
    "scorer": {"@scorers": "spacy.ner_scorer.v1"},
}
TAGGER_CONFIG = {
    "model": {
        "@architectures": "spacy_mtl.TemplateChain.v1",
        "templates": {"@mtl_templates": "spacy_mtl.pos.v1"},
    },
    "trainer": {"@mtl_trainers": "spacy_mtl.MTLStruct.v1", "p": 1.3333, "C": 0.2, "average": 8},
    "known_words": 0,
    "pos_map": {},
    "overwrite": False,
    "confidence": False,
    "threads": 1,
    "scorer": {"@scorers": "spacy.tagger_scorer.v1"},
}
SEGMENTER_CONFIG = {
    "model": {
        "@architectures": "spacy_mtl.TemplateChain.v1",
        "templates": {"@mtl_templates": "spacy_mtl.seg.v1"},
    },
    "trainer": {"@mtl_trainers": "spacy_mtl.MTLStruct.v1", "p": 1.3333, "C": 1.0, "average": 4},
    "tags": "bmes",
    "keep_runs": True,
    "folds": 2,
    "known": 1,
    "hidden": 0.0,
    "known_marks": 5,
    "bias": 0.0,
    "user_words_role": "hint",
    "user_words_weight": 1.0,
    "confidence": False,
    "threads": 1,
    "scorer": {"@scorers": "spacy_mtl.segmenter_scorer.v1"},
}
PARSER_CONFIG = {
    "model": {
        "@architectures": "spacy_mtl.TemplateTree.v1",
        "templates": {"@mtl_templates": "spacy_mtl.parse.v1"},
    },
    "trainer": {"@mtl_trainers": "spacy_mtl.MTLStruct.v1", "p": 1.3333, "C": 0.3, "average": 6},
    "projective": None,
    "roots": "auto",
    "labelling": "second_pass",
    "support": "gold",
    "margin": 5.0,
    "filter_attr": None,
    "max_words": 500,
    "max_unsplit": 100,
    "confidence": False,
    "threads": 1,
    "scorer": {"@scorers": "spacy_mtl.dep_scorer.v1"},
}
CONSTITUENTS_CONFIG = {
    "model": {
        "@architectures": "spacy_mtl.TemplateGrammar.v1",
        "templates": {"@mtl_templates": "spacy_mtl.constituents.v1"},
    },
    "trainer": {"@mtl_trainers": "spacy_mtl.MTLStruct.v1", "p": 1.3333, "C": 0.3, "average": 6},
    "spans_key": "constituents",
    "horizontal": 0,
    "vertical": 1,
    "side": "left",
    "support": "gold",
    "learn_margin": 6.0,
    "margin": 8.0,
    "rest_cost": 1.0,
    "max_words": 100,
    "max_unsplit": 100,
    "confidence": False,
    "threads": 1,
    "scorer": {"@scorers": "spacy_mtl.constituents_scorer.v1"},
}


def requiring(factory: str, pipe: TrainablePipe, assigns: Sequence[str] = ()) -> TrainablePipe:
    """The component, whose requirements depend on its templates and are told to spaCy. assigns: what it sets, if that depends on its settings."""
    tell_meta = import_module("spacy_mtl.components.protocol.annotated").tell_meta
    tell_meta(factory, pipe.model.attrs["templates"], assigns)
    return pipe


def run_with(pipe: TrainablePipe, confidence: bool, threads: int) -> TrainablePipe:
    """The component with the settings that may change at any time. confidence: give documents the probabilities of decisions."""
    pipe.confidence, pipe.threads = confidence, threads  # type: ignore[attr-defined]
    return pipe


def component_class(module: str, name: str) -> Any:
    """A component's class. Its module imports this one, so that installations of before find the factory there."""
    return getattr(import_module(f"spacy_mtl.components.{module}"), name)


@Language.factory(
    "mtl_ner",
    assigns=["doc.ents", "token.ent_iob", "token.ent_type"],
    default_config=NER_CONFIG,
    default_score_weights={"ents_f": 1.0, "ents_p": 0.0, "ents_r": 0.0, "ents_per_type": None},
)
def make_ner(
    nlp: Language,
    name: str,
    model: Model,
    trainer: Any,
    scheme: str,
    valid_only: bool,
    overwrite: bool,
    costs: dict[str, float],
    bias: float,
    threshold: float,
    confidence: bool,
    threads: int,
    scorer: Callable | None,
) -> TrainablePipe:
    """Make an entity recognizer.

    model: ``@architectures = "spacy_mtl.TemplateChain.v1"``. trainer: any of ``@mtl_trainers``. scheme: "biluo" or "iob2", the tags of the chain.
    valid_only: decode only tag sequences that spell whole entities. overwrite: replace entities that are already on a Doc (otherwise they stay, and
    predictions that overlap them are dropped). costs: training loss of a wrong tag where it is not 1, e.g. {"*>O": 2.0} to miss fewer entities.
    bias: added in prediction to the score of every tag of an entity, above 0 to miss fewer entities without training anew. threshold: entities with a
    smaller probability are left out. confidence: give documents the probabilities of entities and tags.
    """
    pipe = component_class("ner", "MTLEntityRecognizer")(
        nlp.vocab, model, name, trainer=trainer, scheme=scheme, valid_only=valid_only, overwrite=overwrite, costs=costs, bias=bias,
        threshold=threshold, scorer=scorer,
    )  # fmt: skip
    return requiring("mtl_ner", run_with(pipe, confidence, threads))


@Language.factory(
    "mtl_tagger",
    assigns=["token.tag", "token.pos"],
    default_config=TAGGER_CONFIG,
    default_score_weights={"tag_acc": 1.0},
)
def make_tagger(
    nlp: Language,
    name: str,
    model: Model,
    trainer: Any,
    known_words: int,
    pos_map: dict[str, str],
    overwrite: bool,
    confidence: bool,
    threads: int,
    scorer: Callable | None,
) -> TrainablePipe:
    """Make a tagger. confidence: give documents the probabilities of tags.

    model: ``@architectures = "spacy_mtl.TemplateChain.v1"``. trainer: any of ``@mtl_trainers``. known_words: a word seen at least this many times
    in training is given only tags it was seen with; 0 allows every word all tags. pos_map: the universal part of speech of each tag, written to
    ``token.pos``. overwrite: replace tags that are already on a Doc (otherwise they stay).
    """
    pipe = component_class("tagger", "MTLTagger")(
        nlp.vocab, model, name, trainer=trainer, known_words=known_words, pos_map=pos_map, overwrite=overwrite, scorer=scorer
    )  # fmt: skip
    return requiring(
        "mtl_tagger", run_with(pipe, confidence, threads), ["token.tag", "token.pos"] if pos_map else ["token.tag"]
    )


@Language.factory(
    "mtl_segmenter",
    default_config=SEGMENTER_CONFIG,
    default_score_weights={"token_f": 1.0, "token_p": 0.0, "token_r": 0.0, "token_acc": None},
    retokenizes=True,
)
def make_segmenter(
    nlp: Language,
    name: str,
    model: Model,
    trainer: Any,
    tags: str,
    keep_runs: bool,
    folds: int,
    known: int,
    hidden: float,
    known_marks: int,
    bias: float,
    user_words_role: str,
    user_words_weight: float,
    confidence: bool,
    threads: int,
    scorer: Callable | None,
) -> TrainablePipe:
    """Make a word segmenter. confidence: give documents the probabilities of words.

    model: ``@architectures = "spacy_mtl.TemplateChain.v1"``. trainer: any of ``@mtl_trainers``. tags: "bmes", "bie" or "bcdmes", the tags of the
    chain. keep_runs: never begin a word inside a Latin word or a number, or between a character and a combining mark that belongs to it.
    known: a word of the corpus that occurs at least this many times is in the dictionary that templates read.
    folds: during training the corpus is divided into this many parts, and the dictionary and word boundaries that templates read in one part are
    counted on the others: if every training word were known, nothing could be learnt about unknown words.
    hidden: the share of words that is also left out of the dictionary of each part, for texts with more unknown words than the corpus has.
    known_marks: a punctuation mark or symbol that occurs at least this many times, and at least once as a word of its own, is given only tags it was
    seen with; 0 allows every character all tags.
    bias: added in prediction to the score of every tag that begins a word: above 0 for more and shorter words, below 0 for fewer and longer ones.
    user_words_role: what the words in ``user_words`` are: a "hint" to templates, a "preference", which adds ``user_words_weight`` to the score of
    each of a word's tags, or "law".
    """
    pipe = component_class("segmenter", "MTLSegmenter")(
        nlp.vocab, model, name, trainer=trainer, tags=tags, keep_runs=keep_runs, folds=folds, known=known, hidden=hidden,
        known_marks=known_marks, bias=bias, user_words_role=user_words_role, user_words_weight=user_words_weight, scorer=scorer,
    )  # fmt: skip
    return run_with(pipe, confidence, threads)


@Language.factory(
    "mtl_parser",
    assigns=["token.dep", "token.head"],
    default_config=PARSER_CONFIG,
    default_score_weights={
        "dep_uas": 0.5, "dep_las": 0.5, "dep_las_per_type": None, "dep_uas_conllx": None, "dep_las_conllx": None,
        "dep_uas_all": None, "dep_las_all": None, "dep_complete": None, "dep_complete_all": None,
        "dep_crossing_p": None, "dep_crossing_r": None, "dep_crossing_f": None,
    },
)  # fmt: skip
def make_parser(
    nlp: Language,
    name: str,
    model: Model,
    trainer: Any,
    projective: bool | None,
    roots: Literal["auto", "one", "several"],
    labelling: Literal["second_pass", "joint", "none"],
    support: Literal["gold", "all"],
    margin: float | None,
    filter_attr: str | None,
    max_words: int | None,
    max_unsplit: int | None,
    confidence: bool,
    threads: int,
    scorer: Callable | None,
) -> TrainablePipe:
    """Make a parser. confidence: give documents the probabilities of arcs and their labels.

    model: ``@architectures = "spacy_mtl.TemplateTree.v1"``; its templates decide the order: those that look at ``%s`` score pairs of siblings,
    those that look at ``%g`` pairs with grandparents.
    trainer: any of ``@mtl_trainers`` that can train such trees. projective: predict only projective trees (crossing arcs may still be learnt
    from); null: do so if fewer than one arc in fifty of the training corpus crosses another.
    roots: how many a sentence may have: "one", "several", or "auto", which is several if the training corpus has such sentences. labelling: find
    labels in a "second_pass" over the tree, "joint" with it, or "none". support: which observations get weights, those of "gold" arcs or of "all".
    margin: a filter over tags leaves out arcs that score more than this below the best arc of the same word; null keeps all arcs. filter_attr: the
    attribute that the filter reads; null chooses one. max_words: longer sentences are parsed in pieces of at most this many words, whose trees are
    joined, with a warning (M450); null for no limit. max_unsplit: a document of up to this many words without sentence boundaries is parsed as one
    sentence, a longer one is refused (M440); null for no limit.
    """
    pipe = component_class("parser", "MTLParser")(
        nlp.vocab, model, name, trainer=trainer, projective=projective, roots=roots, labelling=labelling, support=support,
        margin=margin, filter_attr=filter_attr, max_words=max_words, max_unsplit=max_unsplit, scorer=scorer,
    )  # fmt: skip
    return requiring("mtl_parser", run_with(pipe, confidence, threads))


@Language.factory(
    "mtl_constituents",
    assigns=["doc.spans"],
    default_config=CONSTITUENTS_CONFIG,
    default_score_weights={
        "constituents_f": 1.0, "constituents_p": 0.0, "constituents_r": 0.0, "constituents_exact": None, "constituents_per_type": None,
    },
)  # fmt: skip
def make_constituents(
    nlp: Language,
    name: str,
    model: Model,
    trainer: Any,
    spans_key: str,
    horizontal: int,
    vertical: int,
    side: Literal["left", "right"],
    support: Literal["gold", "all"],
    learn_margin: float,
    margin: float,
    rest_cost: float,
    max_words: int | None,
    max_unsplit: int | None,
    confidence: bool,
    threads: int,
    scorer: Callable | None,
) -> TrainablePipe:
    """Make a component that finds constituents: labelled, nested spans of words, as ``doc.spans[spans_key]``.

    confidence: give these their probabilities as ``attrs["scores"]``.

    model: ``@architectures = "spacy_mtl.TemplateGrammar.v1"``. trainer: any of ``@mtl_trainers`` that can train grammars. horizontal, vertical, side:
    how trees become binary, see :class:`~spacy_mtl.constituents.binarize.Binarization`. support: which observations get weights, those of "gold"
    spans and splits or of "all". learn_margin, margin: what a sentence may use is what occurs in trees at most this far below the best one, in log
    probability under the treebank's own grammar; in training and in prediction. rest_cost: training loss of a wrong span of a rest of children, where
    that of a constituent is 1. max_words: longer sentences are not learnt from and get no constituents, with a warning (M453); null for no limit but
    that of memory. max_unsplit: a document of up to this many words without sentence boundaries is one sentence, a longer one is refused (M440); null
    for no limit.
    """
    pipe = component_class("constituents", "MTLConstituents")(
        nlp.vocab, model, name, trainer=trainer, spans_key=spans_key, horizontal=horizontal, vertical=vertical, side=side, support=support,
        learn_margin=learn_margin, margin=margin, rest_cost=rest_cost, max_words=max_words, max_unsplit=max_unsplit, scorer=scorer,
    )  # fmt: skip
    return requiring("mtl_constituents", run_with(pipe, confidence, threads))
