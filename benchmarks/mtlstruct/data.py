"""The corpora of the paper's chains as problems: CoNLL-2002 with the tags of the files, and Chinese characters."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
from spacy.tokens import Doc
from spacy.training import iob_to_biluo

from benchmarks.common.significance import Counts
from benchmarks.common.spans import spans
from benchmarks.structreg.data import Extractor, Task, accuracy, predict, read_words
from spacy_mtl.components.entity_tags import tag_constraints
from spacy_mtl.corpora.columns import read_columns
from spacy_mtl.learning.gather import Piece
from spacy_mtl.structures.chain.build import Constraints
from spacy_mtl.structures.contract import Weights
from spacy_mtl.structures.problem import Problem, block_starts
from spacy_mtl.templates.grammar import TemplateSet
from spacy_mtl.templates.presets import conll2002, tp1, tp2
from spacy_mtl.trainers.online.perceptron import Perceptron

#: Of the Chinese training text, one sentence in so many is for development.
HELD_OUT = 10
#: words, labels, and part-of-speech tags or None
Sentence = tuple[list[str], list[str], list[str] | None]
#: TP2 where a digit or a letter is the same whatever its width. In PKU those of the training text are wide, those of the test text narrow.
ANY_WIDTH = "tp2-any-width"
#: What the templates are called, and what they are.
TEMPLATES = {"conll2002.v1": conll2002, "tp1.v1": tp1, "tp2.v1": tp2, ANY_WIDTH: tp2}
PARTS = ("dev", "test")


def texts_of(templates: str) -> list[str]:
    """The templates of a set. A wide character is another one than the narrow one, as CRF++ has it, but in the set that says otherwise."""
    texts = TEMPLATES[templates]().texts()
    return texts if templates == ANY_WIDTH else [text.replace(",CHAR]", ",ORTH]") for text in texts]


@dataclass(frozen=True)
class Subject:
    """What is learned from.

    corpora: folder with ``conll2002`` and ``pku2005``. corpus: esp, ned or pku. scheme: iob2 or biluo, of entities; bie, of characters.
    templates: a name. only: the texts of those that are used, none for all. limit: training sentences, 0 for all; half as many to test.
    split: of characters, draw training and test part anew from both together, four fifths to train; the number is that of the draw. None: as given.
    """

    corpora: str
    corpus: str = "esp"
    scheme: str = "iob2"
    templates: str = "conll2002.v1"
    only: tuple[str, ...] = ()
    limit: int = 0
    split: int | None = None

    def template_set(self) -> TemplateSet:
        """The templates that are used."""
        texts = [text for text in texts_of(self.templates) if not self.only or text in self.only]
        return TemplateSet.from_texts(texts, 1, "benchmark")

    def sentences(self, part: str) -> list[Sentence]:
        """Of ``train``, ``dev`` or ``test``."""
        read = self._characters(part) if self.corpus == "pku" else self._entities(part)
        return list(islice(read, (self.limit if part == "train" else self.limit // 2) or None))

    def _entities(self, part: str) -> list[Sentence]:
        name = {"train": "train", "dev": "testa", "test": "testb"}[part]
        path = Path(self.corpora, "conll2002", f"{self.corpus}.{name}")
        found = []
        for sentence in read_columns(path, ("ORTH", "TAG", "ENT")):
            tags = begun(sentence.fields["ENT"])
            labels = iob_to_biluo(tags) if self.scheme == "biluo" else tags
            found.append((sentence.words, labels, sentence.fields["TAG"]))
        return found

    def _characters(self, part: str) -> list[Sentence]:
        """B begins a word, one of a single character too, E ends a longer one, I is within: the paper's three labels."""
        read = self._drawn(part == "test") if self.split is not None else self._file(part == "test")
        if part != "test":
            read = [line for i, line in enumerate(read) if (i % HELD_OUT == 0) == (part == "dev")]
        return [(words, ["B" if label == "S" else label for label in labels], None) for words, labels in read]

    def _file(self, test: bool) -> list[tuple[list[str], list[str]]]:
        return read_words(Path(self.corpora, "pku2005", "pku_test_gold.utf8" if test else "train.utf8"))

    def _drawn(self, test: bool) -> list[tuple[list[str], list[str]]]:
        """A fifth of all sentences for ``test``, else the other ones; both in an order of their own."""
        both = self._file(False) + self._file(True)
        order = np.random.default_rng(self.split).permutation(len(both))
        border = len(both) // 5
        return [both[i] for i in (order[:border] if test else order[border:]).tolist()]

    def constraints(self, labels: Sequence[str]) -> Constraints:
        """Which tags may follow each other; none of the paper's own for characters."""
        return Constraints.none(len(labels)) if self.corpus == "pku" else tag_constraints(labels, self.scheme)


