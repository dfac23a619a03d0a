"""Fast tagging of characters: all of a prediction in one kernel call.

A text of a sentence keeps kernels busy for some microseconds, which is as much as calling one takes. So what :class:`Predictor` does step by
step is done here by one kernel, with flat arguments (numba resolves the types of tuples slowly), in the same order and with the same tables.
"""

import numpy as np

from ..kernels import kernel
from ..structures.chain_build import Constraints
from ..templates.characters import (
    ATTRIBUTE_BITS,
    CHARACTER_CONTEXT,
    ONE_PART,
    WordTable,
    compare,
    match_words,
    number_places,
    word_table,
)
from ..templates.extract import Program
from ..templates.index import Table
from .characters import Characters, CharacterTable
from .joint import Groups, add_groups, groups_of
from .lookup import Lookup, add_looked_up
from .predict import Chain, Predictor, decode_all, forbid
from .shapes import Memory, Shapes, SharedLookup, add_borders, add_shapes, more_room, new_memory
from .weights import ChainWeights
from .windows import WindowScores, add_window

#: Entries that the memory of groups may have.
GROUP_LIMIT = 1 << 18
_NO_LIMIT = 1 << 62
#: Which memory is full.
_SHAPES, _GROUPS = 1, 2


@kernel
def tag_characters(
    at, ids, starts, joined, begin_tags, form_of, orths,
    values, value_rows, n_columns, context_rows, bits, word_slots, word_rows, word_known, parts,
    form_offsets, form_values, form_outside, place_offsets, place_values, place_outside,
    first, offset, column, seed, slots, rows, weights, alone,
    shape_seed, shape_first, shape_template, shape_shift, shape_reach, met_slots, met_rows, met_values, met_used,
    group_seed, group_first, group_template, group_seen, group_offset, group_column,
    joint_slots, joint_rows, joint_values, joint_used,
    pair_first, pair_offset, pair_column, pair_seed, pair_slots, pair_rows, pair_weights, start, end, step, mask, labels,
):  # fmt: skip
    """Best tags of all characters into ``labels``. Returns 0, or which memory wants more room before another call: 1 of shapes, 2 of groups."""
    n = at.size
    nodes = np.zeros((n, start.size), np.float32)
    forms = np.empty(n, np.int32)
    for t in range(n):
        forms[t] = form_of[ids[at[t]]]
    add_window(forms, starts, WindowScores(form_offsets, form_values, form_outside), nodes)
    columns = np.empty((n_columns, n), np.uint64)
    for t in range(n):
        columns[0, t] = orths[ids[at[t]]]
    for k in range(value_rows.size):
        if value_rows[k] >= 0:
            for t in range(n):
                columns[value_rows[k], t] = values[forms[t], k]
    fill_context(columns, starts, context_rows, WordTable(word_slots, word_rows, word_known), parts)
    if place_offsets.size:
        numbers = np.empty(n, np.int32)
        number_places(columns, context_rows[1:], bits, numbers)
        add_window(numbers, starts, WindowScores(place_offsets, place_values, place_outside), nodes)
    lookup = Lookup(Program(first, offset, column, seed), Table(slots, rows), weights)
    add_looked_up(columns, starts, lookup, alone, nodes)
    if group_seed.size:
        groups = Groups(group_seed, group_first, group_template, group_seen, group_offset, group_column)
        memory = Memory(Table(joint_slots, joint_rows), joint_values, joint_used)
        if not add_groups(columns, starts, lookup, groups, memory, nodes):
            return _GROUPS
    if shape_seed.size and n:
        shapes = Shapes(shape_seed, shape_first, shape_template, shape_shift, shape_reach)
        add_borders(columns, starts, lookup, shapes, nodes)
        met = Memory(Table(met_slots, met_rows), met_values, met_used)
        if add_shapes(columns, starts, lookup, shapes, met, 0, 0, nodes)[0] < shape_seed.size:
            return _SHAPES
    pairs = np.zeros((n if pair_seed.size else 0, start.size * start.size), np.float32)
    observed = Lookup(
        Program(pair_first, pair_offset, pair_column, pair_seed), Table(pair_slots, pair_rows), pair_weights
    )
    add_looked_up(columns, starts, observed, np.arange(pair_seed.size), pairs)
    forbid(nodes, joined, begin_tags)
    decode_all(
        starts, nodes, pairs.reshape(pairs.shape[0], start.size, start.size), Chain(start, end, step, mask), labels
    )
    return 0


