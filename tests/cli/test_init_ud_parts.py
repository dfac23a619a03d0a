"""``spacy mtl init-ud`` with the folder of a treebank in place of its files."""

import shutil
from pathlib import Path

import pytest
from spacy.cli import app
from spacy.util import load_config
from typer.testing import CliRunner

from spacy_mtl.cli.treebanks.parts import Parts, language_of, parts_of

TREES = Path(__file__).parents[2] / "assets" / "nl-trees"


def invoke(*args):
    return CliRunner().invoke(app, ["mtl", "init-ud", *map(str, args)])


def folder_of(path, *names):
    path.mkdir()
    for name in names:
        (path / name).touch()
    return path


def test_a_folder_is_a_treebank_whose_names_say_the_language(tmp_path):
    treebank = folder_of(tmp_path / "UD_Dutch-Mine", "README.md", "LICENSE.txt")
    for part in ("train", "dev", "test"):
        shutil.copy(TREES / f"{part}.conllu", treebank / f"nl_mine-ud-{part}.conllu")
    result = invoke(treebank, tmp_path / "ud")
    assert (result.exit_code, result.stderr) == (0, "")
    config = load_config(tmp_path / "ud" / "ud.cfg", interpolate=True)
    assert config["nlp"]["lang"] == "nl"
    assert config["paths"]["dev"] == str(treebank / "nl_mine-ud-dev.conllu")
    files = [treebank / f"nl_mine-ud-{part}.conllu" for part in ("train", "dev")]
    assert invoke(*files, tmp_path / "other").exit_code == 0
    assert load_config(tmp_path / "other" / "ud.cfg")["nlp"]["lang"] == "nl"
    assert invoke(treebank, tmp_path / "xx", "--lang", "xx").exit_code == 0
    assert load_config(tmp_path / "xx" / "ud.cfg")["nlp"]["lang"] == "xx"


@pytest.mark.parametrize(
    ("names", "parts"),
    [
        (["a_b-ud-train.conllu", "a_b-ud-dev.conllu"], ["a_b-ud-train.conllu", "a_b-ud-dev.conllu"]),
        (["train.conllu", "dev.conll", "devanagari.conllu"], ["train.conllu", "dev.conll"]),
        (["constrained.conllu", "my-train.conllu", "my_dev_1.conllu"], ["my-train.conllu", "my_dev_1.conllu"]),
    ],
)
def test_parts_are_found_by_their_names(tmp_path, names, parts):
    treebank = folder_of(tmp_path / "treebank", *names)
    assert parts_of([treebank, Path("ud")]) == Parts(*(treebank / name for name in parts), Path("ud"))


@pytest.mark.parametrize(
    ("names", "which", "seen"),
    [
        ([], "train", "none"),
        (["my-train.conllu", "my-test.conllu"], "dev", "none"),
        (
            ["de-train-a.conllu", "de-train-b.conllu", "de-dev.conllu"],
            "train",
            "2 (de-train-a.conllu, de-train-b.conllu)",
        ),
    ],
)
def test_a_treebank_that_does_not_have_each_part_once(tmp_path, names, which, seen):
    treebank = folder_of(tmp_path / "treebank", *names)
    result = invoke(treebank, tmp_path / "ud", "--lang", "nl")
    assert result.exit_code == 1
    assert result.stderr.startswith("[M736]")
    assert f"one {which} part" in result.stderr.replace("\n", " ")
    assert f"has {seen}." in result.stderr.replace("\n", " ")
    assert not (tmp_path / "ud").exists()


@pytest.mark.parametrize(
    ("args", "code"),
    [
        ([TREES / "dev.conllu", "b"], "M735"),
        (["a"], "M735"),
        (["a", "b", "c", "d"], "M735"),
        (["nowhere", "b"], "M501"),
    ],
)
def test_paths_that_say_no_treebank(args, code):
    result = invoke(*args, "--lang", "nl")
    assert (result.exit_code, result.stderr[:6]) == (1, f"[{code}]")


@pytest.mark.parametrize(
    ("name", "lang"),
    [
        ("tr_imst-ud-train.conllu", "tr"),
        ("sv-ud-train.conll", "sv"),
        ("got_proiel-ud-dev.conllu", "got"),
        ("no_bokmaal-ud-train.conllu", "nb"),
        ("no_nynorsk-ud-train.conllu", "nn"),
    ],
)
def test_names_of_universal_dependencies_say_the_language(name, lang):
    assert language_of(Path("folder", name)) == lang


@pytest.mark.parametrize("name", ["train.conllu", "Dutch-ud-train.conllu", "nl-train.conllu"])
def test_other_names_say_no_language(name, tmp_path):
    with pytest.raises(ValueError, match="M737"):
        language_of(Path(name))
    result = invoke(TREES / "train.conllu", TREES / "dev.conllu", tmp_path / "ud")
    assert (result.exit_code, result.stderr[:6]) == (1, "[M737]")
