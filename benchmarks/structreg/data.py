"""The tasks of the structure regularization benchmark as chain problems: tags, entities, words; train, dev and test."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

import numpy as np
from spacy.lang.lex_attrs import LEX_ATTRS
from spacy.tokens import Doc
from spacy.training import iob_to_biluo
from spacy.vocab import Vocab

from benchmarks.common.significance import Counts
from benchmarks.common.spans import Span, entity_f1, spans
from spacy_mtl.components.entity_tags import tag_constraints
from spacy_mtl.corpora.columns import read_columns
from spacy_mtl.kernels import kernel
from spacy_mtl.learning.chain import ChainLearner
from spacy_mtl.learning.gather import Piece
from spacy_mtl.structures import contract
from spacy_mtl.structures.chain.build import Constraints
from spacy_mtl.structures.contract import Live, Weights
from spacy_mtl.structures.problem import Problem, block_starts
from spacy_mtl.templates.attributes.reader import AttributeReader
from spacy_mtl.templates.grammar import TemplateSet
from spacy_mtl.templates.index import FeatureIndex
from spacy_mtl.templates.program import compile_program
from spacy_mtl.trainers.base import Trainer

#: words (or characters) and labels of one sentence
Sentence = tuple[list[str], list[str]]
PARTS = ("train", "dev", "test")
#: Labels of characters in BILUO.
WORD_TAGS = {"B": "B", "I": "I", "E": "L", "S": "U"}


def each(attr: str, *offsets: int) -> list[str]:
    return [f"%x[{offset},{attr}]" for offset in offsets]


def pairs(attr: str, *offsets: tuple[int, int]) -> list[str]:
    return [f"%x[{a},{attr}]/%x[{b},{attr}]" for a, b in offsets]


#: Word unigrams and bigrams of the neighbourhood, and patterns of the word itself (Tsuruoka et al. 2011, as the paper has it).
_WORD_FORM = [f"%x[0,{side}{n}]" for side in ("PREFIX", "SUFFIX") for n in range(1, 5)]
_WORDS = [*each("LOWER", -2, -1, 0, 1, 2), *pairs("LOWER", (-2, -1), (-1, 0), (0, 1), (1, 2), (-1, 1))]
_TAGS = [*each("ORTH", 0), *_WORDS, *_WORD_FORM, *each("SHAPE", -1, 0, 1)]
#: Observations that are conjoined with pairs of the 42 tags: all of them would take tens of gigabytes.
_TAG_PAIRS = ["%x[0,LOWER]", "%x[-1,LOWER]", "%x[0,SUFFIX3]", "%x[0,SHAPE]"]
_ENTITIES = [*_TAGS, *each("SHAPE", -2, 2), *pairs("SHAPE", (-1, 0), (0, 1))]
#: Character unigrams and bigrams (Gao et al. 2007, as the paper has it).
_CHARACTERS = [*each("ORTH", -2, -1, 0, 1, 2), *pairs("ORTH", (-2, -1), (-1, 0), (0, 1), (1, 2), (-1, 1))]


def templates(patterns: Sequence[str], rich: Sequence[str], min_count: int = 1) -> TemplateSet:
    """Node templates, the transition, and the observations ``rich`` again with the label pair: the paper's rich edge features."""
    node = [f"U{i:02d}:{pattern}" for i, pattern in enumerate(patterns)]
    edge = [f"B{i:02d}:{pattern}" for i, pattern in enumerate(rich)]
    return TemplateSet.from_texts([*node, "B", *edge], min_count, "benchmark")


# --- corpora ---


def read_tags(path: Path) -> list[Sentence]:
    """A file of words and tags, separated by a tab."""
    return [(s.words, s.fields["TAG"]) for s in read_columns(path, ("ORTH", "TAG"), separator="\t")]


def read_words(path: Path) -> list[Sentence]:
    """A file of words with blanks between them: characters, labelled B, I, E within a longer word and S for a word of its own."""
    sentences = []
    for line in path.read_text(encoding="utf8").splitlines():
        words = line.split()
        labels = [label for word in words for label in ("S" if len(word) == 1 else "B" + "I" * (len(word) - 2) + "E")]
        if words:
            sentences.append((list("".join(words)), labels))
    return sentences


def column_part(folder: Path, part: str) -> list[Sentence]:
    return read_tags(folder / {"train": "train.tsv", "dev": "devel.tsv", "test": "test.tsv"}[part])


def biluo_part(folder: Path, part: str) -> list[Sentence]:
    """Entities in BILUO, as ``mtl_ner`` has them by default."""
    return [(words, iob_to_biluo(tags)) for words, tags in column_part(folder, part)]


