"""Checks of trainers' settings, which refuse bad ones before any work is done."""

from typing import Any

import numpy as np

from spacy_mtl.errors import Errors
from spacy_mtl.settings import MOST, is_number, is_switch, is_whole, shown
from spacy_mtl.threads.ahead import MOST_THREADS

#: The range of a positive number, where it has no other of its own: the square of its ends is finite and not zero in double precision.
_USUAL = 1e-15, 1e15
#: Ranges of single settings. Values of C outside of its range lose all losses, or all of the regularizer, in rounding errors; exponents above that of
#: p and q differ from the maximum norm by less than one in a thousand for any number of templates in use.
RANGES = {"C": (1e-9, 1e9), "p": (1.0, 1e4), "q": (1.0, 1e4)}
#: Limits of whole numbers that take time or memory.
MOST_OF = {"threads": MOST_THREADS, "inner_passes": 10_000, "memory": 1000, "k": 1000, "seed": 2**63 - 1}


def check_whole(trainer: str, least: int, **values: Any) -> None:
    """Refuse settings that are not whole numbers of at least ``least`` (M305), or too large (M371)."""
    for name, value in values.items():
        if not is_whole(value, least, np.inf):
            raise ValueError(Errors.M305.format(trainer=trainer, name=name, value=shown(value), least=least))
        most = MOST_OF.get(name, MOST)
        if value > most:
            raise ValueError(Errors.M371.format(trainer=trainer, name=name, value=shown(value), most=most))


def check_positive(trainer: str, **values: Any) -> None:
    """Refuse settings that are not finite and above 0 (M302), or out of their range (M370)."""
    for name, value in values.items():
        if not is_number(value) or not (value > 0 and value != np.inf):
            raise ValueError(Errors.M302.format(trainer=trainer, name=name, value=shown(value)))
        check_range(trainer, **{name: value})


def check_range(trainer: str, **values: Any) -> None:
    """Refuse numbers out of their range (M370)."""
    for name, value in values.items():
        least, most = RANGES.get(name, _USUAL)
        if not is_number(value, least, most):
            raise ValueError(
                Errors.M370.format(trainer=trainer, name=name, value=shown(value), least=f"{least:g}", most=f"{most:g}")
            )


def check_switch(trainer: str, **values: Any) -> None:
    """Refuse settings that are neither true nor false. Raises ValueError (M320)."""
    for name, value in values.items():
        if not is_switch(value):
            raise ValueError(Errors.M320.format(trainer=trainer, name=name, value=shown(value)))


def check_one_thread(trainer: str, threads: Any) -> None:
    """Refuse several threads for a trainer that works on one. Raises ValueError: M305, M371, M373."""
    check_whole(trainer, 1, threads=threads)
    if threads > 1:
        raise ValueError(Errors.M373.format(trainer=trainer, threads=threads))
