"""Words a second of whole pipelines, from raw text and from tokens, one core, the contestants taking turns (see ner/speed.py)."""

from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pycrfsuite
import spacy
from spacy.language import Language
from spacy.tokens import Doc
from thinc.api import Model

from benchmarks.ner.speed import BATCH, PythonFeatures, Reader, piped, take_turns
from spacy_mtl.templates.attributes.learned import USUAL_TAG

from .data import Data, Ours
from .ours import learn, settings_of, warm_up
from .spacy_rival import untrained


def portions(data: Data, nlp: Language, n: int) -> list[list[Doc]]:
    """The training part, then dev and test in ``n`` portions, then these portions once more."""
    train, dev, test = (data.part(nlp, part).given for part in ("train", "dev", "test"))
    new = [*dev, *test]
    again = [doc.copy() for doc in new]
    cuts = np.linspace(0, len(new), n + 1).astype(int)
    return [train, *(new[a:b] for a, b in pairwise(cuts)), *(again[a:b] for a, b in pairwise(cuts))]


def crfsuite(data: Data, model: Model, path: Path, iterations: int) -> tuple[Reader, Language]:
    """Through a blank pipeline and python-crfsuite, trained online for a few passes: a model of full size, how well it tags does not matter here."""
    nlp = data.blank()
    features = PythonFeatures(model.attrs["templates"], nlp.vocab, model.attrs["learned"].get(USUAL_TAG))
    trainer = pycrfsuite.Trainer("ap", verbose=False)
    trainer.set("max_iterations", iterations)
    part = data.part(nlp, "train")
    for doc, tags in zip(part.given, part.tags(), strict=True):
        trainer.append(features(doc), tags)
    trainer.train(str(path))
    tagger = pycrfsuite.Tagger()
    tagger.open(str(path))
    return lambda inputs: sum(len(tagger.tag(features(doc))) for doc in nlp.pipe(inputs, batch_size=BATCH)), nlp


def speed(data: dict, ours: dict, repeats: int, crf_passes: int) -> dict[str, list[dict[str, Any]]]:
    """Rows "text" and "docs". crf_passes: 0 leaves python-crfsuite out."""
    the_data, settings = Data(**data), settings_of(ours)
    with TemporaryDirectory() as folder:
        model = save(the_data, settings, folder)
        from_docs, from_text = {}, {"tokenizer alone": piped(the_data.blank())}
        for source in ("docs", "text"):
            nlp = spacy.load(folder)
            readers: dict[str, tuple[Reader, Language]] = {"ours": (piped(nlp), nlp)}
            nlp = untrained(the_data)
            readers["spaCy tagger"] = piped(nlp), nlp
            if crf_passes:
                readers["crfsuite"] = crfsuite(the_data, model, Path(folder, "crf"), crf_passes)
            if source == "docs":  # a Doc keeps the tags it gets: every contestant has its own
                from_docs = {name: (read, portions(the_data, nlp, repeats)) for name, (read, nlp) in readers.items()}
            else:
                from_text |= {name: read for name, (read, _) in readers.items()}
        texts = [[doc.text for doc in portion] for portion in portions(the_data, the_data.blank(), repeats)]
        return {
            "text": take_turns({name: (read, texts) for name, read in from_text.items()}),
            "docs": take_turns(from_docs),
        }


def save(data: Data, ours: Ours, folder: str) -> Model:
    """Train ours and write the pipeline, for users to load; returns its model."""
    warm_up(data, ours)
    nlp, tagger = ours.pipeline(data)
    learn(nlp, tagger, ours, data.part(nlp, "train").examples())
    nlp.to_disk(folder)
    return tagger.model
