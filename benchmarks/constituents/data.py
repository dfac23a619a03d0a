"""The Penn Treebank sample as sentences with tags and cleaned trees."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import spacy
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_mtl.constituents.brackets import read_brackets
from spacy_mtl.constituents.clean import clean
from spacy_mtl.constituents.tree import Tree, words_of
from spacy_mtl.models.grammar.features import Words
from spacy_mtl.structures.problem import block_starts
from spacy_mtl.templates.attributes.reader import AttributeReader
from spacy_mtl.templates.grammar import TemplateSet

FOLDER = "ptb-sample"


@dataclass(frozen=True)
class Sentence:
    """A cleaned tree, its words and their gold tags."""

    tree: Tree
    words: list[str]
    tags: list[str]


def read_part(corpora: Path, part: str, longest: int = 40, limit: int = 0) -> list[Sentence]:
    """The sentences of up to ``longest`` words, punctuation counted. part: "train", "dev" or "test"."""
    path = corpora / FOLDER / f"{part}.mrg"
    with path.open(encoding="utf8") as lines:
        trees = [tree for placed in read_brackets(lines, path) if (tree := clean(placed.tree)) is not None]
    sentences = [Sentence(tree, *_texts(tree)) for tree in trees]
    return [sentence for sentence in sentences if len(sentence.words) <= longest][: limit or None]


def _texts(tree: Tree) -> tuple[list[str], list[str]]:
    leaves = words_of(tree)
    return [str(leaf.word) for leaf in leaves], [leaf.label for leaf in leaves]


def blank_vocab() -> Vocab:
    return spacy.blank("en").vocab


def words_from(sentences: Sequence[Sentence], templates: TemplateSet, vocab: Vocab) -> Words:
    """The attributes that the templates read, a Doc a sentence."""
    docs = [Doc(vocab, words=sentence.words, tags=sentence.tags) for sentence in sentences]
    reader = AttributeReader(templates.attributes, vocab)
    starts = block_starts([len(doc) for doc in docs])
    return Words(reader.read(docs, starts), reader.columns, starts, [tag for s in sentences for tag in s.tags])
