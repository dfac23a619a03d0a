"""The CoNLL-2002 files, and our recognizer set up to learn from them."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

from spacy_mtl.components.ner import MTLEntityRecognizer
from spacy_mtl.corpora.columns import read_columns
from spacy_mtl.corpora.conll import ConllCorpus

LANGUAGES = {"esp": "es", "ned": "nl"}
COLUMNS = ("ORTH", "TAG", "ENT")


#: Label pairs with words and shapes, as the edges of the exponentiated-gradient paper have them, besides templates of single labels.
EDGES = [
    *(f"U{k}:%x[{at},{attr}]" for k, (at, attr) in enumerate(
        [(at, attr) for attr in ("LOWER", "SHAPE", "PREFIX3", "SUFFIX3") for at in (-1, 0, 1)]
    )),
    "B",
    *(f"B{k}:%x[{at},{attr}]" for k, (at, attr) in enumerate(
        [(at, attr) for attr in ("LOWER", "SHAPE") for at in (-2, -1, 0, 1)]
    )),
]  # fmt: skip
#: Sentences of a Doc, where the user does not say; 0: the documents of the file (the Spanish files do not mark them).
GROUPS = {"esp": 10, "ned": 0}


@dataclass(frozen=True)
class Part:
    """Docs as the pipeline gets them (tags given), the same with entities, and the entity tags of each sentence as they stand in the file."""

    given: list[Doc]
    references: list[Doc]
    tags: list[list[str]]

    def examples(self) -> list[Example]:
        return [Example(given, reference) for given, reference in zip(self.given, self.references, strict=True)]

    def sentences(self, values: Iterable[Any]) -> list[list[Any]]:
        """Values of all tokens, in order, sentence by sentence."""
        rest = iter(values)
        return [list(islice(rest, len(tags))) for tags in self.tags]


@dataclass(frozen=True)
class Data:
    """Which sentences.

    corpora: folder with ``conll2002``. lang: esp or ned. limit: training sentences (or a few more, to the end of a Doc), 0 for all; half as many
    to test. group: sentences of a Doc, None for GROUPS.
    """

    corpora: str
    lang: str = "esp"
    limit: int = 0
    group: int | None = None

    def path(self, part: str) -> Path:
        """File of ``train``, ``testa`` or ``testb``."""
        return Path(self.corpora, "conll2002", f"{self.lang}.{part}")

    def sentences(self, part: str) -> int:
        """How many to read, 0 for all."""
        return self.limit if part == "train" else self.limit // 2

    def blank(self) -> Language:
        return spacy.blank(LANGUAGES[self.lang])

    def part(self, nlp: Language, part: str, group: int | None = None) -> Part:
        """Read a file. Raises ValueError where it is missing."""
        size = next(n for n in (group, self.group, GROUPS[self.lang]) if n is not None)
        limit, n_read = self.sentences(part), 0
        given, references = [], []
        for predicted, reference, n_sentences in ConllCorpus(self.path(part), COLUMNS, group=size).docs(nlp.vocab):
            given.append(predicted)
            references.append(reference)
            n_read += n_sentences
            if limit and n_read >= limit:
                break
        sentences = islice(read_columns(self.path(part), COLUMNS), n_read)
        return Part(given, references, [sentence.fields["ENT"] for sentence in sentences])


@dataclass(frozen=True)
class Ours:
    """Settings of our recognizer. templates: conll2002.v1, ner.v1 or "edges". tag: whether ner.v1 reads part-of-speech tags."""

    templates: str = "ner.v1"
    tag: bool = True
    p: float = 4 / 3
    C: float = 0.3
    scheme: str = "biluo"
    average: int = 6
    passes: int = 12
    inner_passes: int = 1
    megabytes: float | None = 10.0

    def template_config(self) -> dict[str, Any]:
        if self.templates == "edges":
            return {"@mtl_templates": "spacy_mtl.patterns.v1", "patterns": EDGES}
        config: dict[str, Any] = {"@mtl_templates": f"spacy_mtl.{self.templates}"}
        return config if self.templates == "conll2002.v1" else {**config, "tag": self.tag}

    def config(self) -> dict[str, Any]:
        """Of the factory mtl_ner."""
        return {
            "model": {"templates": self.template_config(), "megabytes": self.megabytes},
            "scheme": self.scheme,
            "trainer": {
                "p": self.p,
                "C": self.C,
                "average": self.average,
                "inner_passes": self.inner_passes,
                "tol": 1e-3,
            },
        }

    def pipeline(self, data: Data) -> tuple[Language, MTLEntityRecognizer]:
        """A pipeline with the recognizer alone, untrained."""
        nlp = data.blank()
        pipe = nlp.add_pipe("mtl_ner", config=self.config())
        assert isinstance(pipe, MTLEntityRecognizer)
        return nlp, pipe


#: The best settings known for each template set.
DEFAULTS = {
    "conll2002.v1": Ours("conll2002.v1", True, 1.0, 1.0, "biluo", average=1, passes=20, inner_passes=20),
    "ner.v1": Ours(average=12, passes=20, inner_passes=20),
}


def as_settings(data: Data, ours: Ours) -> dict[str, Any]:
    """What a child process is given."""
    return {"data": asdict(data), "ours": asdict(ours)}
