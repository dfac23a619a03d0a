"""Words a second: whole pipelines from raw text, and from Docs, one core, the contestants taking turns."""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pycrfsuite
import spacy
from measure import median
from ner_data import Data, Ours
from ner_ours import learn, warm_up
from ner_spacy import untrained
from spacy.language import Language
from spacy.tokens import Doc

from spacy_mtl.templates.grammar import Observation, TemplateSet

BATCH = 1000
Run = Callable[[], int]

# --- features in Python ---


def attribute(doc: Doc, name: str) -> list[str]:
    """An attribute of every token, as a string."""
    if name.startswith("PREFIX"):
        size = int(name[6:])
        return [token.text[:size] for token in doc]
    if name.startswith("SUFFIX"):
        size = int(name[6:])
        return [token.text[-size:] for token in doc]
    of = {"ORTH": "text", "LOWER": "lower_", "SHAPE": "shape_", "TAG": "tag_"}[name]
    return [getattr(token, of) for token in doc]


class PythonFeatures:
    """The same templates, evaluated in Python: a list of strings for every token, as python-crfsuite takes them.

    A template at a time and not a token at a time, which is the quicker way to write it.
    """

    def __init__(self, templates: TemplateSet):
        self.patterns = [(template.name, template.observations) for template in templates.node]
        self.attributes = templates.attributes
        self.reach = max(abs(obs.offset) for _, observations in self.patterns for obs in observations)

    def __call__(self, doc: Doc) -> list[Sequence[str]]:
        margin = [f"_B{i}" for i in range(self.reach)]
        padded = {name: [*margin, *attribute(doc, name), *margin] for name in self.attributes}
        columns = [self._column(name, observed, padded, len(doc)) for name, observed in self.patterns]
        return list(zip(*columns, strict=True))

    def _column(
        self, name: str, observed: tuple[Observation, ...], padded: dict[str, list[str]], n: int
    ) -> list[str]:
        values = [padded[obs.attr][self.reach + obs.offset : self.reach + obs.offset + n] for obs in observed]
        if len(values) == 1:
            return [f"{name}={value}" for value in values[0]]
        return [f"{name}={'/'.join(group)}" for group in zip(*values, strict=True)]


def crfsuite_model(data: Data, ours: Ours, path: str, iterations: int) -> tuple[PythonFeatures, pycrfsuite.Tagger]:
    """A tagger with a model of full size, trained for a few passes: how well it tags does not matter here."""
    nlp, ner = ours.pipeline(data)
    features = PythonFeatures(ner.model.attrs["templates"])
    trainer = pycrfsuite.Trainer("ap", {"max_iterations": iterations}, verbose=False)
    for doc, tags in zip(data.docs(nlp, "train"), data.gold_tags("train"), strict=True):
        trainer.append(features(doc), tags)
    trainer.train(path)
    tagger = pycrfsuite.Tagger()
    tagger.open(path)
    return features, tagger


# --- contestants ---


def tag_by_form(data: Data, nlp: Language) -> Callable[[Doc], Doc]:
    """A component as cheap as can be that gives each form its most frequent tag: from raw text somebody has to."""
    counts: dict[int, Counter[int]] = {}
    for doc in data.docs(nlp, "train"):
        for orth, tag in doc.to_array(["ORTH", "TAG"]).tolist():
            counts.setdefault(orth, Counter())[tag] += 1
    tags = {orth: found.most_common(1)[0][0] for orth, found in counts.items()}
    noun = next(iter(tags.values()))

    def component(doc: Doc) -> Doc:
        found = [tags.get(orth, noun) for orth in doc.to_array("ORTH").tolist()]
        return doc.from_array(["TAG"], np.array(found, np.uint64).reshape(-1, 1))

    return component


def trained(data: Data, ours: Ours) -> Language:
    """Our pipeline as a user has it: saved, and loaded again."""
    warm_up(data, ours)
    nlp, ner = ours.pipeline(data)
    learn(nlp, ner, ours, data.examples(nlp, "train"))
    with TemporaryDirectory() as folder:
        nlp.to_disk(folder)
        return spacy.load(folder)