def segmented_part(folder: Path, part: str) -> list[Sentence]:
    """The last tenth of the training file is for development."""
    if part == "test":
        return read_words(folder / "test.txt")
    sentences = read_words(folder / "train.txt")
    border = len(sentences) - len(sentences) // 10
    return sentences[:border] if part == "train" else sentences[border:]


# --- scores ---


def accuracy(gold: list[list[str]], predicted: list[list[str]]) -> float:
    """Percent of the labels that are right."""
    right = [a == b for x, y in zip(gold, predicted, strict=True) for a, b in zip(x, y, strict=True)]
    return 100 * sum(right) / len(right)


def iob2_f1(gold: list[list[str]], predicted: list[list[str]]) -> float:
    """F1 of entities in IOB2, in percent."""
    return entity_f1(*([iob_to_biluo(labels) for labels in side] for side in (gold, predicted)))


def word_f1(gold: list[list[str]], predicted: list[list[str]]) -> float:
    """F1 of words in percent; a word begins where a label does not go on with the one before."""
    return entity_f1(
        *([[f"{WORD_TAGS[label]}-word" for label in labels] for labels in side] for side in (gold, predicted))
    )


def words_of(labels: Sequence[str]) -> set[Span]:
    """Words of one sentence, as entities."""
    return spans([f"{WORD_TAGS[label]}-word" for label in labels])


