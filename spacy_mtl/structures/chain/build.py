"""Build a chain problem from feature rows, gold labels, constraints and costs."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from spacy_mtl.errors import Errors
from spacy_mtl.structures.contract import offered
from spacy_mtl.structures.enumeration.chains import every_sequence
from spacy_mtl.structures.offsets.chain import ChainOffset, settle_offset
from spacy_mtl.structures.problem import Blocks, Problem
from spacy_mtl.structures.rows import check_within, own_rows

from . import implementation  # noqa: F401 (registers what implements the contract)
from .candidates import Candidates, candidates_of
from .cut import cut_chain
from .problem import ChainProblem, find_repeats
from .vectors import Vectors
from .viterbi import FORBIDDEN, MANY, NEVER


def chain_lacks(kernelised: bool) -> frozenset[str]:
    """What linear chains lack: with kernelised blocks, weights that belong to a single feature each, and so a metric."""
    return frozenset({"features"}) if kernelised else frozenset()


def chain_offers(kernelised: bool = False) -> frozenset[str]:
    """What linear chains offer to trainers, before there is a problem."""
    return offered(ChainProblem, chain_lacks(kernelised))


@dataclass(frozen=True)
class Constraints:
    """Which labels may begin and end a sequence, and which may follow each other. start, end: bool[L]; step: bool[L, L], previous by current.

    forms: uint64[K], ascending, keys of the forms whose labels are known. form_labels: bool[K, L], the labels that each may have. form_penalty: the
    score of any other label, FORBIDDEN or a weaker penalty. edits: whether labels are edit scripts (:mod:`spacy_mtl.lemmas.script`), of which a form
    may only have those that apply to it. table: int32[A, G], of a model that predicts analyses (:mod:`spacy_mtl.morphology.factors`): the labels of
    each, one for each factor; ``form_labels`` is then bool[K, A]. Empty for other models.
    """

    start: np.ndarray
    end: np.ndarray
    step: np.ndarray
    forms: np.ndarray = field(default_factory=lambda: np.empty(0, np.uint64))
    form_labels: np.ndarray = field(default_factory=lambda: np.empty((0, 0), bool))
    form_penalty: np.float32 = FORBIDDEN
    edits: np.bool_ = np.False_
    table: np.ndarray = field(default_factory=lambda: np.empty((0, 0), np.int32))

    @classmethod
    def none(cls, n_labels: int) -> "Constraints":
        return cls(np.ones(n_labels, bool), np.ones(n_labels, bool), np.ones((n_labels, n_labels), bool))

    def form_rows(self, keys: np.ndarray) -> np.ndarray:
        """Rows int32[N] of ``form_labels`` for keys uint64[N], -1 for forms that may have any label."""
        if not self.forms.size:
            return np.full(keys.size, -1, np.int32)
        at = np.minimum(np.searchsorted(self.forms, keys), self.forms.size - 1)
        return np.where(self.forms[at] == keys, at, -1).astype(np.int32)

    def form_penalties(self, rows: np.ndarray | slice = slice(None)) -> np.ndarray:
        """These rows of ``form_labels`` as scores to add: float32[., L], 0 or ``form_penalty``."""
        return np.where(self.form_labels[rows], np.float32(0), self.form_penalty)

    def penalties(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """start, end and step as scores to add, float32, 0 or FORBIDDEN."""
        start, end, step = (np.where(ok, np.float32(0), FORBIDDEN) for ok in (self.start, self.end, self.step))
        return start, end, step


@dataclass(frozen=True)
class ChainFeatures:
    """Feature rows of N tokens. node: int32[N, T]; pair: int32[N, Tp], pair row t scores labels (t - 1, t); -1 for no feature.

    observed: whether any pair template reads an observation. vectors: real-valued features, None if there are none.
    forms: int32[N], rows of the constraints' ``form_labels``, None if no form is constrained.
    """

    node: np.ndarray
    pair: np.ndarray
    observed: bool
    vectors: Vectors | None = None
    forms: np.ndarray | None = None


def pieces(starts: np.ndarray, gold: np.ndarray) -> tuple[np.ndarray, ...]:
    """Runs of tokens with known gold inside sentences: first, last (int64), open_left, open_right (bool)."""
    known = gold >= 0
    begins = np.zeros(gold.size + 1, bool)
    begins[starts] = True
    is_first = known & (begins[:-1] | ~np.concatenate([[False], known[:-1]]))
    is_last = known & (begins[1:] | ~np.concatenate([known[1:], [False]]))
    first, last = np.flatnonzero(is_first), np.flatnonzero(is_last) + 1
    return first, last, ~begins[first], ~begins[last]


def hamming_cost(n_labels: int) -> np.ndarray:
    """Hamming cost float32[L, L]: 1 for every wrong label."""
    return (1 - np.eye(n_labels)).astype(np.float32)


def as_cost(given: np.ndarray, n_labels: int) -> np.ndarray:
    """A cost as float32[L, L]. Raises ValueError (M202) unless it is finite, not negative, and zero on the diagonal."""
    try:
        cost = np.ascontiguousarray(given, np.float32)
    except (TypeError, ValueError):  # no numbers, or rows of different lengths
        raise ValueError(Errors.M202.format(n=n_labels)) from None
    if cost.shape != (n_labels, n_labels) or not np.isfinite(cost).all() or cost.min() < 0 or cost.diagonal().any():
        raise ValueError(Errors.M202.format(n=n_labels))
    return cost


def check_gold(labels: Sequence[str], gold: np.ndarray, borders: tuple[np.ndarray, ...], allowed: Constraints) -> None:
    """Refuse a gold sequence that the constraints forbid (M201), since its hinge loss would be meaningless.

    borders: of the pieces, from :func:`pieces`. An end at which a piece is cut off may have any label.
    """
    first, last, open_left, open_right = borders
    inside = np.ones(gold.size, bool)
    inside[first] = False
    at = np.flatnonzero(inside & (gold >= 0))
    starts, ends = first[~open_left], last[~open_right] - 1
    bad = [(t, labels[gold[t - 1]], labels[gold[t]]) for t in at[~allowed.step[gold[at - 1], gold[at]]]]
    bad += [(t, "(start of sentence)", labels[gold[t]]) for t in starts[~allowed.start[gold[starts]]]]
    bad += [(t, labels[gold[t]], "(end of sentence)") for t in ends[~allowed.end[gold[ends]]]]
    if bad:
        position, previous, current = min(bad)
        raise ValueError(Errors.M201.format(previous=previous, current=current, position=position))


def check_forms(labels: Sequence[str], gold: np.ndarray, forms: np.ndarray, allowed: Constraints) -> None:
    """Refuse gold that the token's form may not have (M205)."""
    at = np.flatnonzero((forms >= 0) & (gold >= 0))
    bad = at[~allowed.form_labels[forms[at], gold[at]]]
    if bad.size:
        raise ValueError(Errors.M205.format(label=labels[gold[bad[0]]], position=bad[0]))


