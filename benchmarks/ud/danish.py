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
#: Universal features of its own; others have no counterpart, such as the number of the token.
FEATURES = {
    "case=gen": "Case=Gen", "case=nom": "Case=Nom", "def=def": "Definite=Def", "def=indef": "Definite=Ind",
    "definiteness=def": "Definite=Def", "definiteness=indef": "Definite=Ind", "degree=abs": "Degree=Abs", "degree=comp": "Degree=Cmp",
    "degree=pos": "Degree=Pos", "degree=sup": "Degree=Sup", "gender=common": "Gender=Com", "gender=neuter": "Gender=Neut",
    "mood=gerund": "VerbForm=Ger", "mood=imper": "Mood=Imp", "mood=indic": "Mood=Ind", "mood=infin": "VerbForm=Inf",
    "mood=partic": "VerbForm=Part", "number=plur": "Number=Plur", "number=sing": "Number=Sing", "person=1": "Person=1",
    "person=2": "Person=2", "person=3": "Person=3", "possessor=plur": "Number[psor]=Plur", "possessor=sing": "Number[psor]=Sing",
    "reflexive=yes": "Reflex=Yes", "tense=past": "Tense=Past", "tense=present": "Tense=Pres", "voice=active": "Voice=Act",
    "voice=passive": "Voice=Pass",
}  # fmt: skip
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
    """The universal part of speech in place of the class, universal features, and roots as the tools call them."""
    fields = line.split("\t")
    features = filter(None, map(_feature, fields[5].split("|")))
    fields[3], fields[5] = PARTS_OF_SPEECH[fields[3]], "|".join(sorted(features, key=str.lower)) or "_"
    if fields[6] == "0":
        fields[7] = "root"
    return "\t".join(fields)


def _feature(own: str) -> str:
    """The universal feature of one of the treebank's, with all values of ``gender=common/neuter``; "" if there is none."""
    name, _, values = own.partition("=")
    found = [FEATURES.get(f"{name}={value}", "") for value in values.split("/")]
    universal = found[0].partition("=")[0]
    return f"{universal}={','.join(sorted(each.partition('=')[2] for each in found))}" if all(found) else ""