def piped(nlp: Language, inputs: Callable[[], Iterable[Any]]) -> Run:
    """Words of one run through ``nlp.pipe``."""
    return lambda: sum(len(doc) for doc in nlp.pipe(inputs(), batch_size=BATCH))


def tagged(nlp: Language, crf: tuple[PythonFeatures, pycrfsuite.Tagger], inputs: Callable[[], Iterable[Any]]) -> Run:
    """The same for python-crfsuite; its tags are thrown away."""
    features, tagger = crf
    return lambda: sum(len(tagger.tag(features(doc))) for doc in nlp.pipe(inputs(), batch_size=BATCH) if len(doc))


def take_turns(runs: dict[str, tuple[Callable[[], None], Run]], repeats: int) -> list[dict[str, Any]]:
    """Words/s of every contestant: (prepare, run), only ``run`` is timed. first_words_per_second: with its caches still empty."""
    seconds: dict[str, list[float]] = {name: [] for name in runs}
    words = dict.fromkeys(runs, 0)
    for _ in range(repeats + 1):
        for name, (prepare, run) in runs.items():
            prepare()
            begin = time.process_time()
            words[name] = run()
            seconds[name].append(time.process_time() - begin)
    return [
        {
            "contestant": name,
            "words": words[name],
            "cpu": seconds[name],
            "first_words_per_second": words[name] / seconds[name][0],
            "words_per_second": words[name] / median(seconds[name][1:]),
        }
        for name in runs
    ]


def fresh(nlp: Language, data: Data, group: int) -> tuple[Callable[[], None], Callable[[], Iterable[Doc]]]:
    """New Docs for each run (a Doc keeps its entities): how to make them, and how to get at them."""
    docs: list[Doc] = []

    def make() -> None:
        docs[:] = data.docs(nlp, "testb", group)

    return make, lambda: docs


def speed(data: dict, ours: dict, repeats: int, group: int, crf_passes: int) -> dict[str, list[dict[str, Any]]]:
    """Rows "text" (from raw text) and "docs" (tokens and tags given), texts of ``group`` sentences of testb."""
    the_data, with_tag = Data(**data), replace(Ours(**ours), tag=True)
    without = replace(with_tag, tag=False)
    ours_tag, ours_raw = trained(the_data, with_tag), trained(the_data, without)
    theirs, blank = untrained(the_data), the_data.blank()
    texts = [doc.text for doc in the_data.docs(blank, "testb", group)]
    with TemporaryDirectory() as folder:
        crf_tag = crfsuite_model(the_data, with_tag, str(Path(folder, "tag")), crf_passes)
        crf_raw = crfsuite_model(the_data, without, str(Path(folder, "raw")), crf_passes)
        from_docs: dict[str, tuple[Callable[[], None], Run]] = {}
        for name, nlp in (("ours, with TAG", ours_tag), ("ours, without TAG", ours_raw), ("spaCy ner", theirs)):
            make, docs = fresh(nlp, the_data, group)
            from_docs[name] = (make, piped(nlp, docs))
        make, docs = fresh(blank, the_data, group)
        from_docs["crfsuite, with TAG"] = (make, tagged(blank, crf_tag, docs))
        from_docs["crfsuite, without TAG"] = (make, tagged(blank, crf_raw, docs))
        rows = take_turns(from_docs, repeats)
        Language.component("benchmark_tags", func=tag_by_form(the_data, ours_tag))
        ours_tag.add_pipe("benchmark_tags", first=True)
        from_text = {
            "tokenizer alone": piped(blank, lambda: texts),
            "ours, without TAG": piped(ours_raw, lambda: texts),
            "ours, with TAG from a list": piped(ours_tag, lambda: texts),
            "spaCy ner": piped(theirs, lambda: texts),
            "crfsuite, without TAG": tagged(blank, crf_raw, lambda: texts),
        }
        return {"text": take_turns({k: (lambda: None, run) for k, run in from_text.items()}, repeats), "docs": rows}
