"""Write Docs as CoNLL-U, the inverse of :mod:`.conllu`."""

import warnings
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
from spacy.attrs import ENT_IOB, ENT_TYPE, LEMMA, MORPH, ORTH, POS, SPACY, TAG
from spacy.parts_of_speech import NAMES as POS_NAMES
from spacy.tokens import Doc

from spacy_mtl.errors import Warnings
from spacy_mtl.files import writing_atomically
from spacy_mtl.roots import ROOT_ID, Trees, doc_heads

from .conllu_kept import Kept, Row, kept_sentences, restore_cells, restore_graph, space_of_token, surface_text, tree_of

_COLUMNS: list[int | str] = [ORTH, LEMMA, POS, TAG, MORPH, SPACY]
_UPOS, _XPOS, _MISC = 2, 3, 8
#: Numbers of ENT_IOB, and what they are in IOB2; of O nothing is written.
_IOB = {1: "I", 2: "O", 3: "B"}
TAG_COLUMNS = ("xpos", "upos")

Range = tuple[int, int, str]  # first word, word after the last, columns 2 to 10


def write_conllu(docs: Iterable[Doc], path: str | Path, tag: str = "xpos") -> int:
    """Write Docs to one CoNLL-U file, atomically, one after the other. Returns the number of sentences.

    The sentences of all Docs are numbered consecutively, and the number is the ``sent_id`` of those that were not read from a file with ``keep``.
    tag: as in :func:`doc_to_conllu`. Raises OSError where the file cannot be written: M650-M652.
    """
    number = 0
    with writing_atomically(path) as file:
        for doc in docs:
            for sentence in doc_to_conllu(doc, tag, number + 1):
                number += 1
                file.write(f"{sentence}\n".encode())
    return number


def doc_to_conllu(
    doc: Doc, tag: str = "xpos", number: int | None = None, comments: Sequence[str] = ()
) -> Iterator[str]:
    """The sentences of a Doc: for each, its comments and one line per word, without the empty line at its end.

    LEMMA, POS, TAG and MORPH are columns 3 to 6, "_" where they are not set; features are in alphabetical order, whatever their case.
    Every root has the head 0 and the label "root" (:mod:`spacy_mtl.roots`); a word without a label is written without a head. White space within a
    word is written as one space, a word of white space alone as "_". The comment is ``text``, after ``sent_id`` if there is a number.

    Entities are in column 10, as ``NER=B-LOC`` and ``NER=I-LOC`` (:func:`write_entities`).

    What a file said beyond that, and was kept (:mod:`.conllu_kept`), is written as it was where the Doc still says the same. A sentence whose borders
    have moved has new comments, but for those that begin a document or paragraph. Warns (M565) of what does not fit the words any longer.

    tag: "upos" to write TAG to column 4 where there is no POS, "xpos" for column 5. number: of the first sentence. comments: further ones
    before the first sentence, if it is not as it was in a file.
    """
    trees = doc_heads(doc)
    kept, lost = kept_sentences(doc)
    if lost:
        warnings.warn(Warnings.M565.format(n=lost, text=doc.text[:60]), stacklevel=2)
    sentences = [each for each in kept if each.whole]
    columns = [tag] * len(doc)  # where the TAG of each word goes
    for each in sentences:
        columns[each.begin : each.end] = [each.entry["tag"]] * (each.end - each.begin)
    plain = [place_tag(row, column) for row, column in zip(plain_rows(doc, trees), columns, strict=True)]
    rows = [list(row) for row in plain]
    for each in sentences:
        restore_cells(rows, each)
    kept = [each if each.whole else space_of_token(rows, each) for each in kept]
    write_entities(rows, doc)
    ranges = [found for each in kept for found in each.ranges()]  # in order, as kept is
    whole = {(each.begin, each.end): each for each in sentences}
    for i, (begin, end) in enumerate(trees.spans):
        same = whole.get((begin, end))
        if same is not None:
            told = same.entry["comments"]
            others = restore_graph(rows, same, tree_of(plain[begin:end]))
        else:
            inside = _inside(ranges, begin, end)
            others = [(first - begin, last - first, cells) for first, last, cells in inside]
            here = kept[bisect_left(kept, begin, key=_begin) : bisect_left(kept, begin + 1, key=_begin)]
            new = _new_comments(doc, (begin, end), inside, here, None if number is None else number + i)
            told = [*([] if i else comments), *new]
        yield "".join(f"{comment}\n" for comment in told) + _lines(rows[begin:end], others)


def _begin(kept: Kept) -> int:
    return kept.begin


