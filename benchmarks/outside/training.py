"""What clusters, attributes of noisy text and the bias add to ``ner.v1``."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import spacy
from spacy.language import Language
from spacy.training import Example

from benchmarks.common.measure import cpu_seconds
from benchmarks.common.significance import Counts, compare
from spacy_mtl.clustering.learn import learn_clusters
from spacy_mtl.clustering.neighbours import count_neighbours
from spacy_mtl.clustering.sentences import sentences_of
from spacy_mtl.corpora.conll import ConllCorpus
from spacy_mtl.learning.counted.corpus_lists import CorpusLists
from spacy_mtl.models.chain.model import current_weights
from spacy_mtl.tables.clusters import ClusterTable
from spacy_mtl.tables.corpus_phrases import corpus_phrases
from spacy_mtl.tables.lookups import read_lookups
from spacy_mtl.tables.phrases import PhraseList


@dataclass(frozen=True)
class Task:
    """files: of training, development and test. tag: whether the corpus has tags, which are given. texts: files that clusters are learned from; none
    for those of spaCy's lookups."""

    lang: str
    files: tuple[str, str, str]
    columns: tuple[str, ...]
    tag: bool = False
    texts: tuple[str, ...] = ()


_NCBI = tuple(f"ncbi-disease/{part}.tsv" for part in ("train", "devel", "test"))
TASKS = {
    "esp": Task("es", ("conll2002/esp.train", "conll2002/esp.testa", "conll2002/esp.testb"), ("ORTH", "TAG", "ENT"), True),
    "wnut17": Task("en", ("wnut17/train.conll", "wnut17/dev.conll", "wnut17/test.conll"), ("ORTH", "ENT")),
    "ncbi": Task("en", _NCBI, ("ORTH", "ENT"), texts=("genia-pos/train.tsv", _NCBI[0])),
}  # fmt: skip
#: Sentences of a Doc.
GROUP = 10


@dataclass(frozen=True)
class Settings:
    """Of one training.

    classes, min_count: of clusters from the task's texts; 0 classes for none, or for lookups where the task has no texts. folds: of a list of the
    corpus's own entities for each label; 0 for none, 1 for lists that know the whole corpus in training, too. crf: trained by likelihood, C = 1.
    """

    clusters: bool = False
    noisy: bool = False
    cost: float = 1.0
    tuned: bool = False
    classes: int = 0
    min_count: int = 0
    C: float = 0.3
    group: int = GROUP
    folds: int = 0
    scheme: str = "biluo"
    crf: bool = False

    def trainer(self) -> dict[str, Any]:
        """The block of the trainer, which learns enough in a single update."""
        if self.crf:
            return {"@mtl_trainers": "spacy_mtl.CRF.v1", "C": 1.0, "inner_passes": 100}
        return {"C": self.C, "average": 12, "inner_passes": 20}


#: Without and with clusters, of each task: settings of the lowest error on development data, each of the two with what suits it best.
CHOSEN = {
    "esp": (Settings(), Settings(clusters=True)),
    "wnut17": (Settings(cost=3.0, tuned=True), Settings(clusters=True, cost=3.0, tuned=True)),
    "ncbi": (Settings(), Settings(clusters=True, classes=100, min_count=8, folds=2)),
}


def examples(nlp: Language, corpora: str, task: Task, part: int, group: int, limit: int = 0) -> list[Example]:
    """Examples of a file. limit: so many sentences, 0 for all."""
    given = ["TAG"] if task.tag else []
    reader = ConllCorpus(
        Path(corpora, task.files[part]), columns=list(task.columns), group=1 if limit else group, given=given
    )
    return list(islice(reader(nlp), limit or None))


def table_for(corpora: str, task: Task, settings: Settings) -> ClusterTable:
    """The clusters that a task reads."""
    if not task.texts:
        return read_lookups(task.lang)
    sentences = (s for name in task.texts for s in sentences_of(Path(corpora, name), str.split))
    text = count_neighbours(sentences, settings.min_count)
    assert text is not None
    entries = sorted(learn_clusters(text, settings.classes, 15).entries, key=lambda entry: -entry[2])
    return ClusterTable.of((word, path) for path, word, _ in entries)


