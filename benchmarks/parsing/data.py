"""The treebanks, read into plain lists, and how a sentence with several roots is shown to parsers that want one."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

#: Of a further root, while it hangs on the first one.
FURTHER_ROOT = "ROOT2"
#: Of the first root, in the trees that parsers learn from.
ROOT = "root"
PARTS = ("train", "dev", "test", "all")
#: The share of the training sentences that is dev where a treebank has no dev part.
HELD_OUT = 0.1


@dataclass(frozen=True)
class Treebank:
    """Where a treebank is: its folder, its files (dev: empty if there is none), its language, the label of its roots.

    plain_tags: its tags are not the universal ones, its features are not read.
    """

    folder: str
    train: str
    dev: str
    test: str
    lang: str
    root: str = "root"
    plain_tags: bool = False


TREEBANKS = {
    "danish": Treebank("ddt", "train.conll", "", "test.conll", "da", "ROOT", True),
    "swedish": Treebank("ud-swedish-talbanken", "sv-ud-train.conll", "sv-ud-dev.conll", "sv-ud-test.conll", "sv"),
    "dutch": Treebank(
        "ud-dutch-lassysmall",
        "nl_lassysmall-ud-train.conllu",
        "nl_lassysmall-ud-dev.conllu",
        "nl_lassysmall-ud-test.conllu",
        "nl",
    ),
    "gothic": Treebank(
        "ud-gothic-proiel",
        "got_proiel-ud-train.conllu",
        "got_proiel-ud-dev.conllu",
        "got_proiel-ud-test.conllu",
        "xx",
    ),
    "turkish": Treebank(
        "ud-turkish-imst", "tr_imst-ud-train.conllu", "tr_imst-ud-dev.conllu", "tr_imst-ud-test.conllu", "tr"
    ),
}


class Tree(NamedTuple):
    """heads: of token i (0, 1, ...) the number of its head (1, 2, ...), 0 for a root. labels: of the same tokens."""

    heads: list[int]
    labels: list[str]


def is_tree(heads: Sequence[int]) -> bool:
    """Whether every token is led to a root by its heads."""
    for token in range(1, len(heads) + 1):
        steps, node = 0, token
        while node and steps <= len(heads):
            steps, node = steps + 1, heads[node - 1]
        if node:
            return False
    return True


class Sentence(NamedTuple):
    """Forms, coarse tags, fine tags and features ("_" for none) as a parser gets them, and the gold tree."""

    forms: list[str]
    coarse: list[str]
    fine: list[str]
    feats: list[str]
    tree: Tree


def read_sentences(path: Path, with_feats: bool) -> Iterator[Sentence]:
    """Read CoNLL-X or CoNLL-U, ranges and empty nodes left out. Raises ValueError naming a line with fewer than eight columns."""
    lines: list[list[str]] = []
    for number, line in enumerate([*path.read_text(encoding="utf8").splitlines(), ""], 1):
        columns = line.split("\t")
        if not line.strip():
            if lines:
                yield _sentence(lines, with_feats)
            lines = []
        elif columns[0].isdigit():
            if len(columns) < 8:
                raise ValueError(f"Line {number} of {path} has {len(columns)} columns in place of eight or more.")
            lines.append(columns)


def _sentence(lines: list[list[str]], with_feats: bool) -> Sentence:
    _, forms, _, coarse, fine, feats, heads, labels = (
        list(column) for column in zip(*(c[:8] for c in lines), strict=True)
    )
    tree = Tree([int(head) for head in heads], labels)
    return Sentence(forms, coarse, fine, feats if with_feats else ["_"] * len(forms), tree)


def one_root(tree: Tree) -> Tree:
    """Hang further roots on the first one and mark them; the first one is labelled :data:`ROOT`."""
    roots = [token for token, head in enumerate(tree.heads) if head == 0]
    heads, labels = list(tree.heads), list(tree.labels)
    for token in roots:
        labels[token] = FURTHER_ROOT
        heads[token] = roots[0] + 1
    labels[roots[0]], heads[roots[0]] = ROOT, 0
    return Tree(heads, labels)


def all_roots(tree: Tree, root: str) -> Tree:
    """The way back from :func:`one_root`: tokens marked as further roots are roots, and every root has the treebank's label ``root``."""
    heads = [0 if label == FURTHER_ROOT else head for head, label in zip(*tree, strict=True)]
    return Tree(heads, [label if head else root for head, label in zip(heads, tree.labels, strict=True)])


@dataclass(frozen=True)
class Data:
    """Which sentences. corpora: the folder that the treebanks are in. name: one of :data:`TREEBANKS`. limit: training sentences, 0 for all; a fifth
    as many to test."""

    corpora: str
    name: str = "swedish"
    limit: int = 0

    @property
    def treebank(self) -> Treebank:
        return TREEBANKS[self.name]

    @property
    def has_dev(self) -> bool:
        """Otherwise the last tenth of the training part is dev, and the final training is on "all"."""
        return bool(self.treebank.dev)

    def path(self, part: str) -> Path:
        """The file a part is in (or cut from)."""
        files = {"test": self.treebank.test, "dev": self.treebank.dev or self.treebank.train}
        return Path(self.corpora, self.treebank.folder, files.get(part, self.treebank.train))

    def sentences(self, part: str) -> list[Sentence]:
        """The sentences of one of :data:`PARTS`. Those to learn from whose arcs run in a circle are left out (Dutch has one).

        Raises OSError where the file is missing, ValueError where a sentence of the test part is no tree.
        """
        found = list(read_sentences(self.path(part), not self.treebank.plain_tags))
        trees = [sentence for sentence in found if is_tree(sentence.tree.heads)]
        if part == "test" and len(trees) < len(found):
            raise ValueError(
                f"{len(found) - len(trees)} sentences of {self.path(part)} are no trees: take another copy of the file."
            )
        found = trees
        if not self.has_dev and part in ("train", "dev"):
            cut = len(found) - int(HELD_OUT * len(found))
            found = found[:cut] if part == "train" else found[cut:]
        limit = self.limit if part in ("train", "all") else self.limit // 5
        return found[: limit or None]

    def labels(self) -> list[str]:
        """Of the training part, sorted, roots aside."""
        return sorted(
            {label for sentence in self.sentences("all") for label in sentence.tree.labels} - {self.treebank.root}
        )


def n_words(sentences: list[Sentence]) -> int:
    return sum(len(sentence.forms) for sentence in sentences)