def _rows(features: ChainFeatures, blocks: Blocks, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Node and pair rows of n tokens; those of vectors, whose blocks come last, are checked, too (M257)."""
    n_node = blocks.n_node
    if features.vectors is not None:
        check_within(features.vectors.rows, int(blocks.node[-1]), "vectors")
        n_node -= features.vectors.own.shape[1]
    node = own_rows(features.node, blocks.node, (n, n_node), "tokens")
    return node, own_rows(features.pair, blocks.pair, (n, blocks.pair.size - 1), "pairs of tokens")


def _candidates(features: ChainFeatures, allowed: Constraints) -> Candidates | None:
    """The labels of each form, where templates and constraints leave words independent of each other."""
    forbids = allowed.form_labels.size and allowed.form_penalty < NEVER
    free = allowed.start.all() and allowed.end.all() and allowed.step.all()
    alone = free and not features.pair.shape[1] and not features.observed
    return candidates_of(allowed.form_labels) if forbids and alone else None


def chain_problem(
    features: ChainFeatures,
    blocks: Blocks,
    gold: np.ndarray,
    starts: np.ndarray,
    labels: Sequence[str],
    constraints: Constraints | None = None,
    cost: np.ndarray | None = None,
    offset: ChainOffset | None = None,
) -> Problem:
    """Make a training problem of linear chains.

    gold: int32[N] label numbers, -1 where unknown (the chain is cut there). starts: int64[S + 1] sentence borders. cost: float[L, L], loss of
    predicting the column where the row is gold; Hamming by default. offset: constant scores that are added to those of the weights, such as those
    of a model from which training goes on. Raises ValueError: M201 gold violates the constraints, M202 a cost that
    is negative or not zero on the diagonal, M203 borders that do not cover the tokens, M204 no token with gold, M205 gold that its form
    may not have, M257 feature rows that are not those of their template, M260 offsets of another shape or too large.
    """
    n_labels = len(labels)
    if starts[0] != 0 or starts[-1] != gold.size or (np.diff(starts) < 0).any():
        raise ValueError(Errors.M203.format(first=starts[0], last=starts[-1], tokens=gold.size))
    borders = pieces(starts, gold)
    first, last, open_left, open_right = borders
    if not first.size:
        raise ValueError(Errors.M204)
    cost = hamming_cost(n_labels) if cost is None else as_cost(cost, n_labels)
    allowed = constraints or Constraints.none(n_labels)
    forms = np.full(gold.size, -1, np.int32) if features.forms is None else features.forms
    check_gold(labels, gold, borders, allowed)
    check_forms(labels, gold, forms, allowed)
    node, pair = _rows(features, blocks, gold.size)
    repeats = np.zeros((first.size, node.shape[1]), np.bool_)
    find_repeats(first, last, node, repeats)
    constant = settle_offset(offset, gold, first, last, features.observed) if offset else (None, None)
    candidates = _candidates(features, allowed) if offset is None else None
    arrays = ChainProblem(
        first, last, open_left, open_right, np.ascontiguousarray(gold, np.int32), node, pair,
        repeats, features.observed, *allowed.penalties(), cost, features.vectors,
        forms, allowed.form_penalties(), constant[0], constant[1],
        True if candidates is not None or (n_labels >= MANY and not features.observed) else None, candidates,
    )  # fmt: skip
    lacks = chain_lacks(arrays.vectors is not None and bool((arrays.vectors.own >= 0).any()))
    return Problem(
        arrays, blocks, n_labels, n_labels * n_labels, cut_chain,
        lacks=lacks, structure="linear chain", has_offset=offset is not None, outputs=every_sequence,
    )  # fmt: skip
