"""``spacy mtl init-ud`` with the folder of a treebank in place of its files."""

import shutil
from pathlib import Path

import pytest
from spacy.cli import app
from spacy.util import load_config
from typer.testing import CliRunner

from spacy_mtl.cli.treebanks.parts import Files, files_of, language_of
from spacy_mtl.cli.treebanks.two_parts import RUN, SHARE

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
    train, dev = ([treebank / name] for name in parts)
    assert files_of([treebank, Path("ud")]) == Files(train, dev, Path("ud"))


def sentences_of(*paths, encoding="utf8"):
    return [block for path in paths for block in path.read_text(encoding).split("\n\n") if block.strip()]


@pytest.mark.parametrize("encoding", ["utf8", "latin-1", "utf-16"])
def test_several_files_of_a_part_are_joined(tmp_path, encoding):
    treebank, sentences = folder_of(tmp_path / "UD_Dutch-Large"), sentences_of(TREES / "train.conllu")
    for name, part in (("b", sentences[50:70]), ("a", sentences[:50])):
        (treebank / f"nl_large-ud-train-{name}.conllu").write_text(
            "\n\n".join(part), encoding=encoding
        )  # with no line end
    (treebank / "nl_large-ud-dev.conllu").write_text("\n\n".join(sentences[70:90]) + "\n\n", encoding=encoding)
    result = invoke(treebank, tmp_path / "ud", "--encoding", encoding)
    assert (result.exit_code, result.stderr) == (0, "")
    joined = tmp_path / "ud" / "joined-train.conllu"
    assert f"{joined}: nl_large-ud-train-a.conllu, nl_large-ud-train-b.conllu, one after another." in result.stdout
    assert sentences_of(joined, encoding=encoding) == sentences[:70]
    config = load_config(tmp_path / "ud" / "ud-tags.cfg", interpolate=True)
    assert config["paths"]["train"] == str(joined)
    assert config["paths"]["dev"] == str(treebank / "nl_large-ud-dev.conllu")
    assert not (tmp_path / "ud" / "joined-dev.conllu").exists()


@pytest.mark.parametrize(("n", "run"), [(150, 1), (SHARE, 1), (1000, RUN), (350, 3)])
def test_without_a_dev_part_runs_of_sentences_are_held_out(tmp_path, n, run):
    treebank, some = folder_of(tmp_path / "UD_Dutch-Small"), sentences_of(TREES / "train.conllu")
    sentences = [f"# number = {k}\n{some[k % len(some)]}" for k in range(n)]
    for name, part in (("a", sentences[: n // 2]), ("b", sentences[n // 2 :])):
        (treebank / f"nl_small-ud-train-{name}.conllu").write_text("\n\n".join(part) + "\n\n", encoding="utf8")
    result = invoke(treebank, tmp_path / "ud")
    assert (result.exit_code, result.stderr) == (0, "")
    train, dev = (tmp_path / "ud" / f"{name}.conllu" for name in ("most-train", "held-out-dev"))
    held = [sentence for k, sentence in enumerate(sentences) if k // run % SHARE == SHARE - 1]
    assert sentences_of(dev) == held
    assert sentences_of(train) == [sentence for sentence in sentences if sentence not in held]
    assert (
        f"{dev}: {len(held)} of the {n:,} training sentences, as there is no dev part; {train}: the others."
        in result.stdout
    )
    config = load_config(tmp_path / "ud" / "senter.cfg", interpolate=True)
    assert (config["paths"]["train"], config["paths"]["dev"]) == (str(train), str(dev))


def test_files_that_are_no_parts_and_comments_that_are_no_sentences_do_not_count(tmp_path):
    """Hidden files of archives, and a block of comments; CoNLL-X stays CoNLL-X."""
    treebank = folder_of(tmp_path / "treebank", "._my-train.conll", "._my-dev.conll")
    rows = "\n".join(f"{k}\t{w}\t_\tN\tN\t_\t{k - 1}\tdep\t_\t_" for k, w in enumerate("ab", 1))
    (treebank / "my-train.conll").write_text("# of nobody\n\n" + f"{rows}\n\n" * 20, encoding="utf8")
    result = invoke(treebank, tmp_path / "ud", "--lang", "nl")
    assert (result.exit_code, result.stderr) == (0, "")
    assert "2 of the 20 training sentences" in result.stdout
    assert sentences_of(tmp_path / "ud" / "held-out-dev.conll") == [rows] * 2


def test_parts_in_several_formats_are_refused(tmp_path):
    treebank = folder_of(tmp_path / "treebank", "my-train.conllu", "my-train.conll", "my-dev.conllu")
    result = invoke(treebank, tmp_path / "ud", "--lang", "nl")
    assert (result.exit_code, result.stderr[:6]) == (1, "[M959]")


def test_a_treebank_that_is_too_small_to_hold_sentences_out(tmp_path):
    treebank = folder_of(tmp_path / "treebank")
    (treebank / "my-train.conllu").write_text("\n\n".join(sentences_of(TREES / "train.conllu")[:9]), encoding="utf8")
    result = invoke(treebank, tmp_path / "ud", "--lang", "nl")
    assert (result.exit_code, result.stderr[:6]) == (1, "[M739]")
    assert "its 9 training sentence(s)" in result.stderr.replace("\n", " ")
    assert not (tmp_path / "ud").exists()


def test_a_treebank_without_a_training_part(tmp_path):
    result = invoke(folder_of(tmp_path / "treebank", "my-test.conllu"), tmp_path / "ud", "--lang", "nl")
    assert (result.exit_code, result.stderr[:6]) == (1, "[M736]")


def test_what_is_made_of_a_treebank_does_not_become_a_part_of_it(tmp_path):
    treebank = folder_of(tmp_path / "treebank", "my-train-1.conllu", "my-train-2.conllu", "my-dev.conllu")
    result = invoke(treebank, treebank / ".." / "treebank", "--lang", "nl")
    assert (result.exit_code, result.stderr[:6]) == (1, "[M738]")
    assert len(list(treebank.iterdir())) == 3


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
