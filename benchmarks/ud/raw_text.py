"""The text of a treebank as a file of its own, for contestants that begin with raw text, and a copy without sentences that are no trees."""

from pathlib import Path

from benchmarks.parsing.data import is_tree
from spacy_mtl.corpora.conllu_read import TreeSentence, read_conllu

#: Comments that begin a paragraph.
BORDERS = ("# newdoc", "# newpar")


def raw_text(path: Path) -> str | None:
    """Sentences joined by spaces, an empty line between paragraphs where the file says where they begin; None if the file has no text.

    Raises ValueError where a ``text`` comment is not the text of the tokens.
    """
    parts: list[str] = []
    for sentence in read_conllu(path, "conllu", keep=True):
        if sentence.text is None:
            return None
        if not sentence.fits:
            raise ValueError(f"The text of sentence {sentence.id} of {path} is not that of its tokens.")
        begins = any(comment.startswith(BORDERS) for comment in _comments(sentence))
        parts += ["\n\n" if begins else " ", sentence.text] if parts else [sentence.text]
    return "".join(parts) + "\n"


def _comments(sentence: TreeSentence) -> list[str]:
    assert sentence.source is not None
    return sentence.source.comments


def trees_alone(path: Path) -> str:
    """The CoNLL-U file without sentences whose heads are no tree (Dutch has one), which no trainer takes."""
    blocks = path.read_text(encoding="utf8").strip("\n").split("\n\n")
    kept = [
        block
        for block in blocks
        if is_tree([int(row[6]) for row in map(_columns, block.split("\n")) if row[0].isdigit()])
    ]
    return "\n\n".join(kept) + "\n\n"


def _columns(line: str) -> list[str]:
    return line.split("\t")
