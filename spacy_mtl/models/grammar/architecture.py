"""The thinc Model of a grammar: it takes templates and weights through spaCy's config, serialization and prediction."""

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
from spacy.tokens import Doc
from spacy.util import registry
from thinc.api import Model
from thinc.model import serialize_attr

from spacy_mtl.models import store
from spacy_mtl.models.by_vocab import by_vocab, predictor_for, vocabs_of
from spacy_mtl.models.chain.model import current_weights, set_weights
from spacy_mtl.models.checked import CheckedModel, model_attrs
from spacy_mtl.stored.fault import StoredValueError
from spacy_mtl.stored.values import fields, optional
from spacy_mtl.templates.grammar import TemplateSet

from .rules import ParseRules, check_grammar, read_rules
from .weights import GrammarWeights


@registry.architectures("spacy_mtl.TemplateGrammar.v1")
def template_grammar(templates: TemplateSet, megabytes: float | None = 10.0) -> Model[list[Doc], list[np.ndarray]]:
    """Make a model of constituency trees whose scores come from feature templates.

    templates: of spans and their splits, from ``@mtl_templates``. megabytes: size limit of the saved model. The strongest feature rows that fit are
    kept, both in memory and on disk, so that a loaded model predicts the same; null keeps every row. The model predicts the constituents of each
    doc, int32[k, 3] of first word, end and symbol. Raises ValueError: M401 if megabytes is not above 0, M448 for other templates.
    """
    return GrammarPipeModel("template_grammar", _forward, attrs=model_attrs(templates, megabytes, GrammarWeights()))


def _forward(model: Model, docs: Sequence[Doc], is_train: bool) -> tuple[list[np.ndarray], Callable[[Any], list]]:
    return predict_constituents(model, docs), lambda gradient: []


def predictor_of(model: Model, docs: Sequence[Doc]) -> Any:
    """The predictor for these docs, which have one vocab; None while the model is untrained, and for docs without words."""
    from .predict import GrammarPredictor

    weights = current_weights(model)
    if not weights.is_trained or not any(map(len, docs)):
        return None
    attrs, vocab = model.attrs, docs[0].vocab
    return predictor_for(model, vocab, lambda: GrammarPredictor(weights, attrs["constraints"], vocab, attrs["tables"]))


def predict_constituents(model: Model, docs: Sequence[Doc], max_words: int | None = None) -> list[np.ndarray]:
    """The constituents of each doc, int32[k, 3]: first word, end and symbol, each before those inside it. None while the model is untrained."""
    if len(vocabs_of(docs)) > 1:
        return by_vocab(docs, lambda some: predict_constituents(model, some, max_words))
    predictor = predictor_of(model, docs)
    return [np.empty((0, 3), np.int32) for _ in docs] if predictor is None else predictor(docs, max_words)


class GrammarPipeModel(CheckedModel):
    """The model of a component that finds constituents."""

    __slots__ = ()

    def read_weights(self, data: bytes, where: str) -> tuple[GrammarWeights, ParseRules | None]:
        weights, settings = store.from_bytes(data, where)
        with store.faults_in(where):
            if not isinstance(weights, GrammarWeights):
                raise StoredValueError("it has the weights of another structure")
            rules = fields(settings, "the settings", {"rules": optional(read_rules)})["rules"]
            if rules is None and weights.is_trained:
                raise StoredValueError("it has weights without rules")
            if rules is not None:
                check_grammar(weights, rules)
            return weights, rules

    def set_read(self, weights: GrammarWeights, constraints: Any) -> None:
        set_weights(self, weights, constraints)


@serialize_attr.register(GrammarWeights)
def _serialize(_: Any, value: GrammarWeights, name: str, model: Model) -> bytes:
    weights, rules = current_weights(model), model.attrs["constraints"]
    return store.to_bytes(weights, {"rules": None if rules is None else asdict(rules)})
