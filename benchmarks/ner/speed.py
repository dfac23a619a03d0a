"""Words a second: whole pipelines from raw text, and from Docs, one core, the contestants taking turns.

Each reads the training text, with all its caches empty; then the test texts, whose rarer words are new to it, as in a program that has been running
for a while; then the same texts again.
"""

import gc
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pycrfsuite
import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.util import registry
from spacy.vocab import Vocab

from benchmarks.common.measure import median
from spacy_mtl.sentences import borders
from spacy_mtl.templates.attributes.context import CONTEXT_ATTRIBUTES
from spacy_mtl.templates.attributes.learned import USUAL_TAG, learned_function
from spacy_mtl.templates.attributes.reader import AttributeReader, lexical_function
from spacy_mtl.templates.grammar import Observation, TemplateSet

from .data import Data, Ours
from .ours import learn, warm_up
from .spacy_rival import untrained

BATCH = 1000
#: Texts or Docs to words read.
Reader = Callable[[Iterable[Any]], int]

# --- features in Python ---


def attribute(doc: Doc, name: str) -> list[str]:
    """An attribute of every token, as a string."""
    if name.startswith("PREFIX"):
        size = int(name[6:])
        return [token.text[:size] for token in doc]
    if name.startswith("SUFFIX"):
        size = int(name[6:])
        return [token.text[-size:] for token in doc]
    of = {"ORTH": "text", "LOWER": "lower_", "SHAPE": "shape_", "TAG": "tag_"}
    if name in of:
        return [getattr(token, of[name]) for token in doc]
    function = lexical_function(name)
    assert function is not None, name
    return [str(function(token.text)) for token in doc]


class PythonFeatures:
    """The same templates, evaluated in Python: a list of strings for every token, as python-crfsuite takes them.

    A template at a time and not a token at a time, which is the quicker way to write it. The attributes that look beyond the window come from our
    own kernels, for a whole document at once. usual_tags: of frequent words, where templates read them.
    """

    def __init__(self, templates: TemplateSet, vocab: Vocab, usual_tags: Mapping[str, str] | None = None):
        self.usual = learned_function(USUAL_TAG, {USUAL_TAG: usual_tags or {}})
        self.patterns = [(template.name, template.observations) for template in templates.node]
        self.reach = max(abs(obs.offset) for _, observations in self.patterns for obs in observations)
        self.simple = [name for name in templates.attributes if name not in CONTEXT_ATTRIBUTES]
        self.context = [name for name in templates.attributes if name in CONTEXT_ATTRIBUTES]
        self.reader = AttributeReader(self.context, vocab)

    def __call__(self, doc: Doc) -> list[Sequence[str]]:
        margin = [f"_B{i}" for i in range(self.reach)]
        padded = {name: [*margin, *values, *margin] for name, values in self._attributes(doc)}
        columns = [self._column(name, observed, padded, len(doc)) for name, observed in self.patterns]
        return list(zip(*columns, strict=True))

    def _attributes(self, doc: Doc) -> Iterator[tuple[str, list[str]]]:
        for name in self.simple:
            usual = name == USUAL_TAG
            yield name, [self.usual(token.text) for token in doc] if usual else attribute(doc, name)
        if self.context:
            columns = self.reader.read([doc], borders([doc]))
            for name in self.context:
                yield name, list(map(str, columns[self.reader.columns[name]].tolist()))

    def _column(self, name: str, observed: tuple[Observation, ...], padded: dict[str, list[str]], n: int) -> list[str]:
        values = [padded[obs.attr][self.reach + obs.offset : self.reach + obs.offset + n] for obs in observed]
        if len(values) == 1:
            return [f"{name}={value}" for value in values[0]]
        return [f"{name}={'/'.join(group)}" for group in zip(*values, strict=True)]


def save_crfsuite(data: Data, ours: Ours, path: str, iterations: int) -> None:
    """A model of full size, trained for a few passes: how well it tags does not matter here."""
    nlp, ner = ours.pipeline(data)
    features = PythonFeatures(ner.model.attrs["templates"], nlp.vocab)
    trainer = pycrfsuite.Trainer("ap", {"max_iterations": iterations}, verbose=False)
    part = data.part(nlp, "train")
    rows = part.sentences(row for doc in part.given for row in features(doc))
    for sentence, tags in zip(rows, part.tags, strict=True):
        trainer.append(sentence, tags)
    trainer.train(path)


# --- contestants ---


def tag_by_form(data: Data, nlp: Language) -> Callable[[Doc], Doc]:
    """A component as cheap as can be that gives each form its most frequent tag: from raw text somebody has to."""
    counts: dict[int, Counter[int]] = {}
    for doc in data.part(nlp, "train").given:
        for orth, tag in doc.to_array(["ORTH", "TAG"]).tolist():
            counts.setdefault(orth, Counter())[tag] += 1
    tags = {orth: found.most_common(1)[0][0] for orth, found in counts.items()}
    noun = next(iter(tags.values()))

    def component(doc: Doc) -> Doc:
        found = [tags.get(orth, noun) for orth in doc.to_array("ORTH").tolist()]
        return doc.from_array(["TAG"], np.array(found, np.uint64).reshape(-1, 1))  # type: ignore[arg-type]

    return component


