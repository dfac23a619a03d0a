"""The thinc Model of a parser: it takes templates and weights through spaCy's config, serialization and prediction."""

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
from spacy.tokens import Doc
from spacy.util import registry
from spacy.vocab import Vocab
from thinc.api import Model
from thinc.model import serialize_attr

from spacy_mtl.models import store
from spacy_mtl.models.by_vocab import by_vocab, predictor_for, vocabs_of
from spacy_mtl.models.chain.model import current_weights, set_weights
from spacy_mtl.models.checked import CheckedModel, model_attrs
from spacy_mtl.stored.fault import StoredValueError
from spacy_mtl.stored.values import fields, optional
from spacy_mtl.templates.grammar import TemplateSet

from .rules import TreeRules, check_rules, check_tree
from .weights import TreeWeights


@registry.architectures("spacy_mtl.TemplateTree.v1")
def template_tree(templates: TemplateSet, megabytes: float | None = 10.0) -> Model[list[Doc], list[np.ndarray]]:
    """Make a model of dependency trees whose scores come from feature templates.

    templates: of arcs, from ``@mtl_templates``. megabytes: size limit of the saved model. The strongest feature rows that fit are kept, both in
    memory and on disk, so that a loaded model predicts the same; null keeps every row. The model predicts heads and labels of each doc,
    int32[2, n_tokens]. Raises ValueError: M401 if megabytes is not
    above 0, M448 for other templates.
    """
    return TreeModel("template_tree", _forward, attrs=model_attrs(templates, megabytes, TreeWeights()))


def _forward(model: Model, docs: Sequence[Doc], is_train: bool) -> tuple[list[np.ndarray], Callable[[Any], list]]:
    return predict_trees(model, docs), lambda gradient: []


def predict_trees(model: Model, docs: Sequence[Doc], max_words: int | None = None) -> list[np.ndarray]:
    """Heads (within the sentence, from 1; 0 for roots) and labels of each doc, int32[2, n_tokens].

    While the model is untrained, the head of every word is the word before it.
    """
    from spacy_mtl.sentences import borders

    if not docs:
        return []
    lengths = [len(doc) for doc in docs]
    weights = current_weights(model)
    if not weights.is_trained or not sum(lengths):
        starts = borders(docs)
        heads = np.arange(sum(lengths)) - np.repeat(starts[:-1], np.diff(starts))
        chains = np.stack([heads, np.zeros_like(heads)]).astype(np.int32)
        return np.split(chains, np.cumsum(lengths)[:-1], axis=1)
    if len(vocabs_of(docs)) > 1:
        return by_vocab(docs, lambda some: predict_trees(model, some, max_words))
    predictor = predictor_of(model, docs[0].vocab)
    return np.split(predictor(docs, max_words), np.cumsum(lengths)[:-1], axis=1)


def predictor_of(model: Model, vocab: Vocab) -> Any:
    """The predictor of a trained model for documents of a vocabulary."""
    from .predict import TreePredictor

    weights, attrs = current_weights(model), model.attrs
    return predictor_for(model, vocab, lambda: TreePredictor(weights, attrs["constraints"], vocab, attrs["tables"]))


class TreeModel(CheckedModel):
    """The model of a parser."""

    __slots__ = ()

    def read_weights(self, data: bytes, where: str) -> tuple[TreeWeights, TreeRules | None]:
        weights, settings = store.from_bytes(data, where)
        with store.faults_in(where):
            if not isinstance(weights, TreeWeights):
                raise StoredValueError("it has the weights of another structure")
            stored = fields(settings, "the settings", {"rules": optional(check_rules)})["rules"]
            if stored is None and weights.is_trained:
                raise StoredValueError("it has weights without rules")
            rules = None if stored is None else TreeRules(**stored)
            if rules is not None:
                check_tree(weights, rules)
            return weights, rules

    def set_read(self, weights: TreeWeights, constraints: Any) -> None:
        set_weights(self, weights, constraints)


@serialize_attr.register(TreeWeights)
def _serialize(_: Any, value: TreeWeights, name: str, model: Model) -> bytes:
    weights, rules = current_weights(model), model.attrs["constraints"]
    return store.to_bytes(weights, {"rules": None if rules is None else asdict(rules)})
