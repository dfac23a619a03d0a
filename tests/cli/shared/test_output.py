"""Outputs that cannot be written, and inputs that cannot be looked at, are told before any work."""

import os
from pathlib import Path
from types import SimpleNamespace

import pytest
from rich.table import Table
from spacy.cli import app
from typer.testing import CliRunner

from spacy_mtl.cli.insight.report import _check_writable
from spacy_mtl.cli.shared.output import check_file_name, check_other, check_outputs, make_console

FILES = ("--lang", "es", "--pipeline", "ner", "--train")
COMMANDS = {
    "evaluate-ud": lambda path, output: ["evaluate-ud", path, path, "--output", output],
    "clusters": lambda path, output: ["clusters", path, "--output", output],
    "annotate": lambda path, output: ["annotate", "no-model", path, output],
    "jackknife": lambda path, output: ["jackknife", "no.cfg", path, output],
    "lists": lambda path, output: ["lists", path, "--output", output],
}
#: Those that load a pipeline, or a config, before anything else that may fail.
LONG = {
    "prune": lambda output: ["prune", "no-model", output, "--templates", 3],
    "prune --json": lambda output: ["prune", "no-model", "out", "--json", output],
    "tune": lambda output: ["tune", "no.cfg", output],
    "tune --json": lambda output: ["tune", "no.cfg", "out.cfg", "--json", output],
    "suggest": lambda output: ["suggest", "no-model", "no.txt", output],
    "calibrate": lambda output: ["calibrate", "no-model", "no.conll", "--output", output],
    "bias": lambda output: ["bias", "no-model", "no.conll", "--output", output],
    "clusters": lambda output: ["clusters", __file__, "--output", output],
    "lists": lambda output: ["lists", "no.conll", "--output", output],
    "evaluate": lambda output: ["evaluate", "no-model", "no.conll", "--output", output],
    "explain": lambda output: ["explain", "no-model", "A text.", "--html", output],
    "features": lambda output: ["features", "no-model", "--json", output],
    "names": lambda output: ["names", "no-model", "no.conll", output],
    "templates": lambda output: ["templates", "no-model", "--json", output],
    "summary": lambda output: ["summary", "no-training", "--json", output],
    "init-config": lambda output: ["init-config", output, *FILES, "no.conll", "--dev", "no.conll"],
}
#: Those with an input that is also their output.
OVER = {
    "evaluate": lambda path: ["evaluate", "no-model", "no.conll", path, "--output", path],
    "evaluate --lexicon": lambda path: ["evaluate", "no-model", "no.conll", "--lexicon", path, "--output", path],
    "features": lambda path: ["features", "no-model", "--names", path, "--json", path],
    "summary": lambda path: ["summary", path.stem, "--metrics", path.parent, "--json", path],
    "init-config": lambda path: ["init-config", path, *FILES, path, "--dev", "no.conll"],
    "init-config --list": lambda path: [
        "init-config",
        path,
        *FILES,
        "a.conll",
        "--dev",
        "a.conll",
        "--list",
        f"a={path}",
    ],
}


def invoke(*args):
    return CliRunner().invoke(app, ["mtl", *map(str, args)])


@pytest.fixture(name="closed")
def _closed(tmp_path, monkeypatch):
    """A folder that may not be entered, also where tests run as root."""
    folder = tmp_path / "closed"
    folder.mkdir()
    stat = os.stat

    def refuse(path, *args, **kwargs):
        if isinstance(path, str | Path) and folder in Path(path).parents:
            raise PermissionError(13, "Permission denied", str(path))
        return stat(path, *args, **kwargs)

    monkeypatch.setattr(os, "stat", refuse)
    return folder


@pytest.mark.parametrize("command", [name for name in COMMANDS if name != "lists"])
@pytest.mark.parametrize("place", ["closed", "long", "longer"])
def test_an_output_that_cannot_be_is_one_sentence_before_any_work(tmp_path, closed, command, place):
    (tmp_path / "a.conllu").write_text("no tree\n", encoding="utf8")
    # the second one is too long only while it is written, under another name
    name = {"closed": closed / "a.conllu", "long": "x" * 245 + ".conllu", "longer": "x" * 500 + ".conllu"}[place]
    result = invoke(*COMMANDS[command](tmp_path / "a.conllu", tmp_path / name))
    assert result.exit_code == 1
    assert result.stderr.startswith("[M704] Cannot write '"), result.output
    assert ("Permission denied" if place == "closed" else "File name too long") in result.stderr


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("place", ["closed", "longer"])
def test_an_input_that_cannot_be_looked_at_is_one_sentence(tmp_path, closed, command, place):
    path = closed / "a.conll" if place == "closed" else tmp_path / ("x" * 500)
    output = tmp_path / "out.conllu"
    output.write_text("", encoding="utf8")
    result = invoke(*COMMANDS[command](path, output))
    assert result.exit_code == 1
    assert result.stderr.startswith("[M501] Cannot read '"), result.output


