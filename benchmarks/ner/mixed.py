"""One model for documents and for single sentences: trained on documents, on sentences, and on documents and a share of the sentences."""

from typing import Any

from benchmarks.common.measure import cpu_seconds
from spacy_mtl.corpora.conll import ConllCorpus
from spacy_mtl.models.chain.model import current_weights

from .data import COLUMNS, Data, Ours
from .ours import scores, warm_up


def train(data: dict, ours: dict, group: int, singles: float, parts: list[str]) -> dict[str, Any]:
    """Train on documents of ``group`` sentences (0: of the file) and a share of single sentences; F1 on both forms of ``parts``, and CPU seconds."""
    corpus, settings = Data(**data), Ours(**ours)
    warm_up(corpus, settings)
    nlp, ner = settings.pipeline(corpus)
    reader = ConllCorpus(corpus.path("train"), COLUMNS, group=group, singles=singles, limit=corpus.limit)
    examples = list(reader(nlp))

    def run() -> None:
        nlp.initialize(lambda: examples)
        for _ in range(-(-settings.passes // settings.inner_passes)):
            nlp.update(examples)
        current_weights(ner.model)

    row: dict[str, Any] = {"cpu": cpu_seconds(run), "examples": len(examples)}
    for part in parts:
        for form, size in (("documents", corpus.group), ("sentences", 1)):
            found = scores(nlp, Data(corpus.corpora, corpus.lang, corpus.limit, size), part)
            row[f"f1_{part}_{form}"] = found[f"f1_{part}"]
    return row
