"""Write Docs as CoNLL-U, the inverse of :mod:`.conllu`."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
from spacy.attrs import LEMMA, MORPH, ORTH, POS, SPACY, TAG
from spacy.parts_of_speech import NAMES as POS_NAMES
from spacy.tokens import Doc

from spacy_mtl.files import write_atomically
from spacy_mtl.roots import ROOT_ID, doc_heads

from .binary import load_docs
from .conll import corpus_paths
from .convert import Counts, vocab_of

_COLUMNS: list[int | str] = [ORTH, LEMMA, POS, TAG, MORPH, SPACY]


def export_conllu(input_path: str | Path | list[str | Path], output_path: str | Path, lang: str) -> Counts:
    """Write the Docs of ``.spacy`` files to one CoNLL-U file and return their counts. lang: the language code of the vocab.

    Raises ValueError for no file (M511), a file that cannot be read (M501) or is of another format (M705), and an unknown language (M515).
    """
    vocab = vocab_of(lang)
    docs = [doc for path in corpus_paths(input_path) for doc in load_docs(path).get_docs(vocab)]
    write_conllu(docs, output_path)
    sentences = sum(len(doc_heads(doc).starts) for doc in docs)
    return Counts(len(docs), sentences, sum(map(len, docs)), 0)


def write_conllu(docs: Iterable[Doc], path: str | Path) -> None:
    """Write Docs to one CoNLL-U file, atomically; the sentences of all Docs are numbered consecutively in ``sent_id``."""
    sentences = (sentence for doc in docs for sentence in doc_to_conllu(doc))
    text = "".join(f"# sent_id = {i}\n{sentence}\n" for i, sentence in enumerate(sentences, 1))
    write_atomically(Path(path), text.encode("utf8"))


def doc_to_conllu(doc: Doc) -> Iterator[str]:
    """The sentences of a Doc: for each, a ``text`` comment and one line per word, without the empty line at its end.

    LEMMA, POS, TAG and MORPH are columns 3 to 6, "_" where they are not set. Every root has the head 0 and the label "root"
    (:mod:`spacy_mtl.roots`); a word without a label is written without a head. White space within a word is written as one space, a word of white
    space alone as "_".
    """
    trees = doc_heads(doc)
    labels = [_name(doc, label) for label in np.where(trees.labels == ROOT_ID, 0, trees.labels)]
    values = doc.to_array(_COLUMNS).reshape(len(doc), len(_COLUMNS))
    for begin, end in trees.spans:
        lines = [f"# text = {_plain(doc[begin:end].text)}\n"]
        for i in range(begin, end):
            orth, lemma, pos, tag, morph, space = values[i]
            head = str(trees.heads[i]) if trees.known[i] else "_"
            label = "root" if head == "0" else labels[i]
            misc = "_" if space or i == len(doc) - 1 else "SpaceAfter=No"
            cells = [
                _name(doc, orth),
                _name(doc, lemma),
                POS_NAMES[int(pos)] or "_",
                _name(doc, tag),
                _name(doc, morph),
            ]
            lines.append("\t".join([str(i - begin + 1), *cells, head, label, "_", misc]) + "\n")
        yield "".join(lines)


def _name(doc: Doc, string: int) -> str:
    return _plain(doc.vocab.strings[string]) if string else "_"


def _plain(text: str) -> str:
    return " ".join(text.split()) or "_"
