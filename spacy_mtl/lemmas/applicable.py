"""Which of many edit scripts apply to a form, without trying each."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import lru_cache

import numpy as np

from .script import LONGEST, EditScript, parse_script


class Applicable:
    """Scripts by casing and what they remove from the end, so that a form is looked up once for each of its endings.

    labels: the scripts' texts. Raises StoredValueError for a label that is no script.
    """

    def __init__(self, labels: Iterable[str]):
        self.scripts: tuple[EditScript, ...] = tuple(map(parse_script, labels))
        self._by_ending: dict[tuple[bool, str], list[int]] = defaultdict(list)
        for number, script in enumerate(self.scripts):
            self._by_ending[script.casing == "same", script.suffix].append(number)
        self._longest = max((len(script.suffix) for script in self.scripts), default=0)

    def numbers(self, form: str) -> list[int]:
        """The numbers of the scripts that apply to a form."""
        if len(form) > LONGEST:
            return []
        found = []
        for as_is, base in ((True, form), (False, form.lower())):
            for size in range(min(self._longest, len(base)) + 1):
                candidates = self._by_ending.get((as_is, base[len(base) - size :]), ())
                found += [k for k in candidates if self.scripts[k].applies(form)]
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
