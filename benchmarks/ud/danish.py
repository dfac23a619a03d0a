"""The Danish Dependency Treebank, which is older than Universal Dependencies and has no dev part, as files that their tools take."""

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory

FOLDER = "ddt"
#: Universal parts of speech of its coarse classes.
PARTS_OF_SPEECH = {
    "AC": "NUM", "AN": "ADJ", "AO": "ADJ", "CC": "CCONJ", "CS": "SCONJ", "I": "INTJ", "NC": "NOUN", "NP": "PROPN", "PC": "PRON",
    "PD": "DET", "PI": "PRON", "PO": "DET", "PP": "PRON", "PT": "PRON", "RG": "ADV", "SP": "ADP", "U": "PART", "VA": "VERB",
    "VE": "VERB", "XA": "X", "XF": "X", "XP": "PUNCT", "XR": "X", "XS": "SYM", "XX": "X",
}  # fmt: skip
#: A feature that numbers the tokens of a sentence, and tells nothing.
NUMBER = "id="
#: The last of so many parts of the training sentences is dev.
TENTH = 10


def danish_part(corpora: Path, which: str) -> Path:
    """The file of a part, "train", "dev" or "test", written in the first call and there until the process ends.

    Raises OSError where the treebank is missing, KeyError for a class that it does not have.
    """
    return Path(_written(corpora).name, f"{which}.conllu")


@lru_cache
def _written(corpora: Path) -> "TemporaryDirectory[str]":
    folder = TemporaryDirectory(prefix="danish-")
    learnt, tested = (list(_sentences(corpora / FOLDER / f"{name}.conll")) for name in ("train", "test"))
    held_out = max(1, len(learnt) // TENTH)
    parts = {"train": learnt[:-held_out], "dev": learnt[-held_out:], "test": tested}
    for which, sentences in parts.items():
        Path(folder.name, f"{which}.conllu").write_text("".join(sentences), encoding="utf8")
    return folder


def _sentences(path: Path) -> Iterator[str]:
    for block in path.read_text(encoding="utf8").strip("\n").split("\n\n"):
        yield "\n".join(map(_line, block.split("\n"))) + "\n\n"


def _line(line: str) -> str:
    """The universal part of speech in place of the class, features in their order and without the number, and roots as the tools call them."""
    fields = line.split("\t")
    features = sorted(each for each in fields[5].split("|") if not each.startswith(NUMBER))
    fields[3], fields[5] = PARTS_OF_SPEECH[fields[3]], "|".join(features) or "_"
    if fields[6] == "0":
        fields[7] = "root"
    return "\t".join(fields)
