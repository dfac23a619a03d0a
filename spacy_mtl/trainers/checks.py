"""Checks of trainers' settings, which refuse bad ones before any work is done."""

from numbers import Integral, Real

import numpy as np

from spacy_mtl.errors import Errors


def check_whole(trainer: str, least: int, **values: int) -> None:
    """Refuse settings that are not whole numbers of at least ``least``. Raises ValueError (M305)."""
    for name, value in values.items():
        if not isinstance(value, Integral) or isinstance(value, bool) or value < least:
            raise ValueError(Errors.M305.format(trainer=trainer, name=name, value=value, least=least))


def check_positive(trainer: str, **values: float) -> None:
    """Refuse settings that are not finite and above 0. Raises ValueError (M302)."""
    for name, value in values.items():
        if not isinstance(value, Real) or isinstance(value, bool) or not (np.isfinite(value) and value > 0):
            raise ValueError(Errors.M302.format(trainer=trainer, name=name, value=value))


def check_switch(trainer: str, **values: bool) -> None:
    """Refuse settings that are neither true nor false. Raises ValueError (M320)."""
    for name, value in values.items():
        if not isinstance(value, bool):
            raise ValueError(Errors.M320.format(trainer=trainer, name=name, value=value))
