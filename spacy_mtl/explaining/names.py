"""Names of features: what a template observes at a place, as text."""

from collections.abc import Callable

from spacy_mtl.templates.arcs.keys import turn_of
from spacy_mtl.templates.attributes.texts import AttributeTexts
from spacy_mtl.templates.grammar import DISTANCE_BINS, Observation, Template

#: The value of the root of a tree.
ROOT = "ROOT"
#: What the path from a grandparent does at the head, see :func:`.keys.turn_of`: it is a part of what templates of grandparents observe.
TURNS = ("straight", "back", "beyond")


def observed(obs: Observation, value: str) -> str:
    """``x[-1,LOWER]=la``."""
    return f"{str(obs)[1:]}={value}"


def joined(template: Template, value: Callable[[Observation], str]) -> str:
    """The name of what a template observes. value: of one observation."""
    return "/".join(observed(obs, value(obs)) for obs in template.observations)


class SentenceNames:
    """Names of what templates observe in the sentence [start, end) of the columns behind ``texts``."""

    def __init__(self, texts: AttributeTexts, start: int, end: int):
        self._texts = texts
        self._start, self._end = start, end

    def at(self, attr: str, position: int) -> str:
        """The value at a position, counted from the first of the sentence; ``_B-1``, ``_B+1`` and so on outside, as in CRF++."""
        n = self._end - self._start
        if position < 0:
            return f"_B{position}"
        return f"_B+{position - n + 1}" if position >= n else self._texts.text(attr, self._start + position)

    def position(self, template: Template, t: int) -> str:
        """The name of what a template of a chain observes at position t."""
        return joined(template, lambda obs: self.at(obs.attr, t + obs.offset))

    def word(self, attr: str, word: int) -> str:
        """The value at a word of a tree, from 1; 0 is the root."""
        return ROOT if word == 0 else self.at(attr, word - 1) if word > 0 else f"_B{word}"

    def arc(self, template: Template, head: int, modifier: int, other: int | None, listed: int | None) -> str:
        """The name of what a template of a tree observes at the arc from head to modifier (words from 1, the root is 0).

        other: the sibling or grandparent, None for none. listed: the word between, or dependent, that was read, None for none.
        """
        words = {"h": head, "m": modifier, "s": other, "g": other, "b": listed, "c": listed}

        def value(obs: Observation) -> str:
            if obs.place == "d":
                return distance_text(head, modifier)
            word = words[obs.place]
            return "none" if word is None else self.word(obs.attr, word + obs.offset)

        turned = other is not None and any(obs.place == "g" for obs in template.observations)
        return joined(template, value) + (f"/turn={TURNS[turn_of(other, head, modifier)]}" if turned else "")

    def span(self, template: Template, start: int, middle: int, end: int) -> str:
        """The name of what a template of spans observes at [start, end), split before ``middle``; words are counted from 0."""
        places = {"i": start, "j": end - 1, "k": middle}

        def value(obs: Observation) -> str:
            if obs.place == "d":
                return length_text(end - start)
            return self.at(obs.attr, places[obs.place] + obs.offset)

        return joined(template, value)


def _bin_text(size: int, bins: tuple[int, ...]) -> str:
    """``3``, ``6-10`` or ``11+``: the bin of a size. bins: the least size of each."""
    k = max(k for k, least in enumerate(bins) if least <= size)
    if k + 1 == len(bins):
        return f"{bins[k]}+"
    return str(bins[k]) if bins[k + 1] == bins[k] + 1 else f"{bins[k]}-{bins[k + 1] - 1}"


def distance_text(head: int, modifier: int) -> str:
    """Direction and binned distance of an arc: ``left 3`` if the head is to the left."""
    return f"{'left' if head < modifier else 'right'} {_bin_text(abs(head - modifier), DISTANCE_BINS)}"


def length_text(n: int) -> str:
    """The binned number of words of a span."""
    return _bin_text(n, (1, 2, 3, 4, 5, 6, 11, 21))