def begun(tags: Sequence[str]) -> list[str]:
    """The same entities in IOB2: one that begins with I, as where the Spanish file cuts a sentence within one, begins with B."""
    before = ["O", *tags][: len(tags)]
    return [
        f"B{tag[1:]}" if tag[0] == "I" and last[1:] != tag[1:] else tag for last, tag in zip(before, tags, strict=True)
    ]


class TaggedExtractor(Extractor):
    """Problems of sentences with part-of-speech tags; each sentence is a document of its own."""

    def piece(self, sentences: Sequence[Sentence]) -> Piece:  # type: ignore[override]
        docs = [Doc(self.vocab, words, [False] * len(words), tags=tags) for words, _, tags in sentences]
        number = {label: y for y, label in enumerate(self.labels)}
        gold = [number.get(label, -1) for _, labels, _ in sentences for label in labels]
        borders = block_starts([len(words) for words, _, _ in sentences])
        return Piece(b"", self.reader.read_given(docs), borders, np.array(gold, np.int32))


@dataclass(frozen=True)
class Data:
    """A subject ready to be trained on, and its development and test part ready to be labelled.

    known: the words of each sentence that training has too, of characters. cpu_features: CPU seconds from sentences in memory to the problem.
    """

    subject: Subject
    labels: tuple[str, ...]
    train: Problem
    gold: dict[str, list[list[str]]]
    others: dict[str, Problem]
    known: dict[str, list[set[tuple[int, int]]]]
    cpu_features: float

    @classmethod
    def load(cls, subject: Subject) -> "Data":
        parts = {part: subject.sentences(part) for part in ("train", *PARTS)}
        labels = tuple(sorted({label for _, line, _ in parts["train"] for label in line}))
        task = Task(subject.corpus, "F1", subject.template_set(), lambda *_: [], accuracy, subject.constraints)
        extractor = TaggedExtractor(task, Perceptron(), labels)
        begin = time.process_time()
        train = extractor.problem(parts["train"])  # type: ignore[arg-type]
        cpu = time.process_time() - begin
        others = {part: extractor.other(train, parts[part]) for part in PARTS}  # type: ignore[arg-type]
        gold = {part: [line for _, line, _ in parts[part]] for part in PARTS}
        known = known_words(parts) if subject.corpus == "pku" else {}
        return cls(subject, labels, train, gold, others, known, cpu)

    def label(self, part: str, weights: Weights) -> list[list[str]]:
        """The labels of a part."""
        problem = self.others[part]
        return predict(problem, weights, problem.all_live(), self.labels)

    def counts(self, part: str, predicted: Sequence[Sequence[str]]) -> Counts:
        """Of entities or words, for each sentence."""
        units = words_of if self.subject.corpus == "pku" else spans
        pairs = [(units(gold), units(found)) for gold, found in zip(self.gold[part], predicted, strict=True)]
        columns = [(len(gold & found), len(found), len(gold)) for gold, found in pairs]
        return Counts(*np.array(columns, np.int64).T)

    def recall_of_known(self, part: str, predicted: Sequence[Sequence[str]]) -> dict[str, float]:
        """In percent, of the words that training has, too; nothing for entities."""
        if not self.known:
            return {}
        pairs = [(known, words_of(found)) for known, found in zip(self.known[part], predicted, strict=True)]
        right = sum(len(known & found) for known, found in pairs)
        return {f"recall_known_{part}": 100 * right / max(sum(len(known) for known, _ in pairs), 1)}


def known_words(parts: dict[str, list[Sentence]]) -> dict[str, list[set[tuple[int, int]]]]:
    """Of each sentence to label, the words that occur in training."""
    seen = {"".join(line[a:b]) for line, labels, _ in parts["train"] for a, b in words_of(labels)}
    return {
        part: [{(a, b) for a, b in words_of(labels) if "".join(line[a:b]) in seen} for line, labels, _ in parts[part]]
        for part in PARTS
    }


def words_of(labels: Sequence[str]) -> set[tuple[int, int]]:
    """Words of characters labelled B, I, E: from each B to the next, or to the end of a word before."""
    starts = [i for i, label in enumerate(labels) if label == "B" or i == 0 or labels[i - 1] == "E"]
    return set(zip(starts, [*starts[1:], len(labels)], strict=True))


def scores(counts: Counts, part: str) -> dict[str, float]:
    """Precision, recall and F1 in percent, named after the part."""
    right, found, gold = (int(column.sum()) for column in counts)
    return {
        f"precision_{part}": 100 * right / max(found, 1),
        f"recall_{part}": 100 * right / max(gold, 1),
        f"f1_{part}": counts.score(),
    }
