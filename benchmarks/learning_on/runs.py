"""Trainings in memory, each with its CPU seconds: anew on some documents, or on from a model."""

import random
import re
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

from benchmarks.common.rows import Row
from spacy_mtl.corpora.conll import ConllCorpus

NER = {
    "model": {"templates": {"@mtl_templates": "spacy_mtl.ner.v1", "tag": True}},
    "trainer": {"@mtl_trainers": "spacy_mtl.MTLStruct.v1", "p": 1.3333, "C": 0.3, "average": 6},
}
_LEAF = re.compile(r"\(([^()\s]+) ([^()\s]+)\)")
_BRACKETS = {"-LRB-": "(", "-RRB-": ")", "-LCB-": "{", "-RCB-": "}"}


@dataclass(frozen=True)
class Task:
    """A component and the language of its texts. config: of the component. score: the one that counts."""

    lang: str
    factory: str
    config: dict[str, Any]
    score: str

    def blank(self) -> Language:
        nlp = spacy.blank(self.lang)
        nlp.add_pipe(self.factory, config=self.config)
        return nlp

    def weighting_losses(self, C: float) -> "Task":
        """The same with another weight of the losses."""
        return replace(self, config={**self.config, "trainer": {**self.config["trainer"], "C": C}})


ENTITIES = Task("es", "mtl_ner", NER, "ents_f")
TAGS = Task("en", "mtl_tagger", {}, "tag_acc")


Read = Callable[[Language], list[Example]]


def train(task: Task, read: Read, passes: int, model: bytes | None = None, rehearsed: Read | None = None) -> Row:
    """Train anew, or on from a saved model; the model that comes of it, the CPU seconds and the objective. Reading files is not timed.

    rehearsed: texts whose annotation the saved model is to keep.
    """
    nlp = task.blank()
    examples = read(nlp)
    kept = [] if rehearsed is None else [bare(example) for example in rehearsed(nlp)]
    if model is not None:
        nlp.from_bytes(model)
    begin = time.process_time()
    if model is None:
        nlp.initialize(lambda: examples)
    else:
        nlp.resume_training()
    for _ in range(passes):
        nlp.update(examples)
        if kept:
            nlp.rehearse(kept)
    data = nlp.to_bytes()
    cpu = time.process_time() - begin
    report = nlp.get_pipe(task.factory).report  # type: ignore[attr-defined]
    return {"cpu": cpu, "documents": len(examples), "passes": report.passes, "gap": report.gap, "model": data}


def bare(example: Example) -> Example:
    """Without annotation but what is given."""
    return Example(example.predicted, example.predicted.copy())


def scores(task: Task, model: bytes, read: Callable[[Language], list[Example]]) -> dict[str, Any]:
    """spaCy's scores in percent, and those of each label."""
    nlp = task.blank()
    nlp.from_bytes(model)
    found = nlp.evaluate(read(nlp))
    by_type = {kind: 100 * value["f"] for kind, value in (found.get("ents_per_type") or {}).items()}
    return {"score": 100 * found[task.score], **by_type}


def conll(path: Path) -> Callable[[Language], list[Example]]:
    """The documents of a column file of words, tags and entities."""
    return lambda nlp: list(ConllCorpus(path)(nlp))


def tagged(path: Path) -> Callable[[Language], list[Example]]:
    """The documents of a column file of words and tags."""
    return lambda nlp: list(ConllCorpus(path, columns=["ORTH", "TAG"], given=[])(nlp))


def treebank(path: Path) -> Callable[[Language], list[Example]]:
    """The sentences of a file of bracketed trees, with their tags."""

    def read(nlp: Language) -> list[Example]:
        return [_sentence(nlp, line) for line in path.read_text(encoding="utf8").splitlines() if line.strip()]

    return read


def _sentence(nlp: Language, line: str) -> Example:
    leaves = [(tag, word) for tag, word in _LEAF.findall(line) if tag != "-NONE-"]
    words = [_BRACKETS.get(word, word) for _, word in leaves]
    tags = [_BRACKETS.get(tag, tag) for tag, _ in leaves]
    return Example(Doc(nlp.vocab, words=words), Doc(nlp.vocab, words=words, tags=tags))


def part(read: Callable[[Language], list[Example]], begin: float, end: float) -> Callable[[Language], list[Example]]:
    """The documents between two shares of a file."""

    def some(nlp: Language) -> list[Example]:
        examples = read(nlp)
        return examples[int(begin * len(examples)) : int(end * len(examples))]

    return some


def with_label(
    read: Callable[[Language], list[Example]], label: str, wanted: bool
) -> Callable[[Language], list[Example]]:
    """The documents that have an entity of this label, or those that have none."""
    return lambda nlp: [each for each in read(nlp) if any(e.label_ == label for e in each.reference.ents) == wanted]


def first(read: Callable[[Language], list[Example]], n: int) -> Callable[[Language], list[Example]]:
    """The first documents."""
    return lambda nlp: read(nlp)[:n]


def remembered(read: Read) -> Read:
    """The same documents, which are read once and copied for every pipeline."""
    kept: list[tuple[bytes, bytes]] = []

    def again(nlp: Language) -> list[Example]:
        if not kept:
            kept.extend((each.predicted.to_bytes(), each.reference.to_bytes()) for each in read(nlp))
        return [Example(*(Doc(nlp.vocab).from_bytes(side) for side in pair)) for pair in kept]

    return again


def drawn(read: Callable[[Language], list[Example]], n: int, seed: int) -> Callable[[Language], list[Example]]:
    """Some documents, drawn at random."""
    return lambda nlp: random.Random(seed).sample(read(nlp), n)


def both(*reads: Callable[[Language], list[Example]]) -> Callable[[Language], list[Example]]:
    """The documents of several files."""
    return lambda nlp: [example for read in reads for example in read(nlp)]


def rows(mode: str, trained: Sequence[tuple[str, Row]], score: Callable[[bytes], dict[str, Any]]) -> Iterator[Row]:
    """A row for each training, with its scores."""
    for contestant, row in trained:
        about = {"benchmark": "learning_on", "mode": mode, "contestant": contestant}
        yield {**about, **{key: value for key, value in row.items() if key != "model"}, **score(row["model"])}
