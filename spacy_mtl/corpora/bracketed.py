"""Reading files of bracketed constituency trees, such as those of the Penn Treebank, and Docs of them."""

from collections.abc import Iterator
from pathlib import Path

from spacy.tokens import Doc, Span
from spacy.vocab import Vocab

from spacy_mtl.constituents.binarize import check_labels
from spacy_mtl.constituents.brackets import Placed, read_brackets
from spacy_mtl.constituents.clean import clean
from spacy_mtl.constituents.tree import SPANS_KEY, Tree, constituents_of, words_of
from spacy_mtl.errors import Errors

from .columns import text_lines
from .docs import spaces_between
from .settings import check_file


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
    leaves = words_of(tree)
    words = [str(leaf.word) for leaf in leaves]
    starts: list[bool | int | None] = [t == 0 for t in range(len(words))]
    doc = Doc(
        vocab, words=words, spaces=spaces_between(words), tags=[leaf.label for leaf in leaves], sent_starts=starts
    )  # type: ignore[arg-type]
    doc.spans[SPANS_KEY] = [Span(doc, start, end, label) for label, start, end in constituents_of(tree)]
    return doc