def corpus_lists(found: Sequence[Example], folds: int) -> dict[str, PhraseList]:
    """A list for each label of the corpus."""
    labels = sorted({ent.label_ for example in found for ent in example.reference.ents}) if folds else []
    lists = {f"LIST_{label.replace('-', '_')}": corpus_phrases(label, folds=max(folds, 2)) for label in labels}
    if folds == 1:
        references = [example.reference for example in found]
        CorpusLists(references, [str(k).encode() for k in range(len(found))], lists)  # fills them
        return {name: PhraseList(phrases) for name, phrases in lists.items()}
    return lists


def counts(nlp: Language, found: Sequence[Example]) -> Counts:
    """Right, found and gold entities of each Doc."""
    rows = []
    for example in found:
        doc = nlp(example.predicted.copy())
        predicted, gold = ({(e.start, e.end, e.label_) for e in each.ents} for each in (doc, example.reference))
        rows.append((len(predicted & gold), len(predicted), len(gold)))
    return Counts(*np.array(rows, np.int64).reshape(-1, 3).T)


def add_recognizer(nlp: Language, task: Task, settings: Settings, lists: Sequence[str] = ()) -> Any:
    """An untrained recognizer, in a pipeline. lists: names of lists that its templates read."""
    templates = {
        "@mtl_templates": "spacy_mtl.ner.v1",
        "tag": task.tag,
        "clusters": settings.clusters,
        "noisy": settings.noisy,
        "lists": list(lists),
    }
    config: dict[str, Any] = {
        "model": {"templates": templates},
        "scheme": settings.scheme,
        "costs": {} if settings.cost == 1.0 else {"*>O": settings.cost},
        "trainer": settings.trainer(),
    }
    return nlp.add_pipe("mtl_ner", config=config)


def train(corpora: str, task: Task, settings: Settings, limit: int = 0) -> tuple[dict[str, Any], list[Counts]]:
    """A row of a training, and the counts of the development and test part."""
    nlp = spacy.blank(task.lang)
    training = examples(nlp, corpora, task, 0, settings.group, limit)
    lists = corpus_lists(training, settings.folds)
    ner = add_recognizer(nlp, task, settings, list(lists))
    tables: dict[str, ClusterTable] = {}
    cpu_table = (
        cpu_seconds(lambda: tables.update(CLUSTER=table_for(corpora, task, settings))) if settings.clusters else 0
    )
    others = [examples(nlp, corpora, task, part, 1 if limit else settings.group) for part in (1, 2)]

    def learn(some: list[Example]) -> None:
        ner.initialize(lambda: some, nlp=nlp, tables={**tables, **lists})
        nlp.update(some)
        current_weights(ner.model)

    learn([each for each in training if each.reference.ents][:GROUP])  # compiles, and so is not measured
    cpu = cpu_seconds(lambda: learn(training))
    if settings.tuned:
        ner.tune_bias(others[0])
    found = [counts(nlp, each) for each in others]
    row = {"contestant": "ours", **vars(settings), "bias": ner.bias, "cpu": cpu, "cpu_table": cpu_table}
    return row | {f"f1_{part}": each.score() for part, each in zip(("dev", "test"), found, strict=True)}, found


def against(corpora: str, name: str, plain: Settings, more: Settings) -> list[dict[str, Any]]:
    """Rows of two trainings; the second has the difference on test, with its significance, and the ratio of CPU seconds."""
    task = TASKS[name]
    (first, before), (second, after) = (train(corpora, task, each) for each in (plain, more))
    verdict = compare(after[1], before[1])
    second |= {"difference": verdict.difference, "significance": verdict.p, "ratio": second["cpu"] / first["cpu"]}
    return [{"task": name, **row} for row in (first, second)]
