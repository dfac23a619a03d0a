"""Read spaCy's binary corpora as Examples whose predicted Docs have the given columns, which spaCy's own reader drops."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from spacy.tokens import Doc, DocBin
from spacy.training import Example
from spacy.vocab import Vocab

from spacy_mtl.errors import Errors
from spacy_mtl.stored.doc_bin import check_spans, read_doc_bin
from spacy_mtl.stored.fault import StoredValueError

#: Where a Doc of a ``.spacy`` file lists the columns that are given, in ``user_data``.
GIVEN_KEY = "spacy_mtl.given"
_ATTRIBUTES = {
    "TAG": ("TAG",),
    "POS": ("POS",),
    "MORPH": ("MORPH",),
    "LEMMA": ("LEMMA",),
    "ENT": ("ENT_IOB", "ENT_TYPE"),
}
#: Columns that documents may be given.
GIVEN_COLUMNS = frozenset(_ATTRIBUTES)

#: Attributes that are numbers of strings, all of which a file must have.
_OF_STRINGS: list[int | str] = ["ORTH", "NORM", "LEMMA", "TAG", "MORPH", "DEP", "ENT_TYPE", "ENT_ID", "ENT_KB_ID"]


def read_binary(
    path: str | Path,
    vocab: Vocab,
    given: Sequence[str] | None = None,
    hidden: Sequence[str] = (),
    sentences: bool | None = None,
) -> Iterator[Example]:
    """Stream the Examples of a ``.spacy`` file, with Docs in ``vocab``.

    given: columns (TAG, POS, MORPH, LEMMA, ENT) copied from the reference to the predicted Doc; None for those that the file lists for each
    Doc, as ``convert`` writes them, or TAG where it lists none. hidden: columns not to copy. sentences: whether to copy sentence
    starts; None to copy them if a Doc has several sentences, or trees.

    Raises ValueError for an unknown column (M714), a file that cannot be read (M501) or is damaged or of another format (M705).
    """
    for column in given or ():
        if column not in _ATTRIBUTES:
            raise ValueError(Errors.M714.format(column=column, known=", ".join(_ATTRIBUTES)))
    for reference in stored_docs(Path(path), vocab):
        columns = _listed(reference, path) if given is None else given
        shown = [column for column in columns if column not in hidden]
        yield Example(_predicted(reference, shown, sentences), reference)


def _listed(reference: Doc, path: str | Path) -> Sequence[str]:
    """The columns that a file lists as given for a Doc; TAG where it lists none. Raises ValueError (M705) for what is no list of names."""
    columns = reference.user_data.get(GIVEN_KEY, ("TAG",))
    if not (isinstance(columns, tuple | list) and all(isinstance(each, str) for each in columns)):
        raise ValueError(Errors.M705.format(path=path, reason="its list of given columns is none"))
    return columns


def load_docs(path: Path) -> DocBin:
    """Load a ``.spacy`` file. Raises ValueError where it cannot be read (M501), or is damaged or of another format (M705)."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ValueError(Errors.M501.format(path=path, reason=error.strerror, cwd=Path.cwd())) from None
    try:
        return read_doc_bin(data)
    except StoredValueError as fault:
        raise ValueError(Errors.M705.format(path=path, reason=fault)) from None


def stored_docs(path: Path, vocab: Vocab) -> Iterator[Doc]:
    """The Docs of a ``.spacy`` file, in a vocab. Raises ValueError as :func:`load_docs` does, for a single Doc that is damaged, too."""
    docs = load_docs(path).get_docs(vocab)
    known: set[int] = set()
    while True:
        try:
            doc = next(docs, None)
            if doc is None:
                return
            new = set(doc.to_array(_OF_STRINGS).ravel().tolist()) - known
            if not all(number in vocab.strings for number in new):
                raise StoredValueError("it lacks strings of its words or annotation")
            check_spans(doc)
        except StoredValueError as fault:
            raise ValueError(Errors.M705.format(path=path, reason=fault)) from None
        except Exception:  # spaCy and msgpack raise errors of their own
            raise ValueError(Errors.M705.format(path=path, reason="a document cannot be unpacked")) from None
        known |= new
        yield doc


def _predicted(reference: Doc, columns: Sequence[str], sentences: bool | None) -> Doc:
    if sentences is None:
        starts = np.count_nonzero(reference.to_array(["SENT_START"]) == 1)
        sentences = bool(starts > 1) or reference.has_annotation("DEP")
    return given_doc(reference, columns, sentences)


def given_doc(reference: Doc, columns: Sequence[str], sentences: bool, trees: bool = False) -> Doc:
    """A new Doc of the same words, with the given columns (TAG, POS, MORPH, LEMMA, ENT), sentence starts and trees of a Doc."""
    words, spaces = reference.to_array(["ORTH", "SPACY"]).reshape(len(reference), 2).T
    doc = Doc(reference.vocab, words=words.tolist(), spaces=spaces.astype(bool).tolist())
    attributes: list[int | str] = [attribute for column in columns for attribute in _ATTRIBUTES.get(column, ())]
    # sentence starts come last: spaCy derives others from heads
    steps: list[list[int | str]] = [
        attributes,
        ["HEAD", "DEP"] if trees else [],
        ["SENT_START"] if sentences or trees else [],
    ]
    for wanted in steps:
        if wanted:
            values = reference.to_array(wanted).reshape(len(doc), len(wanted))
            doc.from_array(wanted, values)  # type: ignore[arg-type]
    return doc
