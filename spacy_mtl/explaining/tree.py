"""Explanations of dependency trees: the best tree without an arc, the best other label, and the features in which two trees differ."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from spacy.tokens import Doc

from spacy_mtl.models.tree.features import gold_pair_parts
from spacy_mtl.models.tree.predict import Search, TreePredictor
from spacy_mtl.sentences import borders
from spacy_mtl.templates.arcs.index import Parts, list_observations
from spacy_mtl.templates.arcs.program import ArcProgram
from spacy_mtl.templates.attributes.texts import AttributeTexts
from spacy_mtl.templates.grammar import Template

from .chain import find_rows
from .decision import Change, Contribution, Decision, forbidden, nonzero
from .names import ROOT, SentenceNames
from .tree_names import listed_words

_NONE = np.empty(0, np.int32)
#: Groups of templates that score parts of a tree, by the number of the kind of part.
KINDS = ("arcs", "siblings", "grandparents")


@dataclass(frozen=True)
class Tree:
    """A tree of n words. heads: int32[n], from 1, 0 for the root. labels: int32[n]. score: of what decoding maximizes."""

    heads: np.ndarray
    labels: np.ndarray
    score: float


class Sentence:
    """A sentence [start, end) of a document under a model of trees. columns: uint64[A', N], of the document."""

    def __init__(self, predictor: TreePredictor, doc: Doc, columns: np.ndarray, start: int, end: int):
        self.predictor, self.doc, self.start, self.n = predictor, doc, start, end - start
        self.columns = np.ascontiguousarray(columns[:, start:end])
        self.borders = np.array([0, self.n], np.int64)
        self.search = predictor.search(self.columns, self.borders)
        self.joint = bool(self.search.by_label.size)
        self.labelled = bool(predictor.weights.labels) and predictor.rules.labelling != "none"
        texts = AttributeTexts(predictor.reader, columns, doc.vocab.strings, [doc])
        self.names = SentenceNames(texts, start, end)

    def word(self, word: int) -> str:
        """``2 sees``."""
        return f"{word} {self.doc[self.start + word - 1].text}" if word else ROOT

    def label(self, number: int) -> str:
        return self.predictor.weights.labels[number] if self.labelled else ""

    def best(self, search: Search) -> Tree | None:
        """The best tree; None if there is none."""
        heads = np.empty(self.n, np.int32)
        self.predictor.decode(search, heads)
        if heads[0] < 0:
            return None
        if self.joint:
            labels = np.array([search.by_label[self.arc(search, m, heads[m - 1], True)].argmax() for m in self.words()])
        elif self.labelled:
            labels = self.label_scores(heads).argmax(axis=1)
        else:
            labels = np.zeros(self.n)
        return Tree(heads, labels.astype(np.int32), self.score(search, heads))

    def label_scores(self, heads: np.ndarray) -> np.ndarray:
        """Of the labels of each word's arc in a tree, float32[n, L], where labels are found after trees."""
        return self.predictor.label_scores(self.columns, self.borders, heads)

    def words(self) -> range:
        return range(1, self.n + 1)

    def arc(self, search: Search, modifier: int, head: int, every: bool = False) -> int:
        """The number of an arc among those that trees may have, or among ``every`` arc that has scores of labels."""
        arcs = search.every if every else search.arcs
        low, high = arcs.first[modifier - 1 : modifier + 1]
        return int(low + np.flatnonzero(arcs.heads[low:high] == head)[0])

    def score(self, search: Search, heads: np.ndarray) -> float:
        """The score of a tree under the scores of arcs and pairs."""
        total = sum(float(search.scores[self.arc(search, m, heads[m - 1])]) for m in self.words())
        for kind, m, other in self.pairs(heads) if search.first.size > 1 else ():
            total += self._pair_score(search, self.arc(search, m, heads[m - 1]), other + (self.n + 1 if kind else 0))
        return total

    def pairs(self, heads: np.ndarray) -> Iterator[tuple[int, int, int]]:
        """The pairs of a tree that templates score: kind (0 siblings, 1 grandparents), modifier, and sibling (the head for none) or grandparent."""
        templates = self.predictor.templates
        if templates.second_order:
            for kind, parts in enumerate(gold_pair_parts(self.borders, heads)):
                for m in self.words() if not kind or templates.grandparents else ():
                    for part in range(parts.first[m - 1], parts.first[m]):
                        yield kind, m, int(parts.siblings[part])

    @staticmethod
    def _pair_score(search: Search, arc: int, inner: int) -> float:
        low, high = search.first[arc : arc + 2]
        return float(search.pairs[low + np.flatnonzero(search.inner[low:high] == inner)[0]])

    def without_arc(self, modifier: int, head: int) -> Search:
        """What is left without an arc, whatever its label."""
        scores = self.search.scores.copy()
        scores[self.arc(self.search, modifier, head)] = -np.inf
        return self.search._replace(scores=scores)

    def without_label(self, modifier: int, head: int, label: int) -> Search:
        """What is left without an arc of this label, where labels are found jointly."""
        by_label, scores = self.search.by_label.copy(), self.search.scores.copy()
        at, every = self.arc(self.search, modifier, head), self.arc(self.search, modifier, head, True)
        before = by_label[every].max()
        by_label[every, label] = -np.inf
        after = by_label[every].max()
        scores[at] = scores[at] - before + after if by_label.shape[1] > 1 else -np.inf
        return self.search._replace(scores=scores, by_label=by_label)


@dataclass(frozen=True)
class Group:
    """Templates that score parts of one kind. keys: uint64[R], ascending. codes: [R, K] and scales: [R], weight = code * scale."""

    templates: Sequence[Template]
    program: ArcProgram
    keys: np.ndarray
    codes: np.ndarray
    scales: np.ndarray

    def weights(self, row: int) -> np.ndarray:
        """float64[K]."""
        return self.codes[row].astype(np.float64) * float(self.scales[row])


class TreeFeatures:
    """The features of a sentence's trees, by the keys that a file has."""

    def __init__(self, sentence: Sentence):
        self.sentence = sentence
        predictor = sentence.predictor
        weights, templates = predictor.weights, vars(predictor.templates)
        of_parts = weights.keys, weights.values[:, None], np.ones(weights.keys.size)
        self._kinds = [Group(templates[kind], predictor.program(kind), *of_parts) for kind in KINDS]
        of_labels = weights.pair_keys, weights.pair_codes, weights.pair_scales
        self._labels = Group(templates["labels"], predictor.program("labels"), *of_labels)

    def between(self, winner: Tree, other: Tree) -> list[Contribution]:
        """The contributions to the score of one tree minus that of another."""
        one, two = set(self._parts(winner)), set(self._parts(other))
        found = [*self._of_tree(winner, one - two, 1.0), *self._of_tree(other, two - one, -1.0)]
        if self.sentence.joint:
            for tree, instead, sign in ((winner, other, 1.0), (other, winner, -1.0)):
                differ = (tree.heads != instead.heads) | (tree.labels != instead.labels)
                found += self._of_labels(tree, np.flatnonzero(differ) + 1, sign)
        return found

    def of_label(self, tree: Tree, modifier: int, label: int, other: int) -> list[Contribution]:
        """The contributions to the score of a label of an arc minus that of another."""
        part = f"{self._arc_text(tree, modifier)}: {self.sentence.label(label)}, not {self.sentence.label(other)}"
        rows = self._observed(
            self._labels, self._kept(tree, [modifier]), tree.heads if not self.sentence.joint else _NONE
        )
        found = [(name, text, self._labels.weights(row)) for _, name, text, row in rows]
        return [Contribution(name, text, part, float(row[label] - row[other])) for name, text, row in found]

    def named(self, tree: Tree, matrices: tuple[str, str]) -> Iterator[tuple[str, int, str, str]]:
        """Matrix, row, template and feature of all that has weights in a tree. matrices: names of that of arcs and pairs, and that of labels."""
        parts = set(self._parts(tree))
        for kind, group in enumerate(self._kinds):
            for _, name, text, row in self._observed(group, self._of_kind(tree, parts, kind), _NONE):
                yield matrices[0], row, name, text
        kept = [m for m in self.sentence.words() if tree.heads[m - 1] > 0]
        heads = tree.heads if not self.sentence.joint else _NONE
        for _, name, text, row in self._observed(self._labels, self._kept(tree, kept), heads):
            yield matrices[1], row, name, text

    def _parts(self, tree: Tree) -> Iterator[tuple[int, int, int, int]]:
        """Kind (0 arcs, 1 siblings, 2 grandparents), modifier, head and other word of the parts of a tree."""
        for m in self.sentence.words():
            yield 0, m, int(tree.heads[m - 1]), -1
        for kind, m, other in self.sentence.pairs(tree.heads):
            yield kind + 1, m, int(tree.heads[m - 1]), other

    def _of_tree(self, tree: Tree, parts: set[tuple[int, int, int, int]], sign: float) -> Iterator[Contribution]:
        """The contributions of some of the parts of a tree."""
        for kind, group in enumerate(self._kinds):
            chosen = {m: other for k, m, _, other in parts if k == kind}
            for m, name, text, row in self._observed(group, self._of_kind(tree, parts, kind), _NONE):
                part = self._arc_text(tree, m) + (f", {('', 'sibling', 'grandparent')[kind]} " if kind else "")
                if kind:
                    part += "none" if chosen[m] == tree.heads[m - 1] else self.sentence.word(chosen[m])
                yield Contribution(name, text, part, sign * float(group.weights(row)[0]))

    def _of_labels(self, tree: Tree, words: np.ndarray, sign: float) -> Iterator[Contribution]:
        """The contributions of the labels of these words' arcs, where labels are found jointly."""
        kept = [m for m in words.tolist() if tree.heads[m - 1] > 0]
        for m, name, text, row in self._observed(self._labels, self._kept(tree, kept), _NONE):
            label = tree.labels[m - 1]
            part = f"{self._arc_text(tree, m)}: {self.sentence.label(label)}"
            yield Contribution(name, text, part, sign * float(self._labels.weights(row)[label]))

    def _of_kind(self, tree: Tree, parts: set[tuple[int, int, int, int]], kind: int) -> Parts:
        """Those of one kind."""
        chosen = {m: other for k, m, _, other in parts if k == kind}
        others = np.array([chosen[m] for m in sorted(chosen)], np.int32) if kind else _NONE
        return self._kept(tree, sorted(chosen), others)

    def _kept(self, tree: Tree, words: Sequence[int], others: np.ndarray = _NONE) -> Parts:
        """The arcs, or pairs, of these words of a tree, in ascending order."""
        first = np.searchsorted(np.array(words), np.arange(1, self.sentence.n + 2)).astype(np.int64)
        heads = tree.heads[np.array(words, np.int64) - 1] if len(words) else _NONE
        return Parts(self.sentence.borders, first, heads, others, _NONE)

    def _observed(self, group: Group, parts: Parts, tree: np.ndarray) -> Iterator[tuple[int, str, str, int]]:
        """Modifier, template, feature and row of what has weights at these parts. tree: heads int32[n], or empty."""
        sentence = self.sentence
        if not parts.heads.size or not group.templates:
            return
        first, keys, owners = list_observations(sentence.columns, group.program, parts._replace(tree=tree))
        rows = find_rows(group.keys, keys)
        words = np.repeat(np.arange(1, sentence.n + 1), np.diff(parts.first)).tolist()
        for p, m in enumerate(words):
            head, seen = int(parts.heads[p]), dict[int, int]()
            other = None
            if parts.siblings.size and parts.siblings[p] != head:
                other = int(parts.siblings[p])
            for k in range(first[p], first[p + 1]):
                template = group.templates[owners[k]]
                read = listed_words(template, sentence.columns, sentence.predictor.reader.columns, head, m, tree)
                at = seen.get(int(owners[k]), 0)
                seen[int(owners[k])] = at + 1
                if rows[k] >= 0:
                    listed = read[at] if read else None
                    yield m, template.name, sentence.names.arc(template, head, m, other, listed), int(rows[k])

    def _arc_text(self, tree: Tree, m: int) -> str:
        return f"{self.sentence.word(int(tree.heads[m - 1]))} → {self.sentence.word(m)}"


def tree_decisions(
    predictor: TreePredictor, doc: Doc, max_words: int | None = None
) -> tuple[list[Decision], list[int]]:
    """Two decisions for each word, of its arc and of the arc's label. Returns also the lengths of sentences that were left out.

    max_words: longer sentences are parsed in pieces, and left out here.
    """
    starts = borders([doc])
    columns = predictor.columns_of([doc], starts)
    found, long = list[Decision](), list[int]()
    for start, end in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True):
        if max_words is not None and end - start > max_words:
            long.append(end - start)
        elif end > start:
            found += _of_sentence(Sentence(predictor, doc, columns, start, end))
    return found, long