def _inside(ranges: list[Range], begin: int, end: int) -> list[Range]:
    """The ranges, which are in order, that are wholly between two words."""
    first, last = (bisect_left(ranges, place, key=lambda found: found[0]) for place in (begin, end))
    return [found for found in ranges[first:last] if found[1] <= end]


def _new_comments(
    doc: Doc, span: tuple[int, int], ranges: list[Range], kept: list[Kept], number: int | None
) -> list[str]:
    """Comments of a sentence that no file has. ranges: inside of it. kept: what begins where it does."""
    comments = [comment for each in kept for comment in each.borders()]
    if number is not None:
        comments.append(f"# sent_id = {number}")
    return [*comments, f"# text = {_plain(surface_text(doc, *span, ranges))}"]


def _lines(rows: list[Row], others: list[tuple[int, int, str]]) -> str:
    """The lines of one sentence. others: ranges and empty nodes, in order."""
    lines = []
    waiting = iter([*others, (len(rows) + 1, 0, "")])
    at, size, cells = next(waiting)
    for i in range(len(rows) + 1):
        while at == i:
            lines.append(f"{i + 1}-{i + size}\t{cells}\n" if size > 0 else f"{i}.{-size}\t{cells}\n")
            at, size, cells = next(waiting)
        if i < len(rows):
            lines.append("\t".join([str(i + 1), *rows[i]]) + "\n")
    return "".join(lines)


def plain_rows(doc: Doc, trees: Trees | None = None) -> list[Row]:
    """Columns 2 to 10 of each word of a Doc, by what the Doc itself says, with TAG in column 5. trees: those of the Doc."""
    trees = doc_heads(doc) if trees is None else trees
    labels = [_name(doc, label) for label in np.where(trees.labels == ROOT_ID, 0, trees.labels)]
    values: list[list[int]] = doc.to_array(_COLUMNS).reshape(len(doc), len(_COLUMNS)).tolist()  # type: ignore[assignment]
    rows = []
    for i, (orth, lemma, pos, tag, morph, space) in enumerate(values):
        head = str(trees.heads[i]) if trees.known[i] else "_"
        label = "root" if head == "0" else labels[i]
        misc = "_" if space or i == len(doc) - 1 else "SpaceAfter=No"
        words = [_name(doc, orth), _name(doc, lemma)]
        rows.append(
            [*words, POS_NAMES[pos] or "_", _name(doc, tag), _features(_name(doc, morph)), head, label, "_", misc]
        )
    return rows


def write_entities(rows: list[Row], doc: Doc) -> None:
    """Put the entities of a Doc into MISC, with the key ``NER`` and in IOB2, in place of those of the file. Words outside of entities have none.

    rows: columns 2 to 10 of each word, which are changed. Where nothing has looked for entities, MISC stays as it is.
    """
    if not doc.has_annotation("ENT_IOB"):
        return
    marks: list[list[int]] = doc.to_array([ENT_IOB, ENT_TYPE]).reshape(len(doc), 2).tolist()  # type: ignore[assignment]
    for row, (iob, label) in zip(rows, marks, strict=True):
        if iob in _IOB and (label or row[_MISC] != "_"):
            name = _name(doc, label).replace("|", "\\p")  # as UDPipe escapes it
            row[_MISC] = _with_entity(row[_MISC], f"NER={_IOB[iob]}-{name}" if label else None)


def _with_entity(misc: str, entity: str | None) -> str:
    """MISC with this entity or none, before what comes after it in the alphabet."""
    values = [value for value in misc.split("|") if value != "_" and not value.upper().startswith("NER=")]
    if entity is not None:
        place = next((i for i, value in enumerate(values) if value.upper() > entity.upper()), len(values))
        values.insert(place, entity)
    return "|".join(values) or "_"


def place_tag(row: Row, column: str) -> Row:
    """A row with TAG where it belongs: as it is for "xpos"; for "upos", in column 4 if there is no POS, and not in column 5."""
    if column != "upos":
        return row
    upos = row[_XPOS] if row[_UPOS] == "_" else row[_UPOS]
    return [*row[:_UPOS], upos, "_", *row[_XPOS + 1 :]]


def _name(doc: Doc, string: int) -> str:
    return _plain(doc.vocab.strings[string]) if string else "_"


@lru_cache(maxsize=1 << 12)
def _features(morph: str) -> str:
    """Features in the order of Universal Dependencies, in which case makes no difference; spaCy's has NumType before Number."""
    return "|".join(sorted(morph.split("|"), key=str.lower))


def _plain(text: str) -> str:
    return " ".join(text.split()) or "_"
