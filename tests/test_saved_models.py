"""Models saved by an earlier version load, and predict what they predicted when they were saved (see tests/data/saved/README.md)."""

import json
from pathlib import Path

import numpy as np
import pytest
import spacy
from scipy import sparse
from spacy.tokens import Doc

from spacy_mtl.sequences import Categories, KernelBlock, load, save

SAVED = Path(__file__).parent / "data" / "saved"
PIPELINES = sorted(path.parent.name for path in SAVED.glob("*/config.cfg"))
#: spaCy's warning about a model of another version of spaCy: what these files are for
pytestmark = pytest.mark.filterwarnings("ignore:.*W095")


def documents(name):
    """Documents as they were given, and what the model found in each."""
    rows = json.loads((SAVED / name / "documents.json").read_text(encoding="utf8"))
    return [row.pop("doc") for row in rows], rows


def load_pipeline(path):
    """Where no tokenizer was saved, the documents are tokenized already."""
    return spacy.load(path, exclude=[] if (path / "tokenizer").exists() else ["tokenizer"])


def predictions(nlp, given, wanted):
    """What the pipeline finds, of each document the same annotation as in ``wanted``."""
    docs = [doc if isinstance(doc, str) else Doc(nlp.vocab, **doc) for doc in given]
    return [{key: READ[key](doc) for key in row} for doc, row in zip(nlp.pipe(docs), wanted, strict=True)]


READ = {
    "words": lambda doc: [token.text for token in doc],
    "ents": lambda doc: [[ent.start, ent.end, ent.label_] for ent in doc.ents],
    "tags": lambda doc: [token.tag_ for token in doc],
    "pos": lambda doc: [token.pos_ for token in doc],
    "heads": lambda doc: [token.head.i for token in doc],
    "morphs": lambda doc: [str(token.morph) for token in doc],
    "lemmas": lambda doc: [token.lemma_ for token in doc],
    "starts": lambda doc: [token.is_sent_start for token in doc],
    "deps": lambda doc: [token.dep_ for token in doc],
    "constituents": lambda doc: [[span.start, span.end, span.label_] for span in doc.spans["constituents"]],
}


@pytest.mark.parametrize("name", PIPELINES)
def test_pipeline(name, tmp_path):
    nlp = load_pipeline(SAVED / name)
    given, wanted = documents(name)
    assert predictions(nlp, given, wanted) == wanted
    nlp.to_disk(tmp_path)
    assert predictions(spacy.load(tmp_path), given, wanted) == wanted


def test_every_component_is_here_and_finds_something():
    found = {key: set() for key in READ}
    for name in PIPELINES:
        for row in documents(name)[1]:
            for key, values in row.items():
                found[key] |= {str(value) for value in values}
    assert {key for key, values in found.items() if len(values) > 3} == set(READ) - {"starts"}
    assert any(True in row["starts"][1:] for row in documents("borders")[1])
    factories = {
        factory for name in PIPELINES for factory in spacy.util.load_meta(SAVED / name / "meta.json")["components"]
    }
    columns = {"mtl_morphologizer", "mtl_lemmatizer", "mtl_senter"}
    assert factories == columns | {"mtl_ner", "mtl_tagger", "mtl_segmenter", "mtl_parser", "mtl_constituents"}


def blocks(vectors, columns):
    return {
        "dense": vectors,
        "sparse": sparse.csr_array(np.where(vectors > 0.5, vectors, 0)),
        "codes": Categories(columns),
        "near": KernelBlock(vectors, "gaussian", sigma2=2.0, normalize=True),
        "spline": KernelBlock(vectors, "b1_spline", zeros=0.9),
        "square": KernelBlock(sparse.csr_array(vectors), "quadratic", offset=1.0),
    }


def test_sequences(tmp_path):
    given = np.load(SAVED / "sequences" / "positions.npz")
    X = blocks(given["vectors"], given["columns"])
    model = load(SAVED / "sequences" / "model.npz")
    np.testing.assert_array_equal(model.predict(X, given["lengths"]), given["labels"])
    save(model, tmp_path / "model.npz")
    np.testing.assert_array_equal(load(tmp_path / "model.npz").predict(X, given["lengths"]), given["labels"])


def test_files_stay_small():
    assert sum(path.stat().st_size for path in SAVED.rglob("*") if path.is_file()) < 300_000