def _of_sentence(sentence: Sentence) -> Iterator[Decision]:
    tree, features = sentence.best(sentence.search), TreeFeatures(sentence)
    assert tree is not None  # the filter keeps the chain of words
    rules, templates = sentence.predictor.rules, sentence.predictor.templates
    exact = rules.projective or not templates.second_order
    of_labels = None if sentence.joint or not sentence.labelled else sentence.label_scores(tree.heads)
    for m in sentence.words():
        head, label = int(tree.heads[m - 1]), int(tree.labels[m - 1])
        other = sentence.best(sentence.without_arc(m, head))
        yield replace(_arc_decision(sentence, features, tree, other, m, "arc"), exact=exact)
        if sentence.labelled and head:
            if of_labels is None:
                other = sentence.best(sentence.without_label(m, head, label))
                yield replace(_arc_decision(sentence, features, tree, other, m, "label"), exact=exact)
            else:
                yield _label_decision(sentence, features, tree, m, of_labels[m - 1].astype(np.float64))


def _arc_decision(
    sentence: Sentence, features: TreeFeatures, tree: Tree, other: Tree | None, m: int, kind: str
) -> Decision:
    """The decision about the arc of word m, or about its label, where labels are found jointly."""
    at = sentence.start + m - 1
    text = sentence.doc[at].text

    def told(of: Tree) -> str:
        head, label = sentence.word(int(of.heads[m - 1])), sentence.label(int(of.labels[m - 1]))
        if kind == "arc":
            return head
        return label if of.heads[m - 1] == tree.heads[m - 1] else f"{label} of {head}"

    if other is None:
        return forbidden(kind, at, at + 1, text, told(tree))
    changes = [
        Change(sentence.word(k), sentence.word(int(tree.heads[k - 1])), sentence.word(int(other.heads[k - 1])))
        for k in sentence.words()
        if k != m and tree.heads[k - 1] != other.heads[k - 1]
    ]
    contributions = nonzero(features.between(tree, other))
    difference = tree.score - other.score
    return Decision(kind, at, at + 1, text, told(tree), told(other), difference, contributions, tuple(changes))


def _label_decision(sentence: Sentence, features: TreeFeatures, tree: Tree, m: int, scores: np.ndarray) -> Decision:
    """The decision about the label of word m's arc in a given tree. scores: of its labels, float64[L]."""
    at, label = sentence.start + m - 1, int(tree.labels[m - 1])
    text = sentence.doc[at].text
    if scores.size < 2:
        return forbidden("label", at, at + 1, text, sentence.label(label))
    other = int(np.where(np.arange(scores.size) == label, -np.inf, scores).argmax())
    contributions = nonzero(features.of_label(tree, m, label, other))
    difference = float(scores[label] - scores[other])
    return Decision("label", at, at + 1, text, sentence.label(label), sentence.label(other), difference, contributions)
