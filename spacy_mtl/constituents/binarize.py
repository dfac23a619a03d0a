"""Trees with at most two children, and back: symbols of a grammar in Chomsky normal form.

- A chain of constituents over the same words is one symbol: ``S`` over ``VP`` is ``S+VP``. A word without a constituent of its own has its tag
  after a slash: ``/NN``; one with such a chain has the chain alone, whatever its tag.
- More than two children are split from the left (or from the right): NP -> /DT @NP, @NP -> /JJ /NN. The symbol of the rest names the constituent and,
  with ``horizontal`` > 0, the last few children that are split off: ``@NP|/DT``.
- With ``vertical`` = 2 a symbol also names the constituent above: ``NP^S``.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from spacy_mtl.errors import Errors
from spacy_mtl.settings import is_choice, is_whole, shown

from .tree import TOPS, Constituent, Tree, constituents_of

JOIN, REST, PAST, ABOVE, WORD = "+", "@", "|", "^", "/"
#: Symbols by span (start, end).
Symbols = dict[tuple[int, int], str]


@dataclass(frozen=True)
class Binarization:
    """horizontal: children that the symbol of a rest names. vertical: 1, or 2 to name the constituent above. side: "left" or "right", whose
    children are split off first."""

    horizontal: int = 0
    vertical: int = 1
    side: str = "left"

    def __post_init__(self) -> None:
        """Raises ValueError (M419) for a setting out of range."""
        for setting, valid, expected in (
            ("horizontal", is_whole(self.horizontal), "a whole number of at least 0"),
            ("vertical", is_whole(self.vertical, 1, 2), "1 or 2"),
            ("side", is_choice(self.side, ("left", "right")), "left or right"),
        ):
            if not valid:
                value = shown(getattr(self, setting))
                raise ValueError(
                    Errors.M419.format(name="Binarization", setting=setting, expected=expected, value=value)
                )

    def symbols(self, tree: Tree) -> Symbols:
        """The symbols of the 2 n - 1 spans of a tree of n words. A label around all of it that is in TOPS is left out; several constituents
        within it are joined under ``""``."""
        found: Symbols = {}
        self._add(tree, 0, "", found)
        return found

    def _add(self, tree: Tree, start: int, above: str, found: Symbols) -> int:
        chain, bottom = [], tree
        while len(bottom.children) == 1:
            chain.append(bottom.label)
            bottom = bottom.children[0]
        if bottom.children:
            chain.append(bottom.label)
        if chain and chain[0] in TOPS and not above:
            chain = chain[1:] or [""]
        mark = f"{ABOVE}{above}" if self.vertical == 2 and chain else ""
        symbol = JOIN.join(chain) + mark if chain else WORD + bottom.label
        if not bottom.children:
            found[start, start + 1] = symbol if chain != [""] else WORD + bottom.label
            return start + 1
        ends, inner = [start], chain[-1]
        for child in bottom.children:
            ends.append(self._add(child, ends[-1], inner or "TOP", found))
        found[start, ends[-1]] = symbol
        self._add_rests(ends, inner + mark, found)
        return ends[-1]

    def _add_rests(self, ends: list[int], name: str, found: Symbols) -> None:
        """The symbols of what is left when children are split off one by one. ends: borders of the children."""
        n = len(ends) - 1
        for off in range(1, n - 1):
            if self.side == "left":
                span, past = (ends[off], ends[-1]), list(pairwise(ends))[:off]
            else:
                span, past = (ends[0], ends[n - off]), list(pairwise(ends))[n - off :][::-1]
            named = (
                [found[child].split(ABOVE)[0] for child in past[max(0, off - self.horizontal) :]]
                if self.horizontal
                else []
            )
            found[span] = PAST.join([REST + name, *named])


def plain(symbol: str) -> list[str]:
    """The labels of the constituents that a symbol stands for, the outer one first; none for words and rests."""
    if symbol.startswith((WORD, REST)):
        return []
    return [label for label in symbol.split(ABOVE)[0].split(JOIN) if label]


def constituents_from(symbols: Mapping[tuple[int, int], str]) -> list[Constituent]:
    """The constituents of a binarized tree, each before those inside it: the inverse of :meth:`Binarization.symbols`."""
    order = sorted(symbols, key=lambda span: (span[0], -span[1]))
    return [Constituent(label, *span) for span in order for label in plain(symbols[span])]


def is_label(label: str) -> bool:
    """Whether a constituent can have this label: symbols could not be taken apart otherwise."""
    return not (label in TOPS or JOIN in label or ABOVE in label or label.startswith((REST, WORD)))


def check_labels(tree: Tree, path: object, line: int) -> None:
    """Refuse labels that a symbol could not be taken apart from (M571)."""
    for label in {constituent.label for constituent in constituents_of(tree)}:
        if not is_label(label):
            raise ValueError(Errors.M571.format(path=path, line=line, label=label))


def spans_in_order(symbols: Symbols) -> Sequence[tuple[int, int]]:
    """The spans of a binarized tree from the words up."""
    return sorted(symbols, key=lambda span: (span[1] - span[0], span[0]))
