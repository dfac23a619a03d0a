"""Rules that split a token into words, such as "-yım" -> "" + "yım", and what is seen of a token and a rule to tell whether the rule is right."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

#: The longest ending of a rule, in characters.
LONGEST = 8
#: What a stem that is no known word has in place of how often it was seen, and of its tag.
UNKNOWN = "0"

_STEM, _FORM = range(1, 5), range(1, 7)
#: The names of what is seen, in the order of :func:`observed`.
NAMES = (
    "rule", "known", "tag", "known tag", "rule, known", "rule, tag", "length of stem", "length of ending",
    *(f"rule, end of stem {n}" for n in _STEM), *(f"end of stem {n}" for n in _STEM[:-1]), *(f"end of form {n}" for n in _FORM),
)  # fmt: skip


class Rule(NamedTuple):
    """A form that ends in ``ending``, in lower case, becomes several words: the form with ``instead`` in place of the ending, and ``words``."""

    ending: str
    instead: str
    words: tuple[str, ...]

    def apply(self, form: str) -> list[str]:
        """The words of a form that ends so."""
        return [form[: len(form) - len(self.ending)] + self.instead, *self.words]

    def stem(self, lower: str) -> str:
        """The first word of a form in lower case that ends so."""
        return lower[: len(lower) - len(self.ending)] + self.instead.lower()


def rule_of(form: str, words: Sequence[str]) -> Rule:
    """The rule that makes these words of a form and changes least of it. The form has as many letters in lower case."""
    first, *rest = words
    same = 0
    while same < min(len(form), len(first)) and form[same].lower() == first[same].lower():
        same += 1
    return Rule(form.lower()[same:], first[same:], tuple(rest))


class Rules:
    """Rules by their endings, so that a form finds those that apply to it."""

    def __init__(self, rules: Iterable[Rule]):
        self._by_ending: dict[str, list[Rule]] = {}
        for rule in rules:
            self._by_ending.setdefault(rule.ending, []).append(rule)
        self._longest = max(map(len, self._by_ending), default=-1)

    def of(self, lower: str) -> list[Rule]:
        """The rules that leave something of a form, given in lower case."""
        n = len(lower)
        lengths = range(min(self._longest, n - 1) + 1)
        return [rule for length in lengths for rule in self._by_ending.get(lower[n - length :], ())]


def observed(lower: str, rule: Rule, known: str) -> list[str]:
    """What is seen of a form in lower case and a rule that applies to it, in the order of NAMES.

    known: how often the stem was seen as a word, as a digit, and its usual tag after it; UNKNOWN if it was not.
    """
    stem = rule.stem(lower)
    count, tag = known[:1], known[1:]
    name = "\t".join((rule.ending, rule.instead, *rule.words))
    ends = [stem[-n:] for n in _STEM]
    return [
        name, count, tag, known, *(f"{name}\t\t{value}" for value in (count, tag)), str(min(len(stem), 5)), str(len(rule.ending)),
        *(f"{name}\t\t{end}" for end in ends), *ends[:-1], *(lower[-n:] for n in _FORM),
    ]  # fmt: skip


def known_word(count: int, tag: str) -> str:
    """A word that was seen ``count`` times, with its usual tag, as :func:`observed` takes it."""
    return f"{sum(count >= least for least in (1, 2, 4))}{tag}" if count else UNKNOWN