@dataclass(frozen=True)
class Task:
    """name of the corpus folder, heading of its score, and how it is read, observed and scored.

    valid: which labels may follow each other. units: what is counted as right or wrong in a sentence, for tests of significance.
    """

    corpus: str
    score: str
    templates: TemplateSet
    read: Callable[[Path, str], list[Sentence]]
    evaluate: Callable[[list[list[str]], list[list[str]]], float]
    valid: Callable[[Sequence[str]], Constraints] = lambda labels: Constraints.none(len(labels))
    units: Callable[[Sequence[str]], set[Any]] = lambda labels: set(enumerate(labels))

    def sentences(self, corpora: Path, part: str, limit: int) -> list[Sentence]:
        """The first ``limit`` sentences of a part, 0 for all."""
        return list(islice(self.read(corpora / self.corpus, part), limit or None))

    def in_folds(self, corpora: Path, fold: int, n_folds: int) -> dict[str, list[Sentence]]:
        """The whole corpus in folds, one after another as documents come: one for test, the next one for development, the others to train."""
        all_of_it = [sentence for part in PARTS for sentence in self.sentences(corpora, part, 0)]
        borders = [len(all_of_it) * k // n_folds for k in range(n_folds + 1)]
        folds = [all_of_it[a:b] for a, b in pairwise(borders)]
        held_out = {"test": fold, "dev": (fold + 1) % n_folds}
        train = [sentence for k, part in enumerate(folds) if k not in held_out.values() for sentence in part]
        return {"train": train, **{part: folds[k] for part, k in held_out.items()}}


def valid_iob2(labels: Sequence[str]) -> Constraints:
    return tag_constraints(labels, "iob2")


def valid_biluo(labels: Sequence[str]) -> Constraints:
    return tag_constraints(labels, "biluo")


_OF_ENTITIES = templates(_ENTITIES, rich=_ENTITIES)
TASKS = {
    # 42 tags: a label pair with every observation would be 1764 weights for each
    "tags": Task("genia-pos", "accuracy", templates(_TAGS, rich=[]), column_part, accuracy),
    "tags-rich": Task("genia-pos", "accuracy", templates(_TAGS, rich=_TAG_PAIRS), column_part, accuracy),
    "entities": Task("ncbi-disease", "entity F1", _OF_ENTITIES, biluo_part, entity_f1, valid_biluo, spans),
    "entities-iob2": Task("ncbi-disease", "entity F1", _OF_ENTITIES, column_part, iob2_f1, valid_iob2, spans),
    "words": Task("sxu", "word F1", templates(_CHARACTERS, rich=_CHARACTERS), segmented_part, word_f1, units=words_of),
}


# --- problems ---


class Extractor(ChainLearner):
    """Problems over the features of a training corpus: the corpus itself, and any other text."""

    def __init__(self, task: Task, trainer: Trainer, labels: Sequence[str]):
        self.vocab = Vocab(lex_attr_getters=LEX_ATTRS)
        reader = AttributeReader(task.templates.attributes, self.vocab)
        super().__init__("benchmark", trainer, task.templates, reader, labels, task.valid(labels), None)

    def piece(self, sentences: Sequence[Sentence]) -> Piece:
        """All sentences as one document. A label that training did not show is missing (-1)."""
        docs = [Doc(self.vocab, words, spaces=[False] * len(words)) for words, _ in sentences]
        number = {label: y for y, label in enumerate(self.labels)}
        gold = [number.get(label, -1) for _, labels in sentences for label in labels]
        borders = block_starts([len(words) for words, _ in sentences])
        return Piece(b"", self.reader.read_given(docs), borders, np.array(gold, np.int32))

    def problem(self, sentences: Sequence[Sentence]) -> Problem:
        """The training problem."""
        return self._problem([self.piece(sentences)])

    def other(self, problem: Problem, sentences: Sequence[Sentence]) -> Problem:
        """Sentences to label, as a problem with the features of the training ``problem``; gold is of no use there."""
        piece = self.piece(sentences)
        borders = np.array([0, piece.gold.size])
        columns = self.reader.expand(piece.given, piece.starts, borders)
        observed = [template for template in self.edge if template.observations]
        node = self._rows(self._index_node, columns, piece.starts, self.node)
        pair = self._pair_rows(self._rows(self._index_pair, columns, piece.starts, observed))
        n = len(sentences)
        arrays = problem.arrays._replace(
            first=piece.starts[:-1], last=piece.starts[1:], open_left=np.zeros(n, bool), open_right=np.zeros(n, bool),
            gold=np.zeros(piece.gold.size, np.int32), rows=node, pair_rows=pair, repeats=np.ones((n, len(self.node)), bool),
        )  # fmt: skip
        return replace(problem, arrays=arrays)

    def _rows(self, index: FeatureIndex, columns: np.ndarray, starts: np.ndarray, templates: Sequence) -> np.ndarray:
        return index.rows(columns, starts, compile_program(templates, self.reader.columns))


@kernel
def label_all(arrays, weights, live, outputs):
    """Best labels of every sentence into ``outputs``: int32[n_slots]."""
    work = contract.new_work(arrays)
    for i in range(contract.n_sentences(arrays)):
        contract.score_parts(arrays, weights, live, i, work)
        contract.decode(arrays, i, work, False)
        contract.store_output(arrays, i, work, outputs)


def predict(problem: Problem, weights: Weights, live: Live, labels: Sequence[str]) -> list[list[str]]:
    """The labels of every sentence."""
    outputs = np.zeros(problem.arrays.gold.size, np.int32)
    label_all(problem.arrays, weights, live, outputs)
    named = [labels[y] for y in outputs.tolist()]
    return [named[a:b] for a, b in zip(problem.arrays.first.tolist(), problem.arrays.last.tolist(), strict=True)]


@dataclass(frozen=True)
class Data:
    """A task ready to be trained: its problem, and dev and test to be labelled."""

    task: Task
    labels: tuple[str, ...]
    train: Problem
    others: dict[str, tuple[Problem, list[list[str]]]]

    @classmethod
    def load(cls, name: str, corpora: Path, limit: int = 0) -> "Data":
        """limit: sentences of the training part, 0 for all; dev and test then have a quarter as many at most."""
        task = TASKS[name]
        parts = {part: task.sentences(corpora, part, limit if part == "train" else limit // 4) for part in PARTS}
        return cls.of(task, parts)

    @classmethod
    def of(cls, task: Task, parts: dict[str, list[Sentence]]) -> "Data":
        """From sentences in memory: ``train`` and any others."""
        from spacy_mtl.trainers.online.perceptron import Perceptron

        labels = tuple(sorted({label for _, line in parts["train"] for label in line}))
        extractor = Extractor(task, Perceptron(), labels)
        train = extractor.problem(parts["train"])
        others = {
            part: (extractor.other(train, sentences), [gold for _, gold in sentences])
            for part, sentences in parts.items()
            if part != "train"
        }
        return cls(task, labels, train, others)

    def counts(self, part: str, weights: Weights) -> Counts:
        """What is right, for each sentence."""
        problem, gold = self.others[part]
        pairs = zip(gold, predict(problem, weights, problem.all_live(), self.labels), strict=True)
        units = ((self.task.units(expected), self.task.units(found)) for expected, found in pairs)
        return Counts(*np.array([(len(a & b), len(b), len(a)) for a, b in units], np.int64).T)

    def score(self, part: str, weights: Weights) -> float:
        """The task's score of ``weights``, in percent."""
        problem, gold = self.others[part]
        return self.task.evaluate(gold, predict(problem, weights, problem.all_live(), self.labels))
