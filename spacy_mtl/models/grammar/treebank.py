"""The probabilistic grammar of a treebank: rules and their relative frequencies, over tags."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from spacy_mtl.constituents.binarize import Symbols, spans_in_order
from spacy_mtl.structures.grammar.rules import Grammar, make_grammar


@dataclass(frozen=True)
class TreebankGrammar:
    """L symbols, the rules over them, and log probabilities.

    symbols: L names. tags: V names. grammar: R rules. rule_scores: float64[R], log p(rule | parent). word_scores: float64[V, L], log p(tag | symbol),
    -inf for what was not seen. root_scores: float64[L]. The last line of ``word_scores`` is for tags that were not seen: any symbol of words.
    """

    symbols: tuple[str, ...]
    tags: tuple[str, ...]
    grammar: Grammar
    rule_scores: np.ndarray
    word_scores: np.ndarray
    root_scores: np.ndarray

    @property
    def number_of(self) -> Mapping[str, int]:
        return {symbol: a for a, symbol in enumerate(self.symbols)}

    def scores_of(self, tags: Sequence[str]) -> np.ndarray:
        """Scores of the symbols of words with these tags, float64[n, L]."""
        number = {tag: v for v, tag in enumerate(self.tags)}
        return self.word_scores[[number.get(tag, -1) for tag in tags]]


def grammar_from(
    symbols: tuple[str, ...],
    tags: tuple[str, ...],
    rules: np.ndarray,
    rule_scores: np.ndarray,
    word_scores: np.ndarray,
    root_scores: np.ndarray,
) -> TreebankGrammar:
    """A grammar from its parts. rules: int[R, 3], parent, left and right symbol, in the order of :func:`.make_grammar`, as are rule_scores."""
    grammar = make_grammar(rules, root_scores > -np.inf)
    return TreebankGrammar(symbols, tags, grammar, rule_scores, word_scores, root_scores)


def read_grammar(trees: Iterable[tuple[Sequence[str], Symbols]]) -> TreebankGrammar:
    """The grammar of binarized trees, each with the tags of its words: every rule that occurs, with its relative frequency (maximum likelihood)."""
    rules: Counter[tuple[str, str, str]] = Counter()
    words: Counter[tuple[str, str]] = Counter()
    roots: Counter[str] = Counter()
    for tags, spans in trees:
        roots[spans[0, len(tags)]] += 1
        words.update((spans[t, t + 1], tag) for t, tag in enumerate(tags))
        rules.update(anchored[0] for anchored in rules_of(spans))
    symbols = tuple(sorted({*roots, *(a for a, _ in words), *(a for rule in rules for a in rule)}))
    tags = tuple(sorted({tag for _, tag in words}))
    return _estimate(symbols, tags, rules, words, roots)


def rules_of(spans: Symbols) -> list[tuple[tuple[str, str, str], int, int, int]]:
    """The anchored rules of a binarized tree: symbols of parent, left and right; start, middle and end."""
    ends: dict[int, list[int]] = {}
    for i, j in spans_in_order(spans):
        ends.setdefault(i, []).append(j)
    found = []
    for i, j in spans:
        if j - i > 1:
            (k,) = (k for k in ends[i] if k < j and (k, j) in spans)
            found.append(((spans[i, j], spans[i, k], spans[k, j]), i, k, j))
    return found


def _estimate(symbols, tags, rules: Counter, words: Counter, roots: Counter) -> TreebankGrammar:
    """Relative frequencies as logs."""
    number, tag_number = ({name: k for k, name in enumerate(names)} for names in (symbols, tags))
    total = np.zeros(len(symbols))
    for (parent, *_), count in rules.items():
        total[number[parent]] += count
    word_counts = np.zeros((len(tags), len(symbols)))
    for (symbol, tag), count in words.items():
        word_counts[tag_number[tag], number[symbol]] = count
    total += word_counts.sum(axis=0)
    root_counts = np.array([roots[symbol] for symbol in symbols], float)
    grammar = make_grammar([(number[a], number[b], number[c]) for a, b, c in rules], root_counts > 0)
    names = [tuple(symbols[a] for a in rule) for rule in zip(grammar.parent, grammar.left, grammar.right, strict=True)]
    with np.errstate(divide="ignore"):
        rule_scores = np.log([rules[rule] for rule in names]) - np.log(total[grammar.parent])
        known = np.log(word_counts) - np.log(total)
        unknown = np.log(word_counts.sum(axis=0)) - np.log(total)
        root_scores = np.log(root_counts) - np.log(root_counts.sum())
    return TreebankGrammar(symbols, tags, grammar, rule_scores.reshape(-1), np.vstack([known, unknown]), root_scores)
