"""What to say of a corpus that a component cannot be trained on: what it has, and what to do."""

import re
from itertools import islice
from pathlib import Path

from spacy_mtl.corpora.annotated.jsonl import is_json

from .found import Survey
from .kinds import are_tagged

KINDS = {
    "binary": "a .spacy file without such annotation",
    "bracketed": "bracketed trees",
    "segmented": "lines of words",
    "trees": "dependency trees",
}
_WANTED = {
    "segmenter": "a segmented text, or a column file",
    "senter": "a file of trees, CoNLL-U or CoNLL-X, with several sentences",
    "tagger": "a file with tags",
    "morphologizer": "a file of trees, CoNLL-U, with parts of speech or morphological features",
    "lemmatizer": "a file of trees, CoNLL-U or CoNLL-X, with lemmas",
    "parser": "a file of trees, CoNLL-U or CoNLL-X, with arcs",
    "constituents": "a file of bracketed trees with constituents, such as (S (NP (PRP It)) (VP (VBZ rains)))",
    "ner": "a column file, or a .spacy file, with entities",
}
#: What trees of a treebank do not have where a component cannot be trained on them.
_LACKING = {
    "tagger": "trees without tags",
    "morphologizer": "trees without parts of speech and morphological features",
    "lemmatizer": "trees without lemmas",
}
#: What there is where no tree has an arc from a word to another.
NO_ARCS = "no arcs to learn from, since every word of its trees is a root"
#: A line of spaCy's IOB format: word|tag, or word|part of speech|tag, with blanks between the tokens.
_IOB = re.compile(r"\s*([^\s|]+\|([^\s|]+\|)?(O|[BILU]-[^\s|]+)\s+)+")
#: A line that ends in a tag of entities behind a comma or semicolon.
_SEPARATED = re.compile(r".*([,;])(O|[BILUEMS]-[^,;]+)")
#: How many lines are looked at, and the share of them that tells what the file is.
_PEEK, _MOST = 2000, 0.9

#: For texts with entities as annotation tools export them.
_TASKS = "python -m spacy mtl convert FILE FILE.spacy --lang LANG --format tasks"


def seen(component: str, found: Survey) -> str:
    """What a corpus has that cannot train the component."""
    if component == "parser" and found.kind == "trees":
        return NO_ARCS if found.trees else "no trees"
    if component == "constituents" and found.kind == "bracketed":
        return "trees without a constituent, only tagged words"
    if found.kind == "trees" and component in _LACKING:
        return _LACKING[component]
    if found.kind != "columns":
        return KINDS[found.kind]
    if component == "ner" and "ENT" in found.columns:
        return f"no tags of entities in column {found.columns.index('ENT') + 1}"
    return f"the columns {' '.join(found.columns)}"


def hint(component: str, found: Survey) -> str:
    """What to do about it."""
    if component == "parser" and found.kind == "binary" and found.trees:
        return "Write its trees as CoNLL-U first: python -m spacy mtl convert FILE.spacy FILE.conllu --lang LANG"
    if component == "ner" and found.kind in ("columns", "segmented") and is_json(found.path, _first_line(found.path)):
        return f"Write it as a .spacy file first: {_TASKS}"
    if found.kind == "columns" and component != "parser":
        return "Name its columns with --columns, such as --columns ORTH,TAG,ENT, or leave the component out"
    if found.kind == "segmented" and component in ("ner", "tagger"):
        convert, columns = _conversion(found), _columns(found.path)
        if convert or columns:
            return f"Write it as a .spacy file first: {convert}" if convert else columns
    return f"It is trained on {_WANTED[component]}"


def _conversion(found: Survey) -> str:
    """How to make a .spacy file of a format that spaCy converts; "" for another."""
    return "python -m spacy convert FILE FOLDER --converter iob" if _IOB.fullmatch(_first_line(found.path)) else ""


def _columns(path: Path) -> str:
    """What to do about a file whose lines are tokens with tags, and which is no column file; "" for another."""
    with path.open(encoding="utf8", errors="replace") as file:
        lines = [line.strip() for line in islice(file, _PEEK)]
    rows = [line for line in lines if line]
    marks = [match[1] for line in rows if (match := _SEPARATED.fullmatch(line))]
    if len(marks) > _MOST * len(rows):
        return f"It looks like columns with '{marks[0]}' between them: write tabs in place of these"
    if rows and len(rows) == len(lines) and are_tagged(rows):
        return "It looks like columns, but a column file has an empty line behind each sentence: put them in"
    return ""


def _first_line(path: Path) -> str:
    """The first line that is not empty."""
    with path.open(encoding="utf8", errors="replace") as lines:
        return next((line for line in lines if line.strip()), "")
