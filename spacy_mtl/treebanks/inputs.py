"""What can be annotated: text files, ``.spacy`` files and CoNLL-U, as a stream of Docs that have what a pipeline does not predict."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, islice
from pathlib import Path

import numpy as np
from spacy.attrs import NORM
from spacy.language import Language
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_mtl.corpora.binary import given_doc, stored_docs
from spacy_mtl.corpora.conllu import GIVEN, TreeDocMaker
from spacy_mtl.corpora.conllu_kept import TREE, begins, copy_kept, keep_token, kept_sentences
from spacy_mtl.corpora.conllu_read import TreeSentence, read_conllu
from spacy_mtl.corpora.lines.text import text_lines
from spacy_mtl.corpora.settings import check_file
from spacy_mtl.errors import Errors

from .endings import check_ending

KINDS = ("auto", "text", "conllu", "spacy")
DOCUMENTS = ("paragraph", "line", "file")
_ENDINGS = {".spacy": "spacy", ".conllu": "conllu", ".conllx": "conllu", ".conll": "conllu"}
#: The most sentences of CoNLL-U in a Doc whose borders are to be predicted.
_MOST = 100


@dataclass(frozen=True, slots=True)
class Input:
    """How files are read.

    kind: "text", "conllu" or "spacy"; "auto" goes by the file's ending (``.spacy``; ``.conllu``, ``.conllx`` and ``.conll``; others are text).
    documents: what is one Doc of a text: a "paragraph" (lines up to an empty one), a "line" or the whole "file". encoding: of text and CoNLL-U.
    given: those of TAG, POS, MORPH and LEMMA that are not predicted, and so taken from the file. tag: the column of CoNLL-U that TAG is read from.
    trees: whether trees are taken from the file. borders: whether sentence borders are taken from the file; text has none.
    """

    kind: str = "auto"
    documents: str = "paragraph"
    encoding: str = "utf8"
    given: Sequence[str] = GIVEN
    tag: str = "auto"
    trees: bool = False
    borders: bool = True


#: A Doc, and comments for CoNLL-U where it begins.
Told = tuple[Doc, list[str]]


def stream_docs(nlp: Language, paths: Sequence[Path], settings: Input) -> Iterator[Told]:
    """The Docs of all files, one after the other, with comments that say where documents and paragraphs begin. Files are opened as they are come to.

    Tokens are those of the file, of text those of the pipeline's tokenizer without tokens of white space alone, which are no words of CoNLL-U.
    Raises ValueError at once for files that are not there (M501) or are neither text nor treebank (M753-M755), and while reading for what is wrong
    with one (M502-M513, M550-M567, M705, M740).
    """
    for path in paths:
        check_file(path)
        check_ending(path, settings.kind)
    return (told for path in paths for told in _docs(nlp, path, settings))


def kind_of(path: Path, kind: str) -> str:
    """What a file is read as: "text", "conllu" or "spacy". kind: one of KINDS."""
    return _ENDINGS.get(path.suffix.lower(), "text") if kind == "auto" else kind


def _docs(nlp: Language, path: Path, settings: Input) -> Iterator[Told]:
    kind = kind_of(path, settings.kind)
    if kind == "spacy":
        return _stored(nlp, path, settings)
    if kind == "conllu":
        return _treebank(nlp.vocab, path, settings)
    return _text(nlp, path, settings)


def _text(nlp: Language, path: Path, settings: Input) -> Iterator[Told]:
    for i, text in enumerate(_texts(path, settings)):
        if len(text) > nlp.max_length:
            raise ValueError(
                Errors.M740.format(path=path, n=len(text), most=nlp.max_length, documents=settings.documents)
            )
        doc = without_white_space(nlp.make_doc(text))
        name = f"# newdoc id = {_on_a_line(path.stem)}"
        if settings.documents == "paragraph":
            comments = [*([] if i else [name]), "# newpar"]
        else:
            comments = [f"{name}-{i + 1}" if settings.documents == "line" else name]
        if len(doc):
            yield doc, comments


def _on_a_line(name: str) -> str:
    """The name of a file as a comment can hold it: on one line, and of whole characters."""
    return " ".join(name.encode("utf8", "replace").decode("utf8").split())


def _texts(path: Path, settings: Input) -> Iterator[str]:
    """The texts of a file that are a Doc each; none is empty."""
    lines = text_lines(path, settings.encoding)
    if settings.documents == "file":
        pieces = iter(["".join(lines)])
    elif settings.documents == "line":
        pieces = lines
    else:
        pieces = ("".join(run) for _, run in groupby(lines, key=lambda line: not line.strip()))
    return (piece.strip() for piece in pieces if piece.strip())


def without_white_space(doc: Doc) -> Doc:
    """A Doc without tokens of white space alone: the token before one has a space after it. Norms and multiword tokens are kept."""
    if not any(token.is_space for token in doc):
        return doc
    kept = [token for token in doc if not token.is_space]
    spaces = [bool(token.whitespace_) or (token.i + 1 < len(doc) and doc[token.i + 1].is_space) for token in kept]
    words = Doc(doc.vocab, words=[token.text for token in kept], spaces=[*spaces[:-1], False] if kept else [])
    if kept:
        norms = np.array([[token.norm] for token in kept], np.uint64)
        words.from_array([NORM], norms)  # type: ignore[arg-type]
    places = {token.i: i for i, token in enumerate(kept)}
    for each in kept_sentences(doc)[0]:  # multiword tokens, which are not white space
        for first, last, cells in each.ranges():
            keep_token(words, places[first], places[last - 1] + 1, cells.partition("\t")[0])
    return words


def sets_entities(nlp: Language) -> bool:
    """Whether a component sets entities."""
    assigned = {attribute for name in nlp.pipe_names for attribute in nlp.get_pipe_meta(name).assigns}
    return bool(assigned & {"doc.ents", "token.ent_iob", "token.ent_type"})


def _stored(nlp: Language, path: Path, settings: Input) -> Iterator[Told]:
    given = [*settings.given, *([] if sets_entities(nlp) else ["ENT"])]
    for source in stored_docs(path, nlp.vocab):
        if not len(source):
            continue
        trees = settings.trees and source.has_annotation("DEP")
        doc = given_doc(source, given, settings.borders and source.has_annotation("SENT_START"), trees)
        copy_kept(source, doc, [*given, *(TREE if trees else ())])
        yield doc, ["# newdoc"]


def _treebank(vocab: Vocab, path: Path, settings: Input) -> Iterator[Told]:
    maker = TreeDocMaker(vocab, settings.tag, keep=True)
    sentences = read_conllu(path, "auto", settings.encoding, "treeless", keep=True)
    groups = ([sentence] for sentence in sentences) if settings.borders else _paragraphs(sentences)
    for group in groups:
        yield maker.doc(group, settings.given, settings.trees and settings.borders, settings.borders), []


def _paragraphs(sentences: Iterator[TreeSentence]) -> Iterator[list[TreeSentence]]:
    """Sentences up to the next that begins a document or paragraph, at most 100."""
    number = 0

    def paragraph(sentence: TreeSentence) -> int:
        nonlocal number
        assert sentence.source is not None
        number += any(begins(comment) for comment in sentence.source.comments)
        return number

    for _, run in groupby(sentences, key=paragraph):
        while group := list(islice(run, _MOST)):
            yield group
