"""The parts of a treebank: files that were named, or found in its folder by the names that Universal Dependencies gives them."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from spacy_mtl.errors import Errors
from spacy_mtl.settings import brief

#: As in "tr_imst-ud-train.conllu", or "sv-ud-dev.conllu" of older treebanks; the language is a code of ISO 639.
NAME = re.compile(r"(?P<lang>[a-z]{2,3})(_[a-z0-9]+)?-ud-")


class Parts(NamedTuple):
    """The parts of a treebank, and the folder for what is made of them."""

    train: Path
    dev: Path
    folder: Path


def parts_of(paths: Sequence[Path]) -> Parts:
    """What ``TREEBANK FOLDER`` or ``TRAIN DEV FOLDER`` stands for.

    Raises ValueError: M735 for another number of paths, or two whose first is no folder, M501 where that does not exist; M736 for a treebank that
    does not have each part once.
    """
    match paths:
        case [train, dev, folder]:
            return Parts(train, dev, folder)
        case [treebank, folder] if treebank.is_dir():
            return Parts(_part(treebank, "train"), _part(treebank, "dev"), folder)
        case [treebank, _] if not treebank.exists():
            raise ValueError(Errors.M501.format(path=treebank, reason="there is no such folder", cwd=Path.cwd()))
    raise ValueError(Errors.M735.format(given=brief(" ".join(map(str, paths)))))


def _part(treebank: Path, which: str) -> Path:
    named = re.compile(rf"(.*[^a-z])?{which}([^a-z].*)?\.conllu?")
    found = sorted(path for path in treebank.iterdir() if named.fullmatch(path.name))
    if len(found) != 1:
        seen = f"{len(found)} ({brief(', '.join(path.name for path in found))})" if found else "none"
        raise ValueError(Errors.M736.format(treebank=treebank, which=which, seen=seen))
    return found[0]


def language_of(path: Path) -> str:
    """The code of the language that a file of Universal Dependencies begins with. Raises ValueError (M737) for other names."""
    if (match := NAME.match(path.name)) is None:
        raise ValueError(Errors.M737.format(path=path))
    if match["lang"] == "no":  # Norwegian, which spaCy has as two languages
        return "nn" if "nynorsk" in path.name else "nb"
    return match["lang"]
