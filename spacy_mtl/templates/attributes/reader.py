"""From Docs to integer columns: one uint64 per token and attribute.

Attributes that depend on the word form alone (affixes, shape, character type, spaCy's lexeme flags) are computed once per distinct
form and kept in a :class:`Lexicon`, so that a token costs one hash look-up. Attributes of the token in its context (TAG, LEMMA,
NORM, ...) are read with ``Doc.to_array``.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np
from spacy.attrs import IDS
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_mtl.distinct import distinct
from spacy_mtl.errors import Errors
from spacy_mtl.kernels import brief_kernel
from spacy_mtl.registry import mtl_attributes
from spacy_mtl.tables.phrases import PhraseList
from spacy_mtl.templates.affixes import Part, hash_parts, part_of
from spacy_mtl.templates.index import empty_table, find, insert_all

from .breaks import BreakTable, no_breaks
from .characters import (
    CHARACTER_CONTEXT,
    CharacterContext,
    WordTable,
    char_type,
    character,
    character_class,
    word_table,
)
from .context import CONTEXT_ATTRIBUTES, ContextReader, case_flags, case_pattern, needs_of
from .derived import Derived, base_of, derived, fold_accents
from .learned import LEARNED, check_learned, learned_function
from .lists import ListContext
from .noisy import bare, short_shape, token_kind
from .of_tables import ClusterPath, check_read, cluster_function, hash_paths, is_cluster, is_list
from .values import all_as_uint64, values_of

#: spaCy attributes that depend on the word form alone: attribute name -> name on Lexeme.
LEXEME = {"LOWER": "lower", "SHAPE": "shape", "PREFIX": "prefix", "SUFFIX": "suffix"} | {
    name: name.lower() for name in IDS if name.startswith(("IS_", "LIKE_")) and name not in ("IS_OOV_DEPRECATED",)
}
_NOT_TOKEN_ATTRIBUTES = ("", "ID", "HEAD", "PROB", "LANG")
#: Token attributes that may be 0 without being unset.
_ALWAYS_SET = ("SPACY", "IDX")


def lexical(function: Callable[[str], str | int | bool]) -> Callable[[str], str | int | bool]:
    """Mark a function registered in ``mtl_attributes`` as depending on the word form alone: ``str -> str | int | bool``.

    Unmarked functions take the Doc and return one value per token.
    """
    try:
        function.lexical = True  # type: ignore[attr-defined]
    except (AttributeError, TypeError):  # what Python has built in, such as len, str.upper or bool
        return lexical(lambda text: function(text))
    return function


def last_part(text: str) -> str:
    """The part after the last hyphen or slash, in lower case: ``"T-Cell"`` -> ``"cell"``; "" without a hyphen or slash."""
    parts = re.split("[-–/]", text.lower())
    return parts[-1] if len(parts) > 1 else ""


_OWN_LEXICAL: dict[str, Callable[[str], str | int | bool]] = {
    "CHAR_TYPE": char_type,
    "LAST_PART": last_part,
    "CASE": case_pattern,
    "CASE_FLAGS": case_flags,
    "CHAR": character,
    "CHAR_CLASS": character_class,
    "UNACCENTED": fold_accents,
    "TOKEN_KIND": token_kind,
    "BARE": bare,
    "SHORT_SHAPE": short_shape,
    "LOWER_UNACCENTED": lambda text: fold_accents(text.lower()),
}
_NO_WORDS, _NO_BREAKS = word_table([]), no_breaks()
_CONTEXT = (*CONTEXT_ATTRIBUTES, *CHARACTER_CONTEXT)


def of_form(attr: str) -> bool:
    """Whether an attribute follows from the word form alone, with the help of a table or without."""
    return attr in LEXEME or attr in LEARNED or is_cluster(attr) or lexical_function(attr) is not None


def lexical_function(attr: str) -> Callable[[str], str | int | bool] | None:
    """The function of the word form behind ``attr``; None unless it is such an attribute of this package or of the user."""
    if (part := part_of(attr)) is not None:
        return part
    if attr in _OWN_LEXICAL:
        return _OWN_LEXICAL[attr]
    function = mtl_attributes.get(attr) if attr in mtl_attributes else None
    return function if function is not None and getattr(function, "lexical", False) else None


def of_characters(attr: str) -> bool:
    """Whether a segmenter's characters have an attribute: because of their form alone, or of the characters around them."""
    return attr == "ORTH" or attr in (*CHARACTER_CONTEXT, *LEARNED, *LEXEME) or lexical_function(attr) is not None


