"""Which of many edit scripts apply to a form, without trying each."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from .script import LONGEST, EditScript, parse_script


class _Ending(NamedTuple):
    """The numbers of the scripts that remove an ending: those without a prefix that apply to all longer forms, those of them that apply to the
    ending alone, too, and those with a prefix."""

    longer: list[int]
    alone: list[int]
    with_prefix: list[int]


class Applicable:
    """Scripts by casing and what they remove from the end, so that a form is looked up once for each of its endings.

    labels: the scripts' texts. Raises StoredValueError for a label that is no script.
    """

    def __init__(self, labels: Iterable[str]):
        self.scripts: tuple[EditScript, ...] = tuple(map(parse_script, labels))
        self._as_is: dict[str, _Ending] = {}
        self._lower: dict[str, _Ending] = {}
        for number, script in enumerate(self.scripts):
            endings = self._as_is if script.casing == "same" else self._lower
            ending = endings.setdefault(script.suffix, _Ending([], [], []))
            if script.prefix:
                ending.with_prefix.append(number)
                continue
            ending.longer.append(number)
            if script.new_prefix or script.new_suffix:
                ending.alone.append(number)
        self._longest = max((len(script.suffix) for script in self.scripts), default=0)

    def numbers(self, form: str) -> list[int]:
        """The numbers of the scripts that apply to a form."""
        if len(form) > LONGEST:
            return []
        found: list[int] = []
        for base, endings in ((form, self._as_is), (form.lower(), self._lower)):
            n = len(base)
            for begin in range(n, max(0, n - self._longest) - 1, -1) if endings else ():
                ending = endings.get(base[begin:])
                if ending is not None:
                    found += ending.longer if begin else ending.alone
                    found += [k for k in ending.with_prefix if self.scripts[k].applies(form)]
        return found

    def table(self, forms: Sequence[str]) -> np.ndarray:
        """Whether each script applies to each form: bool[n, L]."""
        allowed = np.zeros((len(forms), len(self.scripts)), bool)
        for row, form in zip(allowed, forms, strict=True):
            row[self.numbers(form)] = True
        return allowed


@lru_cache(maxsize=8)
def applicable(labels: tuple[str, ...]) -> Applicable:
    """The scripts of a model's labels, hundreds of them, which are read once for all texts. Raises StoredValueError as :class:`Applicable` does."""
    return Applicable(labels)
