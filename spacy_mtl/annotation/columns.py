"""A Doc as columns of lists, one for each kind of annotation: what rows of JSON lines, Parquet, pandas and Spark hold."""

from collections.abc import Callable, Mapping
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc

from spacy_mtl.corpora.conllu_kept import raw_starts
from spacy_mtl.treebanks.annotate import predicted_columns, sets_borders
from spacy_mtl.treebanks.inputs import sets_entities

STRINGS, INTEGERS = "strings", "integers"
#: Columns that every row has, and what they hold.
ALWAYS = {"words": STRINGS, "starts": INTEGERS}
#: The column of each annotation, and what it holds.
_OF_COMPONENTS = {
    "SENT": ("sents", INTEGERS),
    "TAG": ("tags", STRINGS),
    "POS": ("pos", STRINGS),
    "MORPH": ("morphs", STRINGS),
    "LEMMA": ("lemmas", STRINGS),
    "DEP": ("deps", STRINGS),
    "HEAD": ("heads", INTEGERS),
    "ENT": ("ents", STRINGS),
}
_ENTITY = {0: "", 1: "I-", 2: "", 3: "B-"}

_MAKE: Mapping[str, Callable[[Doc], list[Any]]] = {
    "words": lambda doc: [token.text for token in doc],
    "starts": raw_starts,
    "sents": lambda doc: [sentence.start for sentence in doc.sents] if len(doc) else [],
    "tags": lambda doc: [token.tag_ for token in doc],
    "pos": lambda doc: [token.pos_ for token in doc],
    "morphs": lambda doc: [str(token.morph) for token in doc],
    "lemmas": lambda doc: [token.lemma_ for token in doc],
    "deps": lambda doc: [token.dep_ for token in doc],
    "heads": lambda doc: [token.head.i for token in doc],
    "ents": lambda doc: [
        f"{_ENTITY[token.ent_iob]}{token.ent_type_}" if token.ent_iob in (1, 3) else "O" for token in doc
    ],
}


def columns_of(nlp: Language) -> dict[str, str]:
    """The columns of what a pipeline annotates, and what each holds: "strings" or "integers", a list of them for each document.

    words, starts: the tokens and their first characters in :func:`.given_text`; words of a multiword token begin where that does. sents: the first
    token of each sentence. tags, pos, morphs, lemmas, deps: strings of each token. heads: the number of each token's head, that of the token itself
    for a root. ents: B-LABEL, I-LABEL or O of each token.
    Columns that no component sets are left out.
    """
    present = predicted_columns(nlp)
    present |= {"HEAD"} if "DEP" in present else set()
    present |= {"SENT"} if sets_borders(nlp) else set()
    present |= {"ENT"} if sets_entities(nlp) else set()
    return {**ALWAYS, **{name: holds for key, (name, holds) in _OF_COMPONENTS.items() if key in present}}


def row_of(doc: Doc, columns: Mapping[str, str]) -> dict[str, list[Any]]:
    """The columns of a Doc, by their names, as :func:`columns_of` tells them."""
    return {name: _MAKE[name](doc) for name in columns}


def arrow_schema(columns: Mapping[str, str]) -> Any:
    """The columns as a schema of pyarrow, which must be installed."""
    import pyarrow as pa

    kinds = {STRINGS: pa.list_(pa.string()), INTEGERS: pa.list_(pa.int32())}
    return pa.schema([(name, kinds[holds]) for name, holds in columns.items()])


def spark_schema(columns: Mapping[str, str]) -> str:
    """The columns as Spark writes a schema."""
    kinds = {STRINGS: "array<string>", INTEGERS: "array<int>"}
    return ", ".join(f"{name} {kinds[holds]}" for name, holds in columns.items())
