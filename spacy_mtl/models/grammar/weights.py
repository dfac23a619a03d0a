"""The weights of a trained grammar, as a file holds them: its rules with their log probabilities, and the rows of live templates."""

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from spacy_mtl.models.chain.weights import KEYS, LARGEST, SCALES, TemplateRow, check_complete, check_keys
from spacy_mtl.models.readable import ReadTemplates, span_templates
from spacy_mtl.stored.arrays import Form
from spacy_mtl.stored.fault import StoredValueError
from spacy_mtl.stored.ranges import check_finite, check_range, check_shape

from .treebank import TreebankGrammar, grammar_from

#: What stands for a log probability of -inf in a file.
NEVER = np.float32(-1e9)
#: The largest numbers of symbols and rules, and of characters of a symbol.
MOST_SYMBOLS, MOST_RULES, LONGEST_SYMBOL = 1 << 13, 1 << 20, 1000


def stored_scores(scores: np.ndarray) -> np.ndarray:
    """Log probabilities as a file holds them, float32."""
    return np.maximum(scores, NEVER).astype(np.float32)


def read_scores(stored: np.ndarray) -> np.ndarray:
    """Log probabilities from a file, float64."""
    return np.where(stored == NEVER, -np.inf, stored).astype(np.float64)


@dataclass(frozen=True)
class GrammarWeights:
    """Weights of a binarized grammar, ready to save.

    labels: the L symbols. templates: all templates used in training, those of spans (U) first. keys: uint64[N], ascending, the live observations of
    spans; codes: int8[N, L] and scales: float32[N], weight = code * scale. pair_keys, pair_codes (int8[Np, R]), pair_scales: the same for splits and
    the R rules. rules: int32[R, 3], left, right and parent symbol, in this order. rule_scores: float32[R], word_scores: float32[V + 1, L] and
    root_scores: float32[L], as in :class:`.TreebankGrammar`, with NEVER for -inf.
    """

    ARRAYS: ClassVar = (
        "keys", "codes", "scales", "pair_keys", "pair_codes", "pair_scales", "rules", "rule_scores", "word_scores", "root_scores",
    )  # fmt: skip
    labels: tuple[str, ...] = ()
    templates: tuple[TemplateRow, ...] = ()
    keys: np.ndarray = field(default_factory=lambda: np.empty(0, np.uint64))
    codes: np.ndarray = field(default_factory=lambda: np.empty((0, 0), np.int8))
    scales: np.ndarray = field(default_factory=lambda: np.empty(0, np.float32))
    pair_keys: np.ndarray = field(default_factory=lambda: np.empty(0, np.uint64))
    pair_codes: np.ndarray = field(default_factory=lambda: np.empty((0, 0), np.int8))
    pair_scales: np.ndarray = field(default_factory=lambda: np.empty(0, np.float32))
    rules: np.ndarray = field(default_factory=lambda: np.empty((0, 3), np.int32))
    rule_scores: np.ndarray = field(default_factory=lambda: np.empty(0, np.float32))
    word_scores: np.ndarray = field(default_factory=lambda: np.empty((0, 0), np.float32))
    root_scores: np.ndarray = field(default_factory=lambda: np.empty(0, np.float32))

    @staticmethod
    def forms(n_labels: int) -> dict[str, Form]:
        """The arrays in a file, see :mod:`.store`."""
        return {
            "keys": KEYS,
            "codes": Form("|i1", (None, n_labels)),
            "scales": SCALES,
            "pair_keys": KEYS,
            "pair_codes": Form("|i1", (None, None)),
            "pair_scales": SCALES,
            "rules": Form("<i4", (None, 3)),
            "rule_scores": Form("<f4", (None,)),
            "word_scores": Form("<f4", (None, n_labels)),
            "root_scores": Form("<f4", (n_labels,)),
        }

    @property
    def is_trained(self) -> bool:
        return bool(self.templates)

    def check(self) -> None:
        """Refuse what prediction cannot rely on. Raises StoredValueError.

        Either there is nothing at all, or there are valid templates, as many codes and scales as keys, keys in ascending order, finite weights, a
        grammar whose rules are distinct and of its symbols, and log probabilities, one of which lets some symbol be the root.
        """
        span_templates(tuple(row.text for row in self.templates))
        check_complete(self, bool(self.templates))
        n, n_rules = len(self.labels), len(self.rules)
        check_range(np.array([n]), 0, MOST_SYMBOLS, "the number of symbols")
        check_range(np.array([n_rules]), 0, MOST_RULES, "the number of rules")
        if max(map(len, self.labels), default=0) > LONGEST_SYMBOL:
            raise StoredValueError(f"a symbol has more than {LONGEST_SYMBOL} characters")
        self._check_rows("", (self.keys, self.codes, self.scales), n)
        self._check_rows("pair_", (self.pair_keys, self.pair_codes, self.pair_scales), n_rules)
        self._check_grammar(n, n_rules)

    @staticmethod
    def _check_rows(name: str, arrays: tuple[np.ndarray, np.ndarray, np.ndarray], width: int) -> None:
        keys, codes, scales = arrays
        check_shape(codes, (keys.size, width), f"{name}codes")
        check_shape(scales, keys.shape, f"{name}scales")
        check_keys(keys, f"{name}keys")
        check_finite(scales, f"{name}scales", LARGEST / 128)

    def _check_grammar(self, n: int, n_rules: int) -> None:
        check_range(self.rules, 0, n - 1, "rules")
        order = self.rules.astype(np.int64) @ np.array([MOST_SYMBOLS**2, MOST_SYMBOLS, 1])
        if not bool((order[1:] > order[:-1]).all()):
            raise StoredValueError("rules are not in ascending order")
        check_shape(self.rule_scores, (n_rules,), "rule_scores")
        for name in ("rule_scores", "word_scores", "root_scores"):
            scores = getattr(self, name)
            check_finite(scores, name, -float(NEVER))
            if scores.size and float(scores.max()) > 0:
                raise StoredValueError(f"{name} has a log probability above 0")
        if self.templates and (not len(self.word_scores) or not bool((self.root_scores > NEVER).any())):
            raise StoredValueError("its grammar has no tags, or no symbol that may be the root")

    def matrix(self, pair: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Keys uint64[R], codes [R, K] and scales float[R] of a matrix: of symbols, or of rules. weight = code * scale."""
        return (self.pair_keys, self.pair_codes, self.pair_scales) if pair else (self.keys, self.codes, self.scales)

    def columns(self, pair: bool) -> list[str]:
        """What each of its K columns scores."""
        if not pair:
            return list(self.labels)
        return [f"{self.labels[a]} -> {self.labels[b]} {self.labels[c]}" for b, c, a in self.rules.tolist()]

    def live_templates(self) -> ReadTemplates:
        """The templates that have weights. Raises StoredValueError if one of them is not valid."""
        return span_templates(tuple(row.text for row in self.templates if row.rows))

    def grammar(self, tags: tuple[str, ...]) -> TreebankGrammar:
        """The grammar over these V tags. Only valid if trained."""
        left, right, parent = self.rules.T
        scores = (read_scores(stored) for stored in (self.rule_scores, self.word_scores, self.root_scores))
        return grammar_from(self.labels, tags, np.stack([parent, left, right], axis=1), *scores)