def test_a_place_in_a_file_is_refused(tmp_path):
    (tmp_path / "file").write_text("", encoding="utf8")
    for check in (check_file_name, lambda path: check_other(path, []), lambda path: check_outputs([path], [])):
        with pytest.raises(ValueError, match=r"M704.*file/out': Not a directory"):
            check(tmp_path / "file" / "out")


@pytest.fixture(name="read_only")
def _read_only(tmp_path, monkeypatch):
    """A folder that may not be written, also where tests run as root."""
    folder, access = tmp_path / "read-only", os.access
    folder.mkdir()
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path) != folder and access(path, mode))
    return folder


@pytest.mark.parametrize("command", LONG)
@pytest.mark.parametrize("name", ["out", "new/out"])
def test_a_folder_that_cannot_be_written_is_told_before_any_work(read_only, command, name):
    result = invoke(*LONG[command](read_only / name))
    assert result.exit_code == 1
    assert result.stderr == f"[M704] Cannot write '{read_only / name}': Permission denied.\n"


@pytest.mark.parametrize("command", [name for name in LONG if name not in ("prune", "calibrate", "bias", "lists")])
def test_a_folder_in_place_of_a_file_is_told_before_any_work(tmp_path, command):
    result = invoke(*LONG[command](tmp_path))
    assert result.exit_code == 1
    assert result.stderr == f"[M704] Cannot write '{tmp_path}': it is a folder.\n"


@pytest.mark.parametrize("command", OVER)
def test_an_input_is_not_written_over(tmp_path, command):
    path = tmp_path / "mine.json"
    path.write_text("precious", encoding="utf8")
    result = invoke(*OVER[command](path))
    assert (result.exit_code, result.stderr[:6]) == (1, "[M741]")
    assert path.read_text(encoding="utf8") == "precious"


def test_a_page_in_a_folder_that_cannot_be_written_is_told_before_any_work(read_only):
    with pytest.raises(ValueError, match=r"^\[M704\] Cannot write '.*/report.html': Permission denied"):
        _check_writable(read_only / "report.html")


def test_a_file_system_that_is_read_only_is_told(read_only, monkeypatch):
    monkeypatch.setattr(os, "statvfs", lambda _: SimpleNamespace(f_flag=os.ST_RDONLY))
    with pytest.raises(ValueError, match=r"^\[M704\].*: Read-only file system"):
        check_file_name(read_only / "out")


def test_devices_are_written_to_as_they_are(monkeypatch):
    monkeypatch.setattr(os, "access", lambda *_: False)
    check_outputs([Path(os.devnull)], [])


def test_of_a_link_the_folder_that_it_leads_to_is_looked_at(read_only, tmp_path):
    (tmp_path / "there").symlink_to(read_only / "out")
    with pytest.raises(ValueError, match=r"^\[M704\] Cannot write '.*/there': Permission denied"):
        check_file_name(tmp_path / "there")
    (read_only / "here").symlink_to(tmp_path / "out")
    check_file_name(read_only / "here")


def test_what_is_open_already_needs_no_folder(monkeypatch):
    monkeypatch.setattr(os, "access", lambda *_: False)
    check_outputs([Path("/dev/stdout")], [])


@pytest.mark.parametrize("command", ["clusters", "jackknife"])
def test_a_folder_is_refused_before_long_work(tmp_path, command):
    (tmp_path / "a.txt").write_text("a\n", encoding="utf8")
    (tmp_path / "out.conllu").mkdir()
    result = invoke(*COMMANDS[command](tmp_path / "a.txt", tmp_path / "out.conllu"))
    assert result.stderr.startswith("[M704]"), result.output


def test_what_is_not_there_yet_is_no_fault(tmp_path):
    (tmp_path / "in").write_text("", encoding="utf8")
    check_other(tmp_path / "new" / "out", [tmp_path / "in", tmp_path / "none", tmp_path / "in" / "x"])
    check_outputs([tmp_path / "out", None], [None, tmp_path / "in"])
    check_other(Path("."), [tmp_path])
    with pytest.raises(ValueError, match="M741"):
        check_other(tmp_path / "in", [tmp_path / "new" / ".." / "in", tmp_path / "in"])


def test_texts_and_labels_are_neither_markup_nor_emoji(capsys):
    table = Table(title="[ner]", box=None)
    table.add_column("[head]")
    table.add_row("[v2] [/x] :smile:")
    for shown in (table, "[red]a :smile:"):
        make_console().print(shown)
    assert [line.strip() for line in capsys.readouterr().out.splitlines()] == [
        "[ner]", "[head]", "[v2] [/x] :smile:", "[red]a :smile:",
    ]  # fmt: skip
