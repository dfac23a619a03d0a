"""What to say of a corpus that a component cannot be trained on: what it has, and what to do."""

import re
from pathlib import Path

from spacy_mtl.corpora.annotated.jsonl import is_json

from .found import Survey

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
#: What there is where no tree has an arc from a word to another.
NO_ARCS = "no arcs to learn from, since every word of its trees is a root"
#: A line of spaCy's IOB format: word|tag, or word|part of speech|tag, with blanks between the tokens.
_IOB = re.compile(r"\s*([^\s|]+\|([^\s|]+\|)?(O|[BILU]-[^\s|]+)\s+)+")

#: For texts with entities as annotation tools export them.
_TASKS = "python -m spacy mtl convert FILE FILE.spacy --lang LANG --format tasks"


def seen(component: str, found: Survey) -> str:
    """What a corpus has that cannot train the component."""
    if component == "parser" and found.kind == "trees":
        return NO_ARCS if found.trees else "no trees"
    if component == "constituents" and found.kind == "bracketed":
        return "trees without a constituent, only tagged words"
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
        convert = _conversion(found)
        if convert:
            return f"Write it as a .spacy file first: {convert}"
    return f"It is trained on {_WANTED[component]}"


def _conversion(found: Survey) -> str:
    """How to make a .spacy file of a format that spaCy converts; "" for another."""
    return "python -m spacy convert FILE FOLDER --converter iob" if _IOB.fullmatch(_first_line(found.path)) else ""


def _first_line(path: Path) -> str:
    """The first line that is not empty."""
    with path.open(encoding="utf8", errors="replace") as lines:
        return next((line for line in lines if line.strip()), "")
