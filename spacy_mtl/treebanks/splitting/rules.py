"""Rules that split a token into words, such as "-yım" -> "" + "yım" or "wa-" -> "wa" + "", and what is seen of a token and a rule to tell whether it
is right.
"""

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
    """A form that ends in ``ending``, in lower case, becomes several words: the form with ``instead`` in place of the ending, and ``words``.

    If it has a ``beginning``, too, this is cut off, and the words ``before`` come first.
    """

    ending: str
    instead: str
    words: tuple[str, ...]
    beginning: str = ""
    before: tuple[str, ...] = ()

    @property
    def kind(self) -> tuple[bool, str]:
        """Whether it has a beginning, and its ending."""
        return bool(self.beginning), self.ending

    @property
    def name(self) -> str:
        """Another text for each rule."""
        end = "\t".join((self.ending, self.instead, *self.words))
        return end + "\n" + "\t".join((self.beginning, *self.before)) if self.beginning else end

    def fits(self, lower: str) -> bool:
        """Whether a form in lower case that ends so also begins so, and something is left between the two."""
        return lower.startswith(self.beginning) and len(self.beginning) + len(self.ending) < len(lower)

    def apply(self, form: str) -> list[str]:
        """The words of a form that begins and ends so."""
        return [*self.before, form[len(self.beginning) : len(form) - len(self.ending)] + self.instead, *self.words]

    def stem(self, lower: str) -> str:
        """What is left of a form in lower case that begins and ends so, as a word."""
        return lower[len(self.beginning) : len(lower) - len(self.ending)] + self.instead.lower()


def rule_of(form: str, words: Sequence[str]) -> Rule:
    """The rule about the end of a form that makes these words of it and changes least. The form has as many letters in lower case."""
    first, *rest = words
    same = _same(form, first)
    return Rule(form.lower()[same:], first[same:], tuple(rest))


def rules_of(form: str, words: Sequence[str]) -> list[Rule]:
    """Rules that make these words of a form: :func:`rule_of`, and one for each word after the first that a part of the form is like."""
    found = [rule_of(form, words)]
    for k in range(1, len(words)):
        sizes = {at: _same(form[at:], words[k]) for at in range(1, len(form))}
        at = max(sizes, key=lambda at: (sizes[at], at), default=0)
        if at and sizes[at]:
            end, lower = at + sizes[at], form.lower()
            found.append(Rule(lower[end:], words[k][end - at :], tuple(words[k + 1 :]), lower[:at], tuple(words[:k])))
    return found


def _same(form: str, word: str) -> int:
    """With how many of the same letters both begin, whatever their case."""
    same = 0
    while same < min(len(form), len(word)) and form[same].lower() == word[same].lower():
        same += 1
    return same


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
        found: list[Rule] = []
        for begin in range(n, max(0, n - self._longest - 1), -1):
            found += self._by_ending.get(lower[begin:], ())
        return [rule for rule in found if rule.fits(lower)]


def observed(lower: str, rule: Rule, known: str) -> list[str]:
    """What is seen of a form in lower case and a rule that applies to it, in the order of NAMES.

    known: how often the stem was seen as a word, as a digit, and its usual tag after it; UNKNOWN if it was not. Of a rule with a beginning, the
    beginnings of form and stem are seen in place of their ends.
    """
    stem, name = rule.stem(lower), rule.name
    count, tag = known[:1], known[1:]
    if rule.beginning:
        ends, of_form = [f"^{stem[:n]}" for n in _STEM], [f"^{lower[:n]}" for n in _FORM]
        cut = f"{len(rule.beginning)}+{len(rule.ending)}"
    else:
        ends, of_form, cut = [stem[-n:] for n in _STEM], [lower[-n:] for n in _FORM], str(len(rule.ending))
    return [
        name, count, tag, known, *(f"{name}\t\t{value}" for value in (count, tag)), str(min(len(stem), 5)), cut,
        *(f"{name}\t\t{end}" for end in ends), *ends[:-1], *of_form,
    ]  # fmt: skip


def known_word(count: int, tag: str) -> str:
    """A word that was seen ``count`` times, with its usual tag, as :func:`observed` takes it."""
    return f"{sum(count >= least for least in (1, 2, 4))}{tag}" if count else UNKNOWN
