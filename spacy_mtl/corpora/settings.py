"""Checks of the settings that readers share."""

from pathlib import Path
from typing import Any

from spacy_mtl.errors import Errors
from spacy_mtl.settings import brief, is_list, is_whole, shown


def refuse(setting: str, expected: str, value: Any) -> None:
    """Raise ValueError (M514)."""
    raise ValueError(Errors.M514.format(setting=setting, expected=expected, value=shown(value)))


def check_counts(**settings: Any) -> None:
    """Refuse settings that are not whole numbers of at least 0."""
    for name, value in settings.items():
        if not is_whole(value):
            refuse(name, "0 or more" if is_whole(value, -(2**63), 0) else "a whole number of at least 0", value)


def check_names(**settings: Any) -> None:
    """Refuse settings that are not lists of strings."""
    for name, value in settings.items():
        if not is_list(value):
            refuse(name, "a list of strings", value)


def check_text(**settings: Any) -> None:
    """Refuse settings that are not strings."""
    for name, value in settings.items():
        if not isinstance(value, str) or not value:
            refuse(name, "a string", value)


def check_file(path: Path) -> None:
    """Refuse a file that is not there, or a folder (M501)."""
    try:
        found, reason = path.is_file(), "it is a folder, not a file" if path.is_dir() else "there is no such file"
    except PermissionError:
        found, reason = False, "its folder may not be read"
    except (OSError, ValueError):  # no file can have this name
        found, reason = False, "there is no such file"
    if not found:
        raise ValueError(Errors.M501.format(path=brief(path, 300), reason=reason, cwd=Path.cwd()))
