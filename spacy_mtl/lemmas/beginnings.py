"""Known lemmas that words begin with, such as ``kal`` in ``kalabileceği``.

In languages that put one ending after another, most endings of new words are new, too, and no script removes them; cutting a word behind a known
lemma does. In a language of compounds that would be wrong. So the training corpus decides, for each part of speech: its words whose lemma no script
of other words finds among the lemmas of other words are cut, and if most of these are right, words in use are cut as well.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import partial
from typing import NamedTuple

from .applicable import Applicable
from .known import key_of
from .script import LONGEST

#: Shorter lemmas begin too many words by chance.
SHORTEST = 3
#: A part of speech needs this many words that could be cut.
LEAST = 5
#: And this share of them must be right.
SHARE = 0.5

#: Keys of parts of speech and lemmas, see :func:`.key_of`, with the lemmas.
Beginnings = dict[str, str]


class Word(NamedTuple):
    """A form of the training corpus, its part of speech, "" where unknown, its lemma, and the text of the script of these."""

    form: str
    pos: str
    lemma: str
    script: str


def find_beginning(lemmas: Beginnings, form: str, pos: str) -> str | None:
    """The longest known lemma with this part of speech that a form, or the form in lower case, goes on after; None without any."""
    return _longest(form, lambda text: key_of(pos, text) in lemmas)


def _longest(form: str, known: Callable[[str], bool]) -> str | None:
    lower = form.lower()
    for n in range(min(max(len(form), len(lower)) - 1, LONGEST), SHORTEST - 1, -1):
        for text in (lower, form):
            if n < len(text) and known(text[:n]):
                return text[:n]
    return None


def learn_beginnings(words: Iterable[Word], scripts: Applicable, min_forms: int) -> Beginnings:
    """The lemmas of all parts of speech whose words are rightly cut behind a known lemma, more often than not.

    scripts: that are labels. min_forms: the least number of forms with a script that is one. Each word is judged by the lemmas and the scripts of the
    others.
    """
    distinct = sorted(set(words))
    forms: dict[str, set[str]] = defaultdict(set)
    with_script: dict[str, set[str]] = defaultdict(set)
    for word in distinct:
        forms[key_of(word.pos, word.lemma)].add(word.form)
        with_script[word.script].add(word.form)
    tried, right = Counter[str](), Counter[str]()
    for word in distinct:
        found = _longest(word.form, partial(_of_others, forms, word))
        if found is not None and not _by_script(word, scripts, forms, len(with_script[word.script]) <= min_forms):
            tried[word.pos] += 1
            right[word.pos] += found == word.lemma
    cut = {pos for pos, n in tried.items() if n >= LEAST and right[pos] > SHARE * n}
    return {key_of(word.pos, word.lemma): word.lemma for word in distinct if word.pos in cut}


def _of_others(forms: Mapping[str, Collection[str]], word: Word, lemma: str) -> bool:
    """Whether another form has a lemma, with the part of speech of the word."""
    having = forms.get(key_of(word.pos, lemma), ())
    return len(having) > (word.form in having)


def _by_script(word: Word, scripts: Applicable, forms: Mapping[str, Collection[str]], alone: bool) -> bool:
    """Whether a script makes a lemma of others from a word. alone: without the word its own script would be no label."""
    return any(
        _of_others(forms, word, script.apply(word.form))
        for script in (scripts.scripts[k] for k in scripts.numbers(word.form))
        if not (alone and script.text == word.script)
    )
