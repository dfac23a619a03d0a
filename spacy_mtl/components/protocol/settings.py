"""Checks of the settings of components (M419)."""

from typing import Any

from spacy_mtl.errors import Errors
from spacy_mtl.settings import is_switch, is_whole, shown


def refuse(name: str, setting: str, expected: str, value: Any) -> None:
    """Raise ValueError (M419). name: of the component."""
    raise ValueError(Errors.M419.format(name=name, setting=setting, expected=expected, value=shown(value)))


def check_switches(name: str, **settings: Any) -> None:
    """Refuse settings that are neither true nor false."""
    for setting, value in settings.items():
        if not is_switch(value):
            refuse(name, setting, "true or false", value)


def check_count(name: str, setting: str, value: Any, least: int = 0) -> None:
    """Refuse a setting that is not a whole number of at least ``least``."""
    if not is_whole(value, least):
        expected = f"{least} or more" if is_whole(value, -(2**63), 0) else f"a whole number of at least {least}"
        refuse(name, setting, expected, value)
