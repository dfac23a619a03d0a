"""Files beside models (tables, names of features, the tokenizer of multiword tokens), and models that are learned on or explained."""

import json
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import spacy
import srsly
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

from spacy_mtl.insight.names import NODE, PAIR, FeatureNames
from spacy_mtl.insight.weights import state_features
from spacy_mtl.tables.stored import digest
from spacy_mtl.treebanks.joins import Joins
from spacy_mtl.treebanks.multiword import MultiwordTokenizer
from spacy_mtl.treebanks.splitting.learn import learn

from .formats import put_together, take_apart, whole_header

TEXTS = ("Va al mar. ¡Dáselo al niño, del todo!", "al  del\tAL Al dámelo", "")
_FORMS = {"al": ["a", "el"], "del": ["de", "el"], "dáselo": ["dá", "se", "lo"], "dámelo": ["dá", "me", "lo"]}


def tables_in_model(model: bytes, tables: bytes) -> bytes:
    """The model file that belongs to these tables."""
    stored = take_apart(model)
    stored.header["settings"]["tables"] = digest(tables)
    header, chunks = whole_header(stored)
    return put_together(stored, json.dumps(header).encode(), chunks)


def multiword_bytes() -> bytes:
    """The file of a tokenizer that has learned a few multiword tokens, and words with spaces inside."""
    tokenizer = _multiword()
    tokenizer.joins = Joins({"el mar", "00 000"})
    words = [(form, parts, "") for form, parts in _FORMS.items() for _ in range(3)]
    tokenizer.splitter = learn([*words, *((word, [word], "") for word in ("va", "mar", "el", "niño", "todo"))])
    return tokenizer.to_bytes()


@cache
def _multiword() -> MultiwordTokenizer:
    nlp = spacy.blank("es")
    return MultiwordTokenizer(nlp.tokenizer, nlp.vocab)


def try_multiword(data: bytes) -> None:
    tokenizer = _multiword()
    before = tokenizer.to_bytes()
    try:
        tokenizer.from_bytes(data)
        for text in TEXTS:
            doc = tokenizer(text)
            assert all(token.text for token in doc), "an empty word"
            assert len(doc) <= 16 * max(1, len(text)), "more words than any token can be split into"
    finally:
        tokenizer.from_bytes(before)


def names_bytes(pipe: Any) -> bytes:
    """A file of names for all features of a model."""
    weights = pipe.explained_weights()
    keys = {side: weights.matrix(side == PAIR)[0].tolist() for side in (NODE, PAIR)}
    names = {side: {key: f"U0:%x[0,ORTH]=wörd{k}" for k, key in enumerate(some)} for side, some in keys.items()}
    with TemporaryDirectory() as folder:
        path = Path(folder, "names.json")
        FeatureNames("mtl_ner", names).write(path)
        return path.read_bytes()


def try_names(pipe: Any, data: bytes) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder, "names.json")
        path.write_bytes(data)
        names = FeatureNames.read(path)
    for side in (NODE, PAIR):
        for weights in state_features(pipe, names, side=side).values():
            assert all(isinstance(weight.feature, str) for weight in weights), "a feature whose name is no text"


def load_into(nlp: Language, data: bytes, tables: bytes | None = None) -> Any:
    """Load a model into the only component of a pipeline, with its tables."""
    pipe: Any = nlp.get_pipe(nlp.pipe_names[0])
    parts = {"model": data} if tables is None else {"model": data, "tables": tables}
    pipe.from_bytes(srsly.msgpack_dumps(parts))
    return pipe


def try_learning_on(nlp: Language, docs: list, tables: bytes | None, data: bytes) -> None:
    """Load a model, and learn on from it, from what it predicts itself: its weights are the prior of another training."""
    pipe = load_into(nlp, data, tables)
    some = docs[:4]
    examples = [Example(_doc(nlp, each), doc) for each, doc in zip(some, nlp.pipe(make_docs(nlp, some)), strict=True)]
    optimizer = nlp.resume_training()
    for _ in range(2):
        losses = nlp.update(examples, sgd=optimizer)
    assert np.isfinite(list(losses.values())).all(), "a loss that is no number"
    for _ in nlp.pipe(make_docs(nlp, some)):
        pass
    pipe.to_bytes(exclude=["vocab"])


def try_explaining(nlp: Language, docs: list, tables: bytes | None, data: bytes) -> None:
    """Load a model and explain what it decides."""
    pipe = load_into(nlp, data, tables)
    for doc in make_docs(nlp, docs[:2]):
        told = pipe.explain(doc)
        assert json.dumps(told.to_dict(), allow_nan=False), "an explanation that JSON cannot hold"


def calibrated_bytes(pipe: Any, docs: list[Doc]) -> bytes:
    """The model file of a component that has been calibrated."""
    one = {"temperature": 1.5, "given": [0.1, 0.5, 0.9], "mapped": [0.2, 0.5, 0.8]}
    pipe.cfg["calibrations"] = dict.fromkeys(pipe.considered(docs).kinds, one)
    return pipe._model_bytes()


def try_confidence(nlp: Language, docs: list, tables: bytes | None, data: bytes) -> None:
    """Load a model and ask how probable is what it predicts, and what else it might."""
    pipe = load_into(nlp, data, tables)
    for doc in make_docs(nlp, docs[:2]):
        told = pipe.probabilities(doc).tokens
        known = told[~np.isnan(told)]
        assert ((known >= -1e-5) & (known <= 1 + 1e-3)).all(), "a probability below 0 or above 1"
        pipe.kbest(doc, 3)


def make_docs(nlp: Language, given: list) -> list[Doc]:
    return [_doc(nlp, each) for each in given]


def _doc(nlp: Language, given: Any) -> Doc:
    return nlp.make_doc(given) if isinstance(given, str) else Doc(nlp.vocab, **given)
