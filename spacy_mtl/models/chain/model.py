"""The thinc Model of a chain: it takes templates and weights through spaCy's config, serialization and prediction."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from spacy.tokens import Doc
from spacy.util import registry
from spacy.vocab import Vocab
from thinc.api import Model
from thinc.model import serialize_attr

from spacy_mtl.lemmas.applicable import applicable
from spacy_mtl.models import store
from spacy_mtl.models.by_vocab import by_vocab, no_predictors, predictor_for, vocabs_of
from spacy_mtl.models.checked import CheckedModel, model_attrs
from spacy_mtl.models.store import AnyWeights
from spacy_mtl.stored.fault import StoredValueError
from spacy_mtl.stored.ranges import check_ascending
from spacy_mtl.stored.values import Check, boolean, fields, integer, integers, list_of, mapping, number, optional
from spacy_mtl.structures.chain.build import Constraints
from spacy_mtl.structures.chain.viterbi import FORBIDDEN
from spacy_mtl.templates.grammar import TemplateSet

from .decode import Held
from .weights import ChainWeights

#: The largest number of analyses of a stored model.
MOST_ANALYSES = 1 << 16
#: The check of each field of :class:`.Constraints` in the settings of a model, apart from the shapes.
_CONSTRAINTS = dict.fromkeys(("start", "end", "step", "form_labels"), list_of(lambda item, _: item)) | {
    "forms": integers(0, (1 << 64) - 1),
    "form_penalty": number(float(FORBIDDEN), 0),
    "edits": boolean,
    "table": list_of(lambda item, _: item, most=MOST_ANALYSES),
}


@registry.architectures("spacy_mtl.TemplateChain.v1")
def template_chain(templates: TemplateSet, megabytes: float | None = 10.0) -> Model[list[Doc], list[np.ndarray]]:
    """Make a linear chain whose scores come from feature templates.

    templates: from ``@mtl_templates``. megabytes: size limit of the saved weights before compression, which removes another third to three
    quarters. The strongest feature rows that fit are kept, both in memory and on disk, so that a loaded model predicts the same; null keeps every
    row. The model predicts the best labels of each doc, int32[n_tokens]. Raises ValueError: M401 if megabytes is not
    above 0, M448 for other templates.
    """
    return ChainModel("template_chain", forward, attrs=model_attrs(templates, megabytes, ChainWeights()))


def set_weights(model: Model, weights: AnyWeights, constraints: Any) -> None:
    """Set the weights of a model and, if they are trained, their constraints (:class:`.Constraints` of a chain, :class:`.TreeRules` of a tree,
    :class:`.ParseRules` of a grammar).

    The predictor is built at the first prediction.
    """
    model.attrs.update(weights=weights, constraints=constraints, export=None, **no_predictors())


def weights_later(model: Model, export: Callable[[], AnyWeights], constraints: Any) -> None:
    """Set weights that are only exported when they are needed; training calls this after each pass."""
    model.attrs.update(export=export, constraints=constraints, **no_predictors())


def current_weights(model: Model) -> Any:
    """The weights of a model, of any kind, exported now if training has continued since."""
    if model.attrs["export"] is not None:
        set_weights(model, model.attrs["export"](), model.attrs["constraints"])
    return model.attrs["weights"]


def forward(model: Model, docs: Sequence[Doc], is_train: bool) -> tuple[list[np.ndarray], Callable[[Any], list]]:
    return predict_labels(model, docs), lambda gradient: []


def predict_labels(
    model: Model,
    docs: Sequence[Doc],
    whole: bool = False,
    held_in: Callable[[Sequence[Doc]], Held | None] | None = None,
    bias: np.ndarray | None = None,
) -> list[np.ndarray]:
    """The best labels of each doc, int32[n_tokens]; all 0 while the model is untrained.

    whole: take a doc as one sequence, whatever its borders. held_in: the labels that tokens of docs are held to.
    bias: float32[L], added to the score of each label at every token.
    """
    lengths = [len(doc) for doc in docs]
    weights = current_weights(model)
    if not weights.is_trained or not sum(lengths):
        return [np.zeros(n, np.int32) for n in lengths]
    if len(vocabs_of(docs)) > 1:
        return by_vocab(docs, lambda some: predict_labels(model, some, whole, held_in, bias))
    predictor = predictor_of(model, docs[0].vocab)
    held = None if held_in is None else held_in(docs)
    labels = predictor(docs, whole, held) if bias is None else predictor.biased(docs, [bias], held, whole)[0]
    return np.split(labels, np.cumsum(lengths)[:-1])


def predictor_of(model: Model, vocab: Vocab) -> Any:
    """The predictor of a trained model for documents of a vocabulary."""
    weights = current_weights(model)

    def make() -> Any:
        constraints, learned = model.attrs["constraints"], {**model.attrs["learned"], **model.attrs["tables"]}
        return _predictor_kind(weights, constraints)(weights, constraints, vocab, learned=learned)

    return predictor_for(model, vocab, make)


def _predictor_kind(weights: ChainWeights, constraints: Constraints) -> Any:
    """The class of a predictor; imported when it is needed, with its kernels."""
    if constraints.edits:
        from .scripts import ScriptPredictor, fits

        if fits(weights, constraints):
            return ScriptPredictor
    if constraints.table.size:
        from .analyses import AnalysisPredictor

        return AnalysisPredictor
    from .predict import Predictor

    return Predictor


class ChainModel(CheckedModel):
    """The model of a chain."""

    __slots__ = ()

    def read_weights(self, data: bytes, where: str) -> tuple[ChainWeights, Constraints | None]:
        weights, settings = store.from_bytes(data, where)
        with store.faults_in(where):
            if not isinstance(weights, ChainWeights):
                raise StoredValueError("it has the weights of another structure")
            return weights, _stored_constraints(settings, weights)

    def set_read(self, weights: AnyWeights, constraints: Any) -> None:
        set_weights(self, weights, constraints)


def _stored_constraints(settings: Any, weights: ChainWeights) -> Constraints | None:
    """The constraints in the settings of a model; None for an untrained one. Raises StoredValueError."""
    masks = fields(settings, "the settings", {"constraints": optional(mapping)})["constraints"]
    if not weights.is_trained:
        return None
    if masks is None:
        raise StoredValueError("it has weights without constraints")
    found = fields(masks, "the constraints", _CONSTRAINTS, missing={"edits": False, "table": []})
    if found["edits"]:
        applicable(weights.labels)
    n, forms = len(weights.labels), np.array(found["forms"], np.uint64)
    table = _table(found["table"], n)
    check_ascending(forms, "forms")
    start, end = (_mask(found[name], name, (n,)) for name in ("start", "end"))
    step, form_labels = (
        _mask(found["step"], "step", (n, n)),
        _mask(found["form_labels"], "form_labels", (forms.size, len(table) or n)),
    )
    return Constraints(
        start, end, step, forms, form_labels, np.float32(found["form_penalty"]), np.bool_(found["edits"]), table
    )


def _table(rows: list, n: int) -> np.ndarray:
    """The table of analyses, int32[A, G], from nested lists; n: the number of labels. Raises StoredValueError."""
    if not rows:
        return np.empty((0, 0), np.int32)
    width = len(list_of(integer(0, n - 1), 1, n)(rows[0], "a row of the table"))
    for row in rows:
        list_of(integer(0, n - 1), width, width)(row, "a row of the table")
    return np.array(rows, np.int32)


def _mask(value: Any, name: str, shape: tuple[int, ...]) -> np.ndarray:
    """A mask bool[shape] from nested lists. Raises StoredValueError."""
    check: Check = boolean
    for n in reversed(shape):
        check = list_of(check, n, n)
    return np.array(check(value, name), bool).reshape(shape)


@serialize_attr.register(ChainWeights)
def _serialize(_: Any, value: ChainWeights, name: str, model: Model) -> bytes:
    weights, constraints = current_weights(model), model.attrs["constraints"]
    masks = None if constraints is None else {key: mask.tolist() for key, mask in vars(constraints).items()}
    return store.to_bytes(weights, {"constraints": masks})
