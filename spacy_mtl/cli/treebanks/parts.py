"""The parts of a treebank: files that were named, or found in its folder by the names that Universal Dependencies gives them."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from spacy_mtl.errors import Errors
from spacy_mtl.settings import brief

#: As in "tr_imst-ud-train.conllu", or "sv-ud-dev.conllu" of older treebanks; the language is a code of ISO 639.
NAME = re.compile(r"(?P<lang>[a-z]{2,3})(_[a-z0-9]+)?-ud-")


class Files(NamedTuple):
    """The files of a treebank.

    train: of its training part, at least one. dev: of its dev part, none where it has no such part. folder: for what is made of them.
    """

    train: list[Path]
    dev: list[Path]
    folder: Path


def files_of(paths: Sequence[Path]) -> Files:
    """What ``TREEBANK FOLDER`` or ``TRAIN DEV FOLDER`` stands for.

    Raises ValueError: M735 for another number of paths, or two whose first is no folder, M501 where that does not exist; M736 for a treebank
    without a training part; M959 for files of a part in different formats; M738 where a file that is made of the treebank would become a part of it.
    """
    match paths:
        case [train_file, dev_file, folder]:
            return Files([train_file], [dev_file], folder)
        case [treebank, folder] if treebank.is_dir():
            train, dev = (_named(treebank, which) for which in ("train", "dev"))
            if not train:
                raise ValueError(Errors.M736.format(treebank=treebank))
            if (len(train), len(dev)) != (1, 1) and treebank.resolve() == folder.resolve():
                raise ValueError(Errors.M738.format(treebank=treebank))
            return Files(train, dev, folder)
        case [treebank, _] if not treebank.exists():
            raise ValueError(Errors.M501.format(path=treebank, reason="there is no such folder", cwd=Path.cwd()))
    raise ValueError(Errors.M735.format(given=brief(" ".join(map(str, paths)))))


def _named(treebank: Path, which: str) -> list[Path]:
    """The files of a part. Hidden ones, such as those that macOS adds to archives, are none. Raises ValueError (M959) for different formats."""
    named = re.compile(rf"(?!\.)(.*[^a-z])?{which}([^a-z].*)?\.conllu?")
    found = sorted(path for path in treebank.iterdir() if named.fullmatch(path.name))
    if len({path.suffix for path in found}) > 1:
        names = brief(", ".join(path.name for path in found))
        raise ValueError(Errors.M959.format(treebank=treebank, which=which, names=names))
    return found


def language_of(path: Path) -> str:
    """The code of the language that a file of Universal Dependencies begins with. Raises ValueError (M737) for other names."""
    if (match := NAME.match(path.name)) is None:
        raise ValueError(Errors.M737.format(path=path))
    if match["lang"] == "no":  # Norwegian, which spaCy has as two languages
        return "nn" if "nynorsk" in path.name else "nb"
    return match["lang"]
