"""Multiword tokens as they are learned: which tokens of the raw text are several words of the treebank, and which words.

Forms that were seen are split as they usually were. For others, the rules of the forms that were split are weighed, such as "-nın" -> "" + "nın": by
the rule, the ends of form and stem, how often the stem was seen as a word, and its usual tag. All of this is in lower case, and a form keeps its own
case where it keeps its letters.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from spacy_mtl.stored.fault import StoredValueError
from spacy_mtl.stored.values import fields, list_of, mapping_of, number, text, texts, texts_by_name

from .rules import LONGEST, NAMES, UNKNOWN, Rule, Rules, observed, rule_of

#: The most words of a token, and the most characters of each: longer ones are not learned, so that no file makes a long text of a short one.
MOST_WORDS, LONGEST_WORD = 16, 100
#: The most rules with the same ending, and as many that have a beginning, too: each is weighed for every form that ends so.
MOST_RULES = 64
#: Weights are sums over the corpus of differences of one; of a stranger's, sums must stay finite.
LARGEST_WEIGHT = 1e6
#: Forms that were looked at are remembered up to this number.
_REMEMBERED = 1 << 16
#: White space that parts lines and columns: a token with any is not split.
_SPACES = frozenset("\t\n\r")
_NOTHING: dict[str, float] = {}


@dataclass(slots=True)
class Splitter:
    """forms: words by form where the rules do not say so, the form itself where it is not to be split. rules: each as a list of ending, what comes
    instead, and further words. known: the words of the treebank in lower case (:func:`.rules.known_word`). weights: by name and value of what is
    seen. fronts: of each rule, its beginning and the words before, or nothing; empty if no rule has a beginning.
    """

    forms: dict[str, list[str]] = field(default_factory=dict)
    rules: list[list[str]] = field(default_factory=list)
    known: dict[str, str] = field(default_factory=dict)
    weights: dict[str, dict[str, float]] = field(default_factory=dict)
    fronts: list[list[str]] = field(default_factory=list)
    _rules: Rules = field(init=False, repr=False, compare=False)
    _found: dict[str, list[str]] = field(init=False, repr=False, compare=False, default_factory=dict)

    def __post_init__(self) -> None:
        fronts = self.fronts or [[]] * len(self.rules)
        self._rules = Rules(
            Rule(ending, instead, tuple(words), "".join(front[:1]), tuple(front[1:]))
            for (ending, instead, *words), front in zip(self.rules, fronts, strict=True)
        )

    @classmethod
    def of(cls, rules: Sequence[Rule]) -> "Splitter":
        """A splitter with rules, and nothing that says where they are right."""
        fronts = [[rule.beginning, *rule.before] if rule.beginning else [] for rule in rules]
        return cls(
            rules=[[rule.ending, rule.instead, *rule.words] for rule in rules], fronts=fronts if any(fronts) else []
        )

    def split(self, form: str) -> list[str]:
        """The words of a token; the form itself if it is one word."""
        found = self.forms.get(form) or self._found.get(form)
        if found is None:
            if len(self._found) >= _REMEMBERED:
                self._found.clear()
            found = self._found[form] = self._split(form)
        return found

    def _split(self, form: str) -> list[str]:
        lower = form.lower()
        # a letter that becomes two in lower case leaves no place for an ending
        if len(form) > LONGEST_WORD or len(lower) != len(form) or not _SPACES.isdisjoint(form):
            return [form]
        if lower in self.forms:
            alike = self.forms[lower]
            return rule_of(lower, alike).apply(form) if len(alike) > 1 else [form]
        rules = self._rules.of(lower)
        if not rules:
            return [form]
        scores = self._scores(lower, rules)
        if max(scores) <= 0:
            return [form]
        words = rules[scores.index(max(scores))].apply(form)
        return [form] if any(map(str.isspace, words)) else words

    def _scores(self, lower: str, rules: Sequence[Rule]) -> list[float]:
        """How much speaks for each rule, and against it if less than 0."""
        weights = [self.weights.get(name, _NOTHING) for name in NAMES]
        known = [self.known.get(rule.stem(lower), UNKNOWN) for rule in rules]
        seen = [observed(lower, *each) for each in zip(rules, known, strict=True)]
        return [sum(w.get(value, 0.0) for w, value in zip(weights, each, strict=True)) for each in seen]

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        names = ("forms", "rules", "known", "weights", "fronts")
        return {name: getattr(self, name) for name in names}

    @classmethod
    def from_dict(cls, data: Any, name: str) -> "Splitter":
        """Check and take what :meth:`to_dict` made. Raises StoredValueError."""
        weights = mapping_of(mapping_of(number(-LARGEST_WEIGHT, LARGEST_WEIGHT)))
        checks = {"forms": texts_by_name, "rules": list_of(texts), "known": mapping_of(text), "weights": weights}
        if isinstance(data, dict):
            data = {"fronts": [], **data}  # files of before have none
        found = fields(data, name, {**checks, "fronts": list_of(texts)})
        for form, words in found["forms"].items():
            if words != [form] and not is_split(form, words):
                raise StoredValueError(f"forms of {name} has words that a token cannot be split into")
        _check_rules(found["rules"], found["fronts"], name)
        return cls(**found)


def is_split(form: str, words: list[str]) -> bool:
    """Whether a form may be split into these words, none of which is white space alone."""
    return bool(
        1 < len(words) <= MOST_WORDS
        and all(len(word) <= LONGEST_WORD and word.strip() and _SPACES.isdisjoint(word) for word in words)
        and len(form) <= LONGEST_WORD
        and _SPACES.isdisjoint(form)
    )


def _check_rules(rules: list[list[str]], fronts: list[list[str]], name: str) -> None:
    if fronts and len(fronts) != len(rules):
        raise StoredValueError(f"fronts of {name} are not those of its rules")
    alike: Counter[tuple[bool, str]] = Counter()
    for rule, front in zip(rules, fronts or [[]] * len(rules), strict=True):
        ending, instead, *words = [*rule, "", ""] if len(rule) < 2 else rule
        beginning, *before = front or [""]
        good = max(len(ending), len(beginning)) <= LONGEST and bool(beginning) == bool(before)
        good = good and len(instead) <= LONGEST_WORD and _SPACES.isdisjoint(instead)
        alike[bool(beginning), ending] += 1
        if not (good and is_split("", [*before, "-", *words]) and alike[bool(beginning), ending] <= MOST_RULES):
            raise StoredValueError(f"rules of {name} has one that cannot be applied, or too many of one ending")
