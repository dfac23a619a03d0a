"""spaCy's ``.spacy`` files (DocBin), which are read and written as a whole."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import BinaryIO

import srsly
from spacy.language import Language
from spacy.tokens import Doc, DocBin

from spacy_mtl.corpora.binary import GIVEN_KEY, given_doc, stored_docs
from spacy_mtl.corpora.conllu_kept import NAME, TREE, copy_kept
from spacy_mtl.treebanks.inputs import Input, sets_entities

from ..documents import Document, SetAside, Task, check_id
from ..partitions import Partition
from .jsonl import n_sentences

#: Where a Doc of an output has its id, in ``user_data``.
ID_KEY = "spacy_mtl.id"


def read(partition: Partition, nlp: Language, task: Task) -> Iterator[Document | SetAside]:
    """The Docs of a file, with what the pipeline does not predict. From a Doc that is damaged on, the file is set aside."""
    given = [*task.input.given, *([] if sets_entities(nlp) else ["ENT"])]
    number = 0
    try:
        if partition.bytes:
            for number, source in enumerate(stored_docs(partition.path, nlp.vocab)):
                known = source.user_data.get(ID_KEY)
                name = known if isinstance(known, str) else f"{partition.title}#{number}"
                yield Document(name, partial(_doc, source, task.input, given), None, ["# newdoc"])
                number += 1
    except ValueError as fault:
        yield SetAside(f"{partition.title}#{number}", str(fault))


def _doc(source: Doc, settings: Input, given: Sequence[str]) -> Doc:
    trees = settings.trees and source.has_annotation("DEP")
    doc = given_doc(source, given, settings.borders and source.has_annotation("SENT_START"), trees)
    doc.user_data.update({key: value for key, value in source.user_data.items() if key != GIVEN_KEY and not _kept(key)})
    doc.cats = dict(source.cats)
    doc.spans.from_bytes(source.spans.to_bytes())
    copy_kept(source, doc, [*given, *(TREE if trees else ())])
    return doc


def _kept(key: object) -> bool:
    """Whether an entry belongs to a treebank, of which only what is given is to be copied."""
    return isinstance(key, tuple) and NAME in key


class Writer:
    """A file of all Docs; it is written when it is closed."""

    def __init__(self, file: BinaryIO, nlp: Language, task: Task, partition: Partition):
        self._file, self._packed = file, DocBin(store_user_data=True)

    def add(self, document: Document, doc: Doc) -> int:
        """Take a document; returns its number of sentences. Raises ValueError, with M796 for its id, where it cannot be written."""
        check_id(document)
        doc.user_data[ID_KEY] = document.id
        try:
            one = DocBin(docs=[doc], store_user_data=True)
            srsly.msgpack_dumps(doc.cats)  # which would be written with all others
        except (TypeError, OverflowError) as error:  # of an object, or of a number that is too large
            raise ValueError(f"it cannot be written: {error}") from None
        self._packed.merge(one)  # of one that cannot be written nothing is taken
        return n_sentences(doc)

    def close(self) -> None:
        """Write the file."""
        self._file.write(self._packed.to_bytes())
