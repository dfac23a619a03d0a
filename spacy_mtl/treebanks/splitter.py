"""Multiword tokens as they are learned: which tokens of the raw text are several words of the treebank, and which words.

Forms that were seen are looked up. For others, the longest ending decides that was seen: whether more than half of its forms are split, and how, as a
rule for the end of the form, such as "-nın" -> "" + "nın". Both are counted over forms, not tokens, in lower case, and a form keeps its own case
where it keeps its letters.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from spacy_mtl.stored.fault import StoredValueError
from spacy_mtl.stored.values import fields, list_of, mapping_of, texts, texts_by_name

#: The longest ending, in characters.
LONGEST = 8

#: Number of characters to take off, what comes in their place, and the words after that.
Rule = tuple[int, str, tuple[str, ...]]


@dataclass(slots=True)
class Splitter:
    """forms: words by form, one word for a form that is not to be split. endings: rules by ending, as lists of text; an empty list where most forms
    are not split."""

    forms: dict[str, list[str]] = field(default_factory=dict)
    endings: dict[str, list[str]] = field(default_factory=dict)

    def split(self, form: str) -> list[str]:
        """The words of a token; the form itself if it is one word."""
        if form in self.forms:
            return self.forms[form]
        lower = form.lower()
        if len(lower) != len(form):  # a letter that becomes two
            return [form]
        for length in range(min(LONGEST, len(form) - 1), 0, -1):
            rule = self.endings.get(lower[-length:])
            if rule is not None:
                return _applied(form, rule) if rule else [form]
        return [form]

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {"forms": self.forms, "endings": self.endings}

    @classmethod
    def from_dict(cls, data: Any, name: str) -> "Splitter":
        """Check and take what :meth:`to_dict` made. Raises StoredValueError."""
        found = fields(data, name, {"forms": texts_by_name, "endings": texts_by_name})
        mapping_of(list_of(_word, least=1))(found["forms"], f"forms of {name}")
        for ending, rule in found["endings"].items():
            texts(rule, f"endings of {name}")
            _check_rule(ending, rule, name)
        return cls(**found)


def learn(tokens: Iterable[tuple[str, Sequence[str]]]) -> Splitter:
    """A splitter from the tokens of a corpus: the form of each, and its words, which are the form itself if it is one word."""
    seen: dict[str, Counter[tuple[str, ...]]] = defaultdict(Counter)
    for form, words in tokens:
        seen[form][tuple(words)] += 1
    usual = {form: counts.most_common(1)[0][0] for form, counts in seen.items()}
    splitter = Splitter(endings=_endings(usual))
    # forms that the rules get right need not be kept
    splitter.forms = {form: list(words) for form, words in usual.items() if splitter.split(form) != list(words)}
    return splitter


def _endings(usual: dict[str, tuple[str, ...]]) -> dict[str, list[str]]:
    """What most forms of each ending ask for, where that is not what a shorter ending says already."""
    counts: dict[str, Counter[Rule | None]] = defaultdict(Counter)
    for form, words in usual.items():
        rule = _rule(form, words) if len(words) > 1 else None
        least = 1 if rule is None else max(1, rule[0])
        if len(form.lower()) == len(form):
            for length in range(least, min(LONGEST, len(form) - 1) + 1):
                counts[form[-length:].lower()][rule] += 1
    rules: dict[str, list[str]] = {}
    for ending in sorted(counts, key=len):
        best, n = counts[ending].most_common(1)[0]
        said = [str(best[0]), best[1], *best[2]] if best is not None and 2 * n > counts[ending].total() else []
        if _shorter(rules, ending) != said:
            rules[ending] = said
    return rules


def _ends(ending: str) -> list[str]:
    """The shorter endings of an ending."""
    return [ending[k:] for k in range(1, len(ending))]


def _shorter(rules: dict[str, list[str]], ending: str) -> list[str]:
    """What the longest shorter ending says; nothing is split without any."""
    return next((rules[shorter] for shorter in _ends(ending) if shorter in rules), [])


def _rule(form: str, words: Sequence[str]) -> Rule:
    first, *rest = words
    same = 0
    while same < min(len(form), len(first)) and form[same].lower() == first[same].lower():
        same += 1
    return len(form) - same, first[same:], tuple(rest)


def _applied(form: str, rule: list[str]) -> list[str]:
    cut, add, *rest = rule
    return [form[: len(form) - int(cut)] + add, *rest]


def _word(value: Any, name: str) -> str:
    return texts([value], name)[0] or _refuse_empty(name)


def _refuse_empty(name: str) -> str:
    raise StoredValueError(f"{name} is empty")


def _check_rule(ending: str, rule: list[str], name: str) -> None:
    if not rule:
        return
    good = len(rule) >= 3 and rule[0] in _CUTS and int(rule[0]) <= len(ending) and all(rule[2:])
    if not good:
        raise StoredValueError(f"endings of {name} has a rule that cannot be applied")


_CUTS = {str(cut) for cut in range(LONGEST + 1)}
