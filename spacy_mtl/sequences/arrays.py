"""Training problems of chains from arrays, with positions in rows, and features and kernels in blocks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from spacy_mtl.errors import Errors
from spacy_mtl.settings import shown
from spacy_mtl.structures.chain.build import ChainFeatures, Constraints, chain_problem
from spacy_mtl.structures.chain.vectors import Vectors, side_by_side
from spacy_mtl.structures.contract import Weights
from spacy_mtl.structures.problem import Blocks, Problem, block_starts

from .blocks import (
    CategoryBlock,
    Entries,
    FittedBlock,
    KernelisedBlock,
    as_mapping,
    count_positions,
    fit_block,
    position_chunks,
)
from .model import SequenceModel
from .values import as_labels, as_starts, sum_of

#: Rows of the weights are numbered in int32.
MOST_ROWS = 2**31 - 1


@dataclass(frozen=True, kw_only=True)
class SequenceProblem(Problem):
    """A :class:`Problem` that also has what prediction on new arrays needs.

    labels: int64[L] or str[L], in the order of their numbers. fitted: the blocks, in the order of the rows of the node weights.
    """

    labels: np.ndarray
    fitted: tuple[FittedBlock, ...]
    constraints: Constraints

    def model(self, weights: Weights) -> SequenceModel:
        """Make a model of the weights of a training (``training.weights``), ready to predict and to be saved."""
        borders = block_starts([block.n_rows for block in self.fitted])
        trained = []
        for block, a, b in zip(self.fitted, borders, borders[1:], strict=False):
            rows = weights.node[a:b].copy()
            trained.append(block.support(rows) if isinstance(block, KernelisedBlock) else (block, rows))
        n = len(self.labels)
        step = weights.pair[0].reshape(n, n).copy() if len(weights.pair) else np.zeros((n, n), np.float32)
        blocks, rows = zip(*trained, strict=True)
        return SequenceModel(self.labels, blocks, rows, step, *self.constraints.penalties())


def problem_from_arrays(
    X: Any,
    y: Any,
    lengths: Any,
    *,
    transitions: bool = True,
    labels: Sequence[Any] | None = None,
    constraints: Constraints | None = None,
    cost: np.ndarray | None = None,
) -> SequenceProblem:
    """Make a problem of linear chains, ready for :func:`spacy_mtl.trainers.base.fit`.

    X: positions x features, as a 2-D array, a scipy.sparse matrix, a KernelBlock or Categories, or a mapping {block name: one of these}; each
    block (each column of Categories) gets a weight of its own, like a template. The positions of a sequence are consecutive rows.
    y: int[N] or str[N], None or masked where gold is missing, which cuts the sequence. lengths: int[S], of the sequences, with sum N.
    transitions: whether label pairs are scored, in the block "transitions". labels: all labels, in the order of ``constraints``
    (:class:`Constraints`) and ``cost`` (float[L, L], loss of predicting the column where the row is gold, Hamming by default); sorted if not given.

    A kernelised block takes 8 bytes of memory for each pair of positions whose kernel value is not 0.
    Raises ValueError: M220-M240 for arrays and settings that do not match, M201-M204 as :func:`chain_problem`.
    """
    if not isinstance(transitions, bool | np.bool_):
        raise ValueError(Errors.M239.format(setting="transitions", expected="true or false", value=shown(transitions)))
    if constraints is not None and not isinstance(constraints, Constraints):
        raise ValueError(
            Errors.M239.format(setting="constraints", expected="Constraints or None", value=shown(constraints))
        )
    gold, names = as_labels(y, labels)
    check_counts(as_mapping(X), gold.size, lengths)
    starts = as_starts(lengths, gold.size)
    allowed = as_constraints(constraints or Constraints.none(names.size), names.size)
    fitted, tables = fit_blocks(as_mapping(X), gold.size)
    check_rows(block_sizes(fitted))
    pair = np.zeros((gold.size, int(transitions)), np.int32)
    features = ChainFeatures(category_rows(fitted, tables), pair, False, vectors_of(fitted, tables))
    blocks = Blocks(block_starts(block_sizes(fitted)), np.arange(1 + transitions), block_names(fitted, transitions))
    base = chain_problem(features, blocks, gold, starts, [str(name) for name in names], allowed, cost)
    shared = {field.name: getattr(base, field.name) for field in fields(base)}
    return SequenceProblem(**shared, labels=names, fitted=tuple(fitted), constraints=allowed)


def check_counts(X: Mapping[str, Any], n: int, lengths: Any) -> None:
    """Refuse y (n labels) and lengths that disagree (M238). If X agrees with y, the lengths are wrong, which :func:`as_starts` reports (M220)."""
    total = sum_of(lengths)
    if total in (None, n) or not X:
        return
    sizes = {str(name): count_positions(value) for name, value in X.items()}
    if set(sizes.values()) == {n}:
        return
    alike = len(set(sizes.values())) == 1
    x = next(iter(sizes.values())) if alike else ", ".join(f"{size} ('{name}')" for name, size in sizes.items())
    culprit = "y does not fit" if x == total else "X, y and lengths do not fit"
    raise ValueError(Errors.M238.format(culprit=culprit, x=x, y=n, total=total))


def fit_blocks(X: Mapping[str, Any], n: int) -> tuple[list[FittedBlock], list[Any]]:
    """All blocks and their positions in canonical form, Categories first. Raises ValueError: M222-M229, M235."""
    if not X:
        raise ValueError(Errors.M222.format(name="X", got="no block", n=n))
    pairs = [fit_block(str(name), value, n) for name, value in X.items()]
    names = block_names([block for block, _ in pairs], True)
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ValueError(Errors.M226.format(name=twice))
    pairs.sort(key=lambda pair: not isinstance(pair[0], CategoryBlock))
    return [block for block, _ in pairs], [table for _, table in pairs]


def as_constraints(given: Constraints, n: int) -> Constraints:
    """The constraints as arrays of bool. Raises ValueError (M234): another number of labels, a value that is not true or false, labels by form."""
    if np.size(given.forms):
        raise ValueError(Errors.M234.format(n=n, got="labels by form, which positions of arrays do not have"))
    try:
        parts = [np.asarray(part) for part in (given.start, given.end, given.step)]
    except ValueError:  # rows of different lengths
        raise ValueError(Errors.M234.format(n=n, got="rows of different lengths")) from None
    if [part.shape for part in parts] != [(n,), (n,), (n, n)]:
        raise ValueError(Errors.M234.format(n=n, got=", ".join(str(part.shape) for part in parts)))
    for part in parts:
        strange = part[~np.isin(part, (0, 1))] if part.dtype.kind in "biuf" else part.ravel()
        if strange.size:
            raise ValueError(Errors.M234.format(n=n, got=f"the value {strange[0]!r}"))
    start, end, step = (part.astype(bool) for part in parts)
    return Constraints(start, end, step)


def check_rows(sizes: Sequence[int]) -> None:
    """Refuse more rows than can be numbered (M237)."""
    if sum(sizes) > MOST_ROWS:
        raise ValueError(Errors.M237.format(n=sum(sizes), most=MOST_ROWS))


def block_sizes(fitted: Sequence[FittedBlock]) -> list[int]:
    """The number of rows of every block of the weights."""
    return [
        size
        for block in fitted
        for size in ([v.size for v in block.values] if isinstance(block, CategoryBlock) else [block.n_rows])
    ]


def block_names(fitted: Sequence[FittedBlock], transitions: bool) -> tuple[str, ...]:
    names = [name for block in fitted for name in (block.names if isinstance(block, CategoryBlock) else [block.name])]
    return (*names, "transitions") if transitions else tuple(names)


def category_rows(fitted: Sequence[FittedBlock], tables: Sequence[Any]) -> np.ndarray:
    """Feature rows int32[N, T] of all Categories."""
    parts, first_row = [np.empty((tables[0].shape[0], 0), np.int32)], 0
    for block, table in zip(fitted, tables, strict=True):
        if isinstance(block, CategoryBlock):
            parts.append(block.rows(table, first_row))
            first_row += block.n_rows
    return np.concatenate(parts, axis=1)


def vectors_of(fitted: Sequence[FittedBlock], tables: Sequence[Any]) -> Vectors | None:
    """The real-valued features of all other blocks, None if there are none.

    They are computed in chunks: in addition to the result, memory holds CHUNK values per block.
    """
    n = tables[0].shape[0]
    blocks, values, firsts, first_row = [], [], [], 0
    for block, table in zip(fitted, tables, strict=True):
        if not isinstance(block, CategoryBlock):
            blocks.append(block)
            values.append(table)
            firsts.append(first_row)
        first_row += block.n_rows
    if not blocks:
        return None
    chunks = [
        interleave([block.entries(table[a:b], at) for block, table, at in zip(blocks, values, firsts, strict=True)])
        for a, b in position_chunks(n, max(block.width(table) for block, table in zip(blocks, values, strict=True)))
    ]
    own = [np.arange(n) + at if block.kernelised else np.full(n, -1) for block, at in zip(blocks, firsts, strict=True)]
    starts = starts_of(np.concatenate([chunk.counts for chunk in chunks]))
    rows, numbers = joined(chunks)
    return side_by_side(starts, rows, numbers, np.stack(own, axis=1).astype(np.int32))


def starts_of(counts: np.ndarray) -> np.ndarray:
    """The borders int64[n + 1] of runs of these lengths."""
    return np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])


def interleave(parts: Sequence[Entries]) -> Entries:
    """Interleave the entries of V blocks for the same n positions: position by position, and block by block at each. counts: int64[n * V]."""
    if len(parts) == 1:
        return parts[0]
    counts = np.stack([part.counts for part in parts], axis=1)
    starts = starts_of(counts.ravel())[:-1].reshape(counts.shape)
    rows, values = np.empty(counts.sum(), np.int32), np.empty(counts.sum(), np.float32)
    for v, part in enumerate(parts):
        moved = starts[:, v] - starts_of(part.counts)[:-1]
        place = np.repeat(moved, part.counts) + np.arange(part.rows.size)
        rows[place], values[place] = part.rows, part.values
    return Entries(counts.ravel(), rows, values)


def joined(chunks: list[Entries]) -> tuple[np.ndarray, np.ndarray]:
    """Concatenate the rows and values of all chunks. The chunks are released one by one, so that memory holds them only once."""
    size = sum(chunk.rows.size for chunk in chunks)
    rows, values = np.empty(size, np.int32), np.empty(size, np.float32)
    while chunks:
        chunk = chunks.pop()
        begin, size = size - chunk.rows.size, size - chunk.rows.size
        rows[begin : begin + chunk.rows.size], values[begin : begin + chunk.rows.size] = chunk.rows, chunk.values
    return rows, values