def check_attributes(attributes: Sequence[str], template_of: Callable[[str], str]) -> None:
    """Refuse an attribute that does not exist. Raises ValueError (M110). template_of: attribute -> template to name in the message."""
    for attr in attributes:
        known = (attr in IDS and attr not in _NOT_TOKEN_ATTRIBUTES) or attr in _CONTEXT or derived(attr)
        if not (known or of_form(attr) or is_list(attr) or attr in mtl_attributes):
            raise ValueError(
                Errors.M110.format(attr=attr, template=template_of(attr), known="ORTH, LOWER, SHAPE, TAG, ...")
            )


def doc_attributes(attributes: Sequence[str]) -> list[str]:
    """The attributes of Docs that a reader of these attributes reads and that components may set, sorted."""
    read = [name for attr in attributes for name in (needs_of(attr) if attr in CONTEXT_ATTRIBUTES else (attr,))]
    read = [base_of(attr) for attr in read]
    own = [a for a in read if a in IDS and a not in (*_ALWAYS_SET, "ORTH") and not of_form(a)]
    return sorted(set(own))


@brief_kernel
def _find_ids(table, orths, ids):
    """Set ids[i] to the lexicon row of orths[i], -1 if new. Returns how many are new."""
    missing = 0
    for i in range(orths.size):
        ids[i] = table.rows[find(table, orths[i])]
        missing += ids[i] < 0
    return missing


def _function(attr: str, tables: Mapping[str, Any]) -> Callable[[str], str | int | bool] | None:
    """The function of the word form behind an attribute; None if spaCy computes it."""
    if is_cluster(attr):
        return cluster_function(attr, tables)
    return learned_function(attr, tables) if attr in LEARNED else lexical_function(attr)


