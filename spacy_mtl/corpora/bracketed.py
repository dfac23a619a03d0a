"""The reader ``spacy_mtl.BracketedCorpus.v1``: files of bracketed constituency trees, such as those of the Penn Treebank, and Docs of them."""

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import ClassVar

import numpy as np
from spacy.language import Language
from spacy.tokens import Doc, Span
from spacy.training import Example
from spacy.vocab import Vocab

from spacy_mtl.constituents.binarize import check_labels
from spacy_mtl.constituents.brackets import Placed, read_brackets
from spacy_mtl.constituents.clean import clean
from spacy_mtl.constituents.tree import SPANS_KEY, Tree, constituents_of, words_of
from spacy_mtl.errors import Errors
from spacy_mtl.registry import registry
from spacy_mtl.settings import brief

from .conll import corpus_paths
from .docs import spaces_between
from .kept import kept_examples
from .lines.text import text_lines
from .settings import check_counts, check_file, check_names, check_text

#: Columns that may be input.
GIVEN = ("TAG",)


def read_bracketed(path: str | Path, encoding: str = "utf8", cleaned: bool = True) -> Iterator[Placed]:
    """Stream the trees of a file with the lines where they begin; the path is checked at once, the trees as they are read.

    cleaned: without traces, functional tags and doubled labels, see :func:`~spacy_mtl.constituents.clean.clean`; trees without any word are then left
    out, and labels that a grammar could not use are refused.

    Raises ValueError where the file cannot be read (M501) or decoded (M502, M513), contains no tree (M572), or has what is no tree (M570) or no label
    (M571), with its line.
    """
    path = Path(path)
    check_file(path)
    return _trees(path, encoding, cleaned)


def _trees(path: Path, encoding: str, cleaned: bool) -> Iterator[Placed]:
    empty = True
    for line, tree in read_brackets(text_lines(path, encoding), path):
        kept = clean(tree) if cleaned else tree
        if kept is None:
            continue
        if cleaned:
            check_labels(kept, path, line)
        empty = False
        yield Placed(line, kept)
    if empty:
        raise ValueError(Errors.M572.format(path=path))


def tree_doc(vocab: Vocab, tree: Tree) -> Doc:
    """A Doc of one sentence with the words and tags of a tree, and its constituents as ``doc.spans["constituents"]``.

    Files do not say where spaces are: see :func:`~spacy_mtl.corpora.docs.spaces_between`.
    """
    return trees_doc(vocab, [tree])


def trees_doc(vocab: Vocab, trees: Sequence[Tree], key: str = SPANS_KEY) -> Doc:
    """The same of several sentences. key: of ``doc.spans``."""
    return _trees_doc(vocab, trees, [words_of(tree) for tree in trees], key)


def _trees_doc(vocab: Vocab, trees: Sequence[Tree], leaves: Sequence[Sequence[Tree]], key: str) -> Doc:
    """The same, with the words of each tree."""
    doc = _words_doc(vocab, leaves, _tags(leaves))
    first = np.cumsum([0, *map(len, leaves)])
    doc.spans[key] = [
        Span(doc, int(begin) + start, int(begin) + end, label)
        for begin, tree in zip(first[:-1], trees, strict=True)
        for label, start, end in constituents_of(tree)
    ]
    return doc


def _tags(leaves: Sequence[Sequence[Tree]]) -> list[str]:
    return [leaf.label for tree in leaves for leaf in tree]


def _words_doc(vocab: Vocab, leaves: Sequence[Sequence[Tree]], tags: list[str] | None) -> Doc:
    """A Doc of these sentences' words, with their borders."""
    words = [str(leaf.word) for tree in leaves for leaf in tree]
    starts: list[bool | int | None] = [t == 0 for tree in leaves for t in range(len(tree))]
    has_spaces = vocab.writing_system.get("has_letters", True)
    spaces = spaces_between(words) if has_spaces else [False] * len(words)
    return Doc(vocab, words=words, spaces=spaces, tags=tags, sent_starts=starts)  # type: ignore[arg-type]


@registry.readers("spacy_mtl.BracketedCorpus.v1")
class BracketedCorpus:
    """Examples from files of bracketed constituency trees; calling it with a pipeline streams them, file after file.

    Both Docs of an Example have the words of the file, never those of a tokenizer, and its sentence starts. The *reference* has TAG and
    ``spans[spans_key]``, each constituent before those inside it; the *predicted* Doc has TAG if that is ``given``.

    path: a file, a list of files, or a string of files separated by commas.
    given: ["TAG"], or [] for tags that the pipeline predicts itself.
    group: sentences per Doc; 0 for one Doc per file. Mind ``nlp.max_length``, spaCy's limit on characters.
    limit: the largest number of Examples to read; 0 for all.
    encoding: of the files.
    spans_key: of the constituents.

    Trees are cleaned (:func:`~spacy_mtl.constituents.clean.clean`): without traces, functional tags and doubled labels.

    Raises ValueError on construction for invalid settings (M511, M514, M558) and files that do not exist (M501); while reading, for what is wrong
    with a file, with its line (M502, M513, M570-M572).
    """

    gives_words: ClassVar[bool] = True

    def __init__(
        self,
        path: str | Path | list[str | Path] | None,
        given: Sequence[str] = GIVEN,
        group: int = 1,
        limit: int = 0,
        encoding: str = "utf8",
        spans_key: str = SPANS_KEY,
    ):
        self.paths = corpus_paths(path)
        check_names(given=given)
        self.given = list(given)
        for column in self.given:
            if column not in GIVEN:
                raise ValueError(Errors.M558.format(setting="given", value=brief(column), known=", ".join(GIVEN)))
        check_counts(group=group, limit=limit)
        check_text(encoding=encoding, spans_key=spans_key)
        self.group, self.limit, self.encoding, self.spans_key = group, limit, encoding, spans_key
        for each in self.paths:
            read_bracketed(each, encoding)  # checks the path at once, reads nothing yet

    def __call__(self, nlp: Language) -> Iterator[Example]:
        """Stream the Examples, with Docs in ``nlp.vocab``; in a training of spaCy, each file is read once (:mod:`spacy_mtl.corpora.kept`)."""
        return kept_examples(self, nlp)

    def read(self, nlp: Language) -> Iterator[Example]:
        """Stream the Examples, newly made."""
        for predicted, reference, _ in self.docs(nlp.vocab):
            yield Example(predicted, reference)

    def docs(self, vocab: Vocab) -> Iterator[tuple[Doc, Doc, int]]:
        """Stream predicted Doc, reference Doc and their number of sentences, in the order of the files."""
        groups = (group for path in self.paths for group in self._groups(path))
        return islice((self._pair(vocab, group) for group in groups), self.limit or None)

    def _groups(self, path: Path) -> Iterator[list[Tree]]:
        trees = (placed.tree for placed in read_bracketed(path, self.encoding))
        while group := list(islice(trees, self.group or None)):
            yield group

    def _pair(self, vocab: Vocab, trees: list[Tree]) -> tuple[Doc, Doc, int]:
        leaves = [words_of(tree) for tree in trees]
        predicted = _words_doc(vocab, leaves, _tags(leaves) if "TAG" in self.given else None)
        return predicted, _trees_doc(vocab, trees, leaves, self.spans_key), len(trees)