@kernel
def fill_context(columns, starts, rows, words, parts):
    """The columns of CHARACTER_CONTEXT that are wanted. rows: int64[6], that of CHAR and theirs, -1 for none."""
    chars = columns[rows[0]]
    for distance in range(1, 3):
        if rows[distance] >= 0:
            compare(chars, starts, distance, columns[rows[distance]])
    if rows[3] >= 0 or rows[4] >= 0 or rows[5] >= 0:
        spare = np.empty((3, chars.size), np.uint64)
        begin = columns[rows[3]] if rows[3] >= 0 else spare[0]
        end = columns[rows[4]] if rows[4] >= 0 else spare[1]
        inside = columns[rows[5]] if rows[5] >= 0 else spare[2]
        match_words(chars, starts, parts, words, begin, end, inside)


class CharacterPredictor(Predictor):
    """A :class:`Predictor` of the tags of characters."""

    def __init__(self, weights: ChainWeights, constraints: Constraints, characters: CharacterTable):
        super().__init__(weights, constraints, characters.vocab, word_table([]))
        self.characters = characters
        self.words_read: tuple[str, int] | None = None  # which dictionary the reader has
        columns = self.reader.columns
        lexical = self.reader.lexicon.attributes
        wanted = {*self._crossing, *self.reader.context_needs} if self._crossing else set()
        self._value_rows = np.array([columns[a] if a in wanted else -1 for a in lexical], np.int64)
        context = [columns.get(attr, -1) for attr in ("CHAR", *CHARACTER_CONTEXT)]
        self._context_rows = np.array(context if self.reader.characters is not None else [-1] * len(context), np.int64)
        self._bits = np.array([ATTRIBUTE_BITS[attr] for attr in CHARACTER_CONTEXT], np.int64)
        self._groups, rest = groups_of(self._crossing_templates, columns)
        self._rest = SharedLookup(
            self._shared.lookup, self._crossing_templates, self._n_labels, among=rest, room=1 << 16
        )
        self._joint = new_memory(1 << 14, self._n_labels << 14)
        self._form_of = np.empty(0, np.int32)
        self._seen: tuple = ()
        self._tables: tuple = ()

    def __reduce__(self) -> tuple:
        return CharacterPredictor, (*self._made_of[:2], self.characters)

    def _forms(self) -> np.ndarray:
        """int32[n]: the lexicon's row of each character of the table. Like every table it changes only where characters are new."""
        lexicon, orths = self.reader.lexicon, self.characters.orths
        if self._form_of.size != orths.size or self._generation != lexicon.generation:
            self._form_of = lexicon.ids(orths)
        return self._form_of

    def _arguments(self) -> tuple:
        """What :func:`tag_characters` wants of the tables; made anew where one of them is another."""
        memory, words = self._rest.memory, self.reader.words
        forms = self._forms()
        seen = forms, memory, words, self._joint
        if len(self._seen) != len(seen) or any(a is not b for a, b in zip(self._seen, seen, strict=True)):
            self._seen = seen
            lookup, pairs = self._shared.lookup, self._pairs
            joint, rest, lexicon = self._joint, self._rest, self.reader.lexicon
            self._tables = (
                forms, self.characters.orths, lexicon.values, self._value_rows, len(self.reader.columns), self._context_rows, self._bits,
                *words, ONE_PART, *self._word_scores(), *self._place_scores(), *lookup.program, *lookup.table, lookup.rows, rest.alone,
                *rest.shapes, *memory.table, memory.values, memory.used,
                *self._groups, *joint.table, joint.values, joint.used,
                *pairs.program, *pairs.table, pairs.rows, *self._chain,
            )  # fmt: skip
        return self._tables

    def tag(self, chars: Characters, joined: np.ndarray, begin_tags: np.ndarray) -> np.ndarray:
        """Best tags int32[N]. joined: bool[N], where no tag of ``begin_tags`` (bool[L]) may stand."""
        labels = np.zeros(chars.at.size, np.int32)
        found = chars.at, chars.ids, chars.starts, joined, begin_tags
        with self._lock:
            limits = {_SHAPES: self._rest.limit, _GROUPS: GROUP_LIMIT}
            while full := tag_characters(*found, *self._arguments(), labels):
                # what one call meets must find room at once: after a fresh start, more of it than usual
                limits[full] = self._make_room(full, limits[full])
        return labels

    def _make_room(self, full: int, limit: int) -> int:
        """More room in a memory, up to the limit; returns the limit from here on, which is none where the memory has been emptied."""
        if full == _SHAPES:
            memory = self._rest.memory = more_room(self._rest.memory, limit)
        else:
            memory = self._joint = more_room(self._joint, limit)
        return limit if memory.used[0] else _NO_LIMIT
