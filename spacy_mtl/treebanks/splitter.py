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
from spacy_mtl.stored.values import fields, texts_by_name

#: The longest ending, in characters.
LONGEST = 8

#: The most words of a token, and the most characters of each: longer ones are not learned, so that no file makes a long text of a short one.
MOST_WORDS, LONGEST_WORD = 16, 100
#: White space that parts lines and columns: a token with any is not split.
_SPACES = frozenset("\t\n\r")

#: Number of characters to take off, what comes in their place, and the words after that.
Rule = tuple[int, str, tuple[str, ...]]


@dataclass(slots=True)
class Splitter:
    """forms: words by form, itself where it is not to be split. endings: rules by ending, as lists of text; an empty list where most forms
    are not split."""

    forms: dict[str, list[str]] = field(default_factory=dict)
    endings: dict[str, list[str]] = field(default_factory=dict)

    def split(self, form: str) -> list[str]:
        """The words of a token; the form itself if it is one word."""
        if form in self.forms:
            return self.forms[form]
        if len(form) > LONGEST_WORD or not _SPACES.isdisjoint(form):
            return [form]
        lower = form.lower()
        if len(lower) != len(form):  # a letter that becomes two
            return [form]
        for length in range(min(LONGEST, len(form) - 1), 0, -1):
            rule = self.endings.get(lower[-length:])
            if rule is not None:
                words = _applied(form, rule) if rule else [form]
                return [form] if words[0].isspace() else words
        return [form]

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {"forms": self.forms, "endings": self.endings}

    @classmethod
    def from_dict(cls, data: Any, name: str) -> "Splitter":
        """Check and take what :meth:`to_dict` made. Raises StoredValueError."""
        found = fields(data, name, {"forms": texts_by_name, "endings": texts_by_name})
        for form, words in found["forms"].items():
            _check_words(form, words, f"forms of {name}")
        for ending, rule in found["endings"].items():
            _check_rule(ending, rule, name)
        return cls(**found)


def learn(tokens: Iterable[tuple[str, Sequence[str]]]) -> Splitter:
    """A splitter from the tokens of a corpus: the form of each, and its words, which are the form itself if it is one word.

    A token that a range of the file makes one word of another form, and one of very many or long words, is not split.
    """
    seen: dict[str, Counter[tuple[str, ...]]] = defaultdict(Counter)
    for form, words in tokens:
        seen[form][tuple(words) if _is_split(form, words) else (form,)] += 1
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
                counts[form.lower()[-length:]][rule] += 1
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


def _is_split(form: str, words: Sequence[str]) -> bool:
    """Whether a form may be split into these words, none of which is white space alone."""
    return bool(
        1 < len(words) <= MOST_WORDS
        and all(len(word) <= LONGEST_WORD and word.strip() and _SPACES.isdisjoint(word) for word in words)
        and len(form) <= LONGEST_WORD
        and _SPACES.isdisjoint(form)
    )


def _check_words(form: str, words: list[str], name: str) -> None:
    if words != [form] and not _is_split(form, words):
        raise StoredValueError(f"{name} has words that a token cannot be split into")


def _check_rule(ending: str, rule: list[str], name: str) -> None:
    if not rule:
        return
    cut, add, *rest = [*rule, ""] if len(rule) == 1 else rule
    good = cut in _CUTS and int(cut) <= len(ending) and len(add) <= LONGEST_WORD and _SPACES.isdisjoint(add)
    if not (good and _is_split("", ["-", *rest])):
        raise StoredValueError(f"endings of {name} has a rule that cannot be applied")


_CUTS = {str(cut) for cut in range(LONGEST + 1)}
