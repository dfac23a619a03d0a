"""How a file of each component is loaded and used, and what a valid prediction is."""

import json
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import spacy
import srsly
from scipy import sparse
from spacy.language import Language
from spacy.tokens import Doc

from spacy_mtl.roots import doc_heads, first_off_tree
from spacy_mtl.sequences import Categories, load

from .loading_beside import (
    calibrated_bytes,
    load_into,
    make_docs,
    multiword_bytes,
    names_bytes,
    tables_in_model,
    try_confidence,
    try_explaining,
    try_learning_on,
    try_multiword,
    try_names,
)
from .plan import ROOT

SAVED = ROOT / "tests" / "data" / "saved"
#: Component -> the models of it that are changed.
MODELS = {
    "ner": ("entities", "vectors-and-tables"),
    "tagger": ("tags",),
    "segmenter": ("words",),
    "tokenizer": ("tokenizer",),
    "parser": ("crossing-trees", "second-order-trees"),
    "constituents": ("constituents",),
    "morphologizer": ("analyses",),
    "lemmatizer": ("lemmas",),
    "senter": ("borders",),
    "sequences": ("sequences",),
    "thinc": ("entities", "crossing-trees", "constituents"),
    "tables": ("vectors-and-tables",),
    "names": ("entities",),
    "multiword": ("",),
    "learning on": ("entities", "tags", "crossing-trees", "words"),
    "confidence": ("entities", "tags", "crossing-trees", "constituents"),
    "explaining": ("entities", "tags", "crossing-trees", "second-order-trees", "constituents", "lemmas"),
}
#: A try: it loads these bytes and predicts. It raises what loading raises, and AssertionError for a prediction that is none.
Try = Callable[[bytes], None]

#: Templates that saved models have and their sets no longer have by default: only the same ones can learn on.
LEARNT_WITH = {"words": {"components.mtl_segmenter.model.templates.breaks": True}}


def opened(case: str, name: str) -> tuple[bytes, Try]:
    """The bytes of a model file, written by this version, and how to try others in its place."""
    if case == "sequences":
        return (SAVED / name / "model.npz").read_bytes(), _try_sequences
    if case == "multiword":
        return multiword_bytes(), try_multiword
    exclude, config = ["tokenizer"] if case != "tokenizer" else [], LEARNT_WITH.get(name, {})
    nlp = spacy.load(SAVED / name, exclude=exclude, config=config)
    docs = [row["doc"] for row in json.loads((SAVED / name / "documents.json").read_text(encoding="utf8"))]
    if case == "tokenizer":
        tokenizer: Any = nlp.tokenizer
        return tokenizer.to_bytes(), partial(_try_tokenizer, nlp, docs)
    pipe: Any = nlp.get_pipe(nlp.pipe_names[0])
    data = pipe._model_bytes()
    if case == "thinc":
        return _thinc_weights(pipe.model.to_bytes()), partial(_try_thinc, nlp, docs)
    if case == "names":
        return names_bytes(pipe), partial(try_names, pipe)
    if case == "tables":
        return pipe._table_bytes(), partial(_try_tables, nlp, docs, data)
    beside = pipe._table_bytes() if pipe.tables else None
    if case == "learning on":
        return data, partial(try_learning_on, nlp, docs, beside)
    if case == "explaining":
        return data, partial(try_explaining, nlp, docs, beside)
    if case == "confidence":
        return calibrated_bytes(pipe, make_docs(nlp, docs[:1])), partial(try_confidence, nlp, docs, beside)
    return data, partial(_try_component, nlp, docs, beside)


def _try_component(nlp: Language, docs: list, tables: bytes | None, data: bytes) -> None:
    load_into(nlp, data, tables)
    _predict(nlp, docs)


def _try_tables(nlp: Language, docs: list, model: bytes, data: bytes) -> None:
    """Tables with the model that belongs to them."""
    load_into(nlp, tables_in_model(model, data), data)
    _predict(nlp, docs)


def _thinc_weights(data: bytes) -> bytes:
    """The weights inside of what ``model.to_bytes()`` of thinc returned: a model file, too."""
    return srsly.msgpack_loads(data)["attrs"][0]["weights"]


def _try_thinc(nlp: Language, docs: list, data: bytes) -> None:
    pipe: Any = nlp.get_pipe(nlp.pipe_names[0])
    parts = srsly.msgpack_loads(pipe.model.to_bytes())
    parts["attrs"][0]["weights"] = data
    pipe.model.from_bytes(srsly.msgpack_dumps(parts))
    _predict(nlp, docs)


def _try_tokenizer(nlp: Language, docs: list, data: bytes) -> None:
    tokenizer: Any = nlp.tokenizer
    tokenizer.from_bytes(data)
    _predict(nlp, docs)


def _predict(nlp: Language, given: list) -> None:
    docs = [doc if isinstance(doc, str) else Doc(nlp.vocab, **doc) for doc in given]
    texts = [doc if isinstance(doc, str) else doc.text for doc in docs]
    for doc, text in zip(nlp.pipe(docs), texts, strict=True):
        check_doc(doc, text)


def check_doc(doc: Doc, text: str) -> None:
    """Refuse a Doc that has another text, or annotation that does not hold together."""
    assert doc.text == text, "the text of a document changed"
    assert all(0 <= token.head.i < len(doc) for token in doc), "a head outside of its document"
    assert all(ent.start < ent.end and ent.label_ for ent in doc.ents), "an entity without words or label"
    assert all(isinstance(token.tag_ + token.dep_ + token.pos_ + token.lemma_ + str(token.morph), str) for token in doc)
    spans = [span for group in doc.spans.values() for span in group]
    assert all(0 <= span.start < span.end <= len(doc) and span.label_ for span in spans), (
        "a span without words or label"
    )
    if doc.has_annotation("DEP") and len(doc):
        trees = doc_heads(doc)
        for heads in np.split(trees.heads, trees.starts[1:]):
            assert ((heads >= 0) & (heads <= len(heads))).all(), "a head in another sentence"
            assert not first_off_tree(heads), "a circle of heads"


def _try_sequences(data: bytes) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder, "model.npz")
        path.write_bytes(data)
        model = load(path)
    X, lengths = _positions()
    labels = model.predict(X, lengths)
    assert labels.size == lengths.sum(), "another number of labels than positions"
    assert np.isin(labels, model.labels).all(), "a label that the model does not have"
    marginals = model.marginals(X, lengths)
    assert np.allclose(marginals.sum(axis=1), 1, atol=1e-3), "probabilities that do not sum to 1"


@cache
def _positions() -> tuple[dict[str, Any], np.ndarray]:
    """Positions for the model of sequences, and lengths."""
    with np.load(SAVED / "sequences" / "positions.npz") as file:
        vectors, columns, lengths = (file[name] for name in ("vectors", "columns", "lengths"))
    X = dict.fromkeys(("dense", "near", "square", "spline"), vectors)
    return {**X, "sparse": sparse.csr_array(vectors), "codes": Categories(columns)}, lengths