class Lexicon:
    """A cache of the lexical attributes, with one row per distinct word form.

    values: uint64[capacity, K], of which the first ``size`` rows are valid. When there are more than ``limit`` forms, the cache is emptied, so that
    memory stays bounded on endless streams.
    """

    def __init__(self, attributes: Sequence[str], vocab: Vocab, limit: int = 1 << 18):
        self.attributes = tuple(attributes)
        self.vocab = vocab
        self.limit = limit
        self.generation = 0
        self.learn({})

    def learn(self, tables: Mapping[str, Any]) -> None:
        """Empty the cache and use these tables for learned attributes and clusters."""
        self.functions = [_function(attr, tables) for attr in self.attributes]
        self._clear()

    def _clear(self) -> None:
        self.size = 0
        self.orths = np.empty(1024, np.uint64)
        self.values = np.empty((1024, len(self.attributes)), np.uint64)
        self._table = empty_table(1024)
        self.generation += 1

    def ids(self, orths: np.ndarray) -> np.ndarray:
        """Lexicon rows int32[N] of word forms uint64[N]; new forms are added."""
        ids = np.empty(orths.size, np.int32)
        if _find_ids(self._table, orths, ids):
            new = distinct(orths[ids < 0])
            if self.size + new.size > max(self.limit, new.size):
                self._clear()
                new = distinct(orths)
            self._add(new)
            _find_ids(self._table, orths, ids)
        return ids

    def look_up(self, orths: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The same, and the values that these rows are of: rows that it has never change, but the table may be another after the next call."""
        return self.ids(orths), self.values

    def _add(self, orths: np.ndarray) -> None:
        size = self.size + orths.size
        if size > self.orths.size:
            grown = max(size, min(1 << int(size - 1).bit_length(), self.limit))
            self.orths = np.concatenate([self.orths, np.empty(grown - self.orths.size, np.uint64)])
            extra = np.empty((grown - len(self.values), len(self.attributes)), np.uint64)
            self.values = np.concatenate([self.values, extra])
        self.orths[self.size : size] = orths
        self._fill(self.values[self.size : size], orths.tolist())
        first = self.size
        self.size = size
        if 2 * size > self._table.rows.size:
            self._table, first = empty_table(self.orths.size), 0
        insert_all(self._table, self.orths[:size], first)

    def _fill(self, rows: np.ndarray, orths: list[int]) -> None:
        """Compute the rows of new forms: parts and clusters of all forms at once, other attributes column by column."""
        strings, vocab = self.vocab.strings, self.vocab
        texts = [strings[orth] for orth in orths]
        parts = {k: function for k, function in enumerate(self.functions) if isinstance(function, Part)}
        paths = {k: function for k, function in enumerate(self.functions) if isinstance(function, ClusterPath)}
        rows[:, list(parts)] = hash_parts(texts, list(parts.values()))
        rows[:, list(paths)] = hash_paths(texts, list(paths.values()))
        for k, (attr, function) in enumerate(zip(self.attributes, self.functions, strict=True)):
            if k not in parts and k not in paths:
                # make no lexeme unless one is needed: that takes longer than all the rest
                found = (
                    [function(text) for text in texts] if function else [getattr(vocab[o], LEXEME[attr]) for o in orths]
                )
                rows[:, k] = all_as_uint64(found, attr)


class AttributeReader:
    """Reads the attributes of a template set from Docs, as integer columns.

    columns: attribute name -> row of the column matrix, in the order: attributes set on the Doc, lexical attributes, context attributes.
    words: the dictionary for attributes of characters, see :func:`.characters.word_table`. learned: tables of learned attributes, see
    :mod:`.learned`, and clusters and lists of phrases, see :mod:`.of_tables`; training may pass those of words to the lexicon later. Raises
    ValueError if words or tables are needed but missing (M127, M132, M809).
    """

    def __init__(
        self, attributes: Sequence[str], vocab: Vocab, words: WordTable | None = None, learned: Mapping[str, Any] | None = None
    ):  # fmt: skip
        check_learned(attributes, learned or {})
        check_read("reader of attributes", learned or {}, attributes)
        context = [a for a in attributes if a in _CONTEXT or is_list(a)]
        names_of = [[a for a in context if a in known] for known in (CONTEXT_ATTRIBUTES, CHARACTER_CONTEXT)]
        self.context = ContextReader(names_of[0], vocab.strings) if names_of[0] else None
        self.characters = CharacterContext(names_of[1], words) if names_of[1] else None
        lists = {name: table for name, table in (learned or {}).items() if isinstance(table, PhraseList)}
        self.lists = ListContext([a for a in context if is_list(a)], lists) if any(map(is_list, context)) else None
        parts = (self.context, self.characters, self.lists)
        self._needs = tuple(name for part in parts if part for name in part.needs if name != "ORTH")
        attributes = list(dict.fromkeys([*attributes, *self._needs]))
        lexical_names = [a for a in attributes if of_form(a)]
        self.token_attributes = [a for a in attributes if a not in lexical_names and a in IDS and a != "ORTH"]
        self.doc_functions = {
            a: derived(a) or mtl_attributes.get(a)
            for a in attributes
            if a not in IDS and a not in [*lexical_names, *context]
        }
        self.lexicon = Lexicon(lexical_names, vocab)
        if learned:
            self.lexicon.learn(learned)
        names = ["ORTH", *self.token_attributes, *self.doc_functions, *lexical_names, *context]
        self.n_given = len(names) - len(lexical_names) - len(context)
        self.columns = {name: row for row, name in enumerate(names)}

    @property
    def context_needs(self) -> tuple[str, ...]:
        """Lexical attributes that the context attributes are computed from."""
        return self._needs

    @property
    def words(self) -> WordTable:
        """The dictionary; empty if no attribute needs it."""
        words = self.characters.words if self.characters is not None else None
        return words if words is not None else _NO_WORDS

    @property
    def breaks(self) -> BreakTable:
        """The table of BREAK; empty if no attribute needs it."""
        return self.characters.breaks if self.characters is not None else _NO_BREAKS

    def reads(self, attr: str) -> tuple[str, ...]:
        """The attributes of the Doc that a template with ``attr`` reads."""
        if attr in CONTEXT_ATTRIBUTES:
            return needs_of(attr)
        if is_list(attr):
            return ("ORTH",)
        return CharacterContext.needs if attr in CHARACTER_CONTEXT else (attr,)

    def read_given(self, docs: Sequence[Doc]) -> np.ndarray:
        """The columns that are read from the Doc itself, uint64[n_given, N], ORTH first."""
        others = [f.base for f in self.doc_functions.values() if isinstance(f, Derived)]
        ids: list[int | str] = list(dict.fromkeys(["ORTH", *self.token_attributes, *others]))
        parts = [doc.to_array(ids).reshape(len(doc), len(ids)) for doc in docs]
        read = np.concatenate(parts).T if parts else np.empty((len(ids), 0), np.uint64)
        given = np.empty((self.n_given, read.shape[1]), np.uint64)
        n = self.n_given - len(self.doc_functions)
        given[:n] = read[:n]
        for row, (attr, function) in enumerate(self.doc_functions.items(), n):
            if isinstance(function, Derived):
                given[row] = function(read[ids.index(function.base)], self.lexicon.vocab.strings)
            elif docs:
                given[row] = np.concatenate([values_of(attr, function, doc) for doc in docs])
        return given

    def expand(
        self, given: np.ndarray, starts: np.ndarray, doc_starts: np.ndarray,
        looked_up: tuple[np.ndarray, np.ndarray] | None = None, wanted: Sequence[str] | None = None,
    ) -> np.ndarray:  # fmt: skip
        """All columns uint64[A, N], from those read from Docs, uint64[n_given, N].

        starts, doc_starts: int64, borders of sentences and of documents. looked_up: lexicon rows int32[N] and ``lexicon.values``, if already known.
        wanted: fill only these lexical columns (and those that context attributes need).
        """
        columns = np.empty((len(self.columns), given.shape[1]), np.uint64)
        columns[: self.n_given] = given
        needed = {*wanted, *self._needs} if wanted is not None else None
        if self.lexicon.attributes:
            ids, values = looked_up or self.lexicon.look_up(given[0])
            for k, attr in enumerate(self.lexicon.attributes):
                if needed is None or attr in needed:
                    columns[self.n_given + k] = values[ids, k]
        if self.context is not None:
            self.context.fill(columns, self.columns, starts, doc_starts)
        if self.characters is not None:
            self.characters.fill(columns, self.columns, starts)
        if self.lists is not None:
            self.lists.fill(columns, self.columns, starts)
        return columns

    def read(self, docs: Sequence[Doc], starts: np.ndarray, lock: AbstractContextManager | None = None) -> np.ndarray:
        """All columns uint64[A, N] of the docs' tokens, in order. starts: int64, borders of their sentences. lock: held while the lexicon grows."""
        doc_starts = np.concatenate([[0], np.cumsum([len(doc) for doc in docs])]).astype(np.int64)
        given = self.read_given(docs)
        with lock or nullcontext():
            looked_up = self.lexicon.look_up(given[0])
        return self.expand(given, starts, doc_starts, looked_up)

    def unset(self, given: np.ndarray) -> list[str]:
        """Context attributes that no token of ``given`` has (all values are 0)."""
        if not given.shape[1]:
            return []
        needed = [a for a in self.token_attributes if a not in _ALWAYS_SET]
        needed += [a for a, function in self.doc_functions.items() if isinstance(function, Derived)]
        return [a for a in needed if not given[self.columns[a]].any()]