def save(data: Data, ours: Ours, folder: str) -> None:
    """Train ours and write the pipeline, for users to load."""
    warm_up(data, ours)
    nlp, ner = ours.pipeline(data)
    learn(nlp, ner, ours, data.part(nlp, "train").examples())
    nlp.to_disk(folder)


def piped(nlp: Language) -> Reader:
    """Through ``nlp.pipe``."""
    return lambda inputs: sum(len(doc) for doc in nlp.pipe(inputs, batch_size=BATCH))


def tagged(nlp: Language, ours: Ours, path: str) -> Reader:
    """Through a blank pipeline and python-crfsuite; its tags are thrown away."""
    templates = registry.resolve({"templates": ours.template_config()})["templates"]
    features, tagger = PythonFeatures(templates, nlp.vocab), pycrfsuite.Tagger()
    tagger.open(path)
    return lambda inputs: sum(len(tagger.tag(features(doc))) for doc in nlp.pipe(inputs, batch_size=BATCH) if len(doc))


def portions(data: Data, nlp: Language, n: int) -> list[list[Doc]]:
    """The training text, then testa and testb in ``n`` portions, then these portions once more."""
    train, testa, testb = (data.part(nlp, part).given for part in ("train", "testa", "testb"))
    cuts = np.linspace(0, len(testa) + len(testb), n + 1).astype(int)
    again = [doc.copy() for doc in (*testa, *testb)]
    return [train, *([*testa, *testb][a:b] for a, b in pairwise(cuts)), *(again[a:b] for a, b in pairwise(cuts))]


def take_turns(readers: dict[str, tuple[Reader, list[list[Any]]]]) -> list[dict[str, Any]]:
    """A row for each (reader, portions): words/s of the training text, and medians over the other portions, new and read again."""
    gc.collect()
    gc.freeze()  # what waits in memory for its turn is not to slow the others down
    speeds: dict[str, list[float]] = {name: [] for name in readers}
    n_portions = len(next(iter(readers.values()))[1])
    for k in range(n_portions):
        for name, (read, inputs) in readers.items():
            begin = time.process_time()
            n_words = read(inputs[k])
            speeds[name].append(n_words / (time.process_time() - begin))
    middle = (n_portions + 1) // 2
    return [
        {
            "contestant": name,
            "from_empty_caches": found[0],
            "new_text": median(found[1:middle]),
            "known_text": median(found[middle:]),
            "runs": found,
        }
        for name, found in speeds.items()
    ]


def from_docs(data: Data, ours: Ours, folder: str, n: int) -> list[dict[str, Any]]:
    """Words/s where tokens and tags are given. Every contestant has Docs of its own: a Doc keeps the entities it gets."""
    pipelines = {
        "ours, with TAG": spacy.load(f"{folder}/ours-tag"),
        "ours, without TAG": spacy.load(f"{folder}/ours"),
        "spaCy ner": untrained(data),
    }
    contestants = {name: (piped(nlp), portions(data, nlp, n)) for name, nlp in pipelines.items()}
    for name, tag in (("crfsuite, with TAG", True), ("crfsuite, without TAG", False)):
        nlp = data.blank()
        reader = tagged(nlp, replace(ours, tag=tag), f"{folder}/crf-tag" if tag else f"{folder}/crf")
        contestants[name] = (reader, portions(data, nlp, n))
    return take_turns(contestants)


def from_text(data: Data, ours: Ours, folder: str, n: int) -> list[dict[str, Any]]:
    """Words/s from raw text, tokenizer included. Docs carry no sentence borders."""
    tagging = spacy.load(f"{folder}/ours-tag")
    Language.component("benchmark_tags", func=tag_by_form(data, tagging))
    tagging.add_pipe("benchmark_tags", first=True)
    contestants = {
        "tokenizer alone": piped(data.blank()),
        "ours, without TAG": piped(spacy.load(f"{folder}/ours")),
        "ours, with TAG from a list": piped(tagging),
        "spaCy ner": piped(untrained(data)),
        "crfsuite, without TAG": tagged(data.blank(), replace(ours, tag=False), f"{folder}/crf"),
    }
    texts = [[doc.text for doc in portion] for portion in portions(data, data.blank(), n)]
    return take_turns({name: (read, texts) for name, read in contestants.items()})


def speed(data: dict, ours: dict, repeats: int, crf_passes: int) -> dict[str, list[dict[str, Any]]]:
    """Rows "text" and "docs"."""
    the_data, settings = Data(**data), Ours(**ours)
    with TemporaryDirectory() as folder:
        for tag, suffix in ((True, "-tag"), (False, "")):
            save(the_data, replace(settings, tag=tag), f"{folder}/ours{suffix}")
            save_crfsuite(the_data, replace(settings, tag=tag), f"{folder}/crf{suffix}", crf_passes)
        return {
            "text": from_text(the_data, settings, folder, repeats),
            "docs": from_docs(the_data, settings, folder, repeats),
        }
