"""The CoNLL-2002 files, and our recognizer set up to learn from them."""

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


@dataclass(frozen=True)
class Data:
    """Which sentences. corpora: folder with ``conll2002``. lang: esp or ned. limit: training sentences, 0 for all; half as many to test."""

    corpora: str
    lang: str = "esp"
    limit: int = 0

    def path(self, part: str) -> Path:
        """File of ``train``, ``testa`` or ``testb``."""
        return Path(self.corpora, "conll2002", f"{self.lang}.{part}")

    def _limit(self, part: str) -> int:
        return self.limit if part == "train" else self.limit // 2

    def blank(self) -> Language:
        return spacy.blank(LANGUAGES[self.lang])

    def examples(self, nlp: Language, part: str) -> list[Example]:
        """Sentences as Examples, part-of-speech tags given. Raises ValueError where the file is missing."""
        return list(ConllCorpus(self.path(part), COLUMNS, limit=self._limit(part))(nlp))

    def docs(self, nlp: Language, part: str, group: int = 1) -> list[Doc]:
        """Docs of ``group`` sentences each, with tags and without entities."""
        corpus = ConllCorpus(self.path(part), COLUMNS, group=group, limit=self._limit(part) // group)
        return [given for given, _, _ in corpus.docs(nlp.vocab)]

    def gold_tags(self, part: str) -> list[list[str]]:
        """Tags of every sentence as they stand in the file."""
        sentences = read_columns(self.path(part), COLUMNS)
        return [sentence.fields["ENT"] for sentence in islice(sentences, self._limit(part) or None)]


@dataclass(frozen=True)
class Ours:
    """Settings of our recognizer. templates: conll2002.v1 or ner.v1. tag: whether ner.v1 reads part-of-speech tags."""

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
DEFAULTS = {"conll2002.v1": Ours("conll2002.v1", True, 1.0, 1.0, "iob2", 1), "ner.v1": Ours()}


def as_settings(data: Data, ours: Ours) -> dict[str, Any]:
    """What a child process is given."""
    return {"data": asdict(data), "ours": asdict(ours)}
