"""The tagged corpora, and our tagger set up to learn from them."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

from benchmarks.common.significance import counted
from spacy_mtl.components.tagger import MTLTagger
from spacy_mtl.corpora.conll import ConllCorpus

PARTS = ("train", "dev", "test")


@dataclass(frozen=True)
class Source:
    """Where a corpus is: its folder, the files of :data:`PARTS`, its language and its columns (from left to right)."""

    folder: str
    files: tuple[str, str, str]
    lang: str
    columns: tuple[str, ...]


#: Of the Swedish columns the coarse one, the universal parts of speech.
SOURCES = {
    "genia": Source("genia-pos", ("train.tsv", "devel.tsv", "test.tsv"), "en", ("ORTH", "TAG")),
    "swedish": Source(
        "ud-swedish-talbanken",
        ("sv-ud-train.conll", "sv-ud-dev.conll", "sv-ud-test.conll"),
        "sv",
        ("_", "ORTH", "_", "TAG"),
    ),
}


@dataclass(frozen=True)
class Part:
    """Docs as the pipeline gets them, and the same with tags; a sentence each."""

    given: list[Doc]
    references: list[Doc]

    def examples(self) -> list[Example]:
        return [Example(given, reference) for given, reference in zip(self.given, self.references, strict=True)]

    def tags(self) -> list[list[str]]:
        """The gold tags, sentence by sentence."""
        return [[token.tag_ for token in doc] for doc in self.references]

    def __len__(self) -> int:
        return sum(map(len, self.references))


@dataclass(frozen=True)
class Data:
    """Which sentences. corpora: the folder that the corpora are in. name: genia or swedish. limit: training sentences, 0 for all; a fifth as many to
    test."""

    corpora: str
    name: str = "genia"
    limit: int = 0

    def path(self, part: str) -> Path:
        source = SOURCES[self.name]
        return Path(self.corpora, source.folder, source.files[PARTS.index(part)])

    def sentences(self, part: str) -> int:
        """How many to read, 0 for all."""
        return self.limit if part == "train" else self.limit // 5

    def reader(self, part: str) -> dict[str, Any]:
        """Settings of the ConllCorpus of a part."""
        columns = list(SOURCES[self.name].columns)
        return {
            "path": str(self.path(part)),
            "columns": columns,
            "given": [],
            "separator": "\t",
            "limit": self.sentences(part),
        }

    def blank(self) -> Language:
        return spacy.blank(SOURCES[self.name].lang)

    def part(self, nlp: Language, part: str) -> Part:
        """Read a file. Raises ValueError where it is missing."""
        pairs = list(ConllCorpus(**self.reader(part)).docs(nlp.vocab))
        return Part([pair[0] for pair in pairs], [pair[1] for pair in pairs])

    def known_words(self) -> set[str]:
        """The forms of the training part."""
        return {token.text for doc in self.part(self.blank(), "train").references for token in doc}


def accuracy(gold: Part, tags: Iterable[str], known: set[str]) -> dict[str, float]:
    """Percent of right tags: of all tokens, and of those whose form the training part lacks (nan where there is none).

    tags: of all tokens, in order.
    """
    tokens = list(chain.from_iterable(gold.references))
    right = np.array([token.tag_ == tag for token, tag in zip(tokens, tags, strict=True)])
    unknown = np.array([token.text not in known for token in tokens])
    return {
        "accuracy": 100 * float(right.mean()),
        "unknown": 100 * float(right[unknown].mean()) if unknown.any() else float("nan"),
        "unknown_share": 100 * float(unknown.mean()),
    }


def tag_counts(gold: Part, tags: Iterable[str]) -> list[tuple[int, int, int]]:
    """How many tags of each sentence are right, and how many there are, twice, as :class:`.Counts` has it. tags: of all tokens, in order."""
    rest = iter(tags)
    right = [sum(token.tag_ == next(rest) for token in doc) for doc in gold.references]
    return [(n, len(doc), len(doc)) for n, doc in zip(right, gold.references, strict=True)]


def scores(nlp: Language, data: Data) -> dict[str, Any]:
    """accuracy_dev, unknown_dev ... test of a pipeline, from Docs that are tokenized, and the counts of the test sentences."""
    known, found = data.known_words(), {}
    for name in PARTS[1:]:
        part = data.part(nlp, name)
        tags = [token.tag_ for doc in nlp.pipe(part.given, batch_size=1000) for token in doc]
        found |= {f"{key}_{name}": value for key, value in accuracy(part, tags, known).items()}
    return found | counted(tag_counts(part, tags))


@dataclass(frozen=True)
class Ours:
    """Settings of our tagger. patterns: templates in place of pos.v1. megabytes: of the saved model."""

    p: float = 4 / 3
    C: float = 0.2
    average: int = 8
    passes: int = 16
    inner_passes: int = 16
    known_words: int = 0
    min_count: int = 1
    megabytes: float | None = 10.0
    patterns: tuple[str, ...] = ()

    def template_config(self) -> dict[str, Any]:
        if self.patterns:
            return {"@mtl_templates": "spacy_mtl.patterns.v1", "patterns": list(self.patterns)}
        return {"@mtl_templates": "spacy_mtl.pos.v1", "min_count": self.min_count}

    def pipeline(self, data: Data) -> tuple[Language, MTLTagger]:
        """A pipeline with the tagger alone, untrained."""
        nlp = data.blank()
        trainer = {"p": self.p, "C": self.C, "average": self.average, "inner_passes": self.inner_passes, "tol": 1e-3}
        model = {"templates": self.template_config(), "megabytes": self.megabytes}
        config = {"model": model, "trainer": trainer, "known_words": self.known_words}
        pipe = nlp.add_pipe("mtl_tagger", config=config)
        assert isinstance(pipe, MTLTagger)
        return nlp, pipe


def as_settings(data: Data, ours: Ours) -> dict[str, Any]:
    """What a child process is given."""
    return {"data": asdict(data), "ours": asdict(ours)}
