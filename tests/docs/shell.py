"""Blocks of shell commands: run in small where what they read is there, else held against the real command line."""

import importlib
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import srsly
import typer
from spacy.cli import app
from spacy.cli._util import parse_config_overrides
from spacy.util import load_config

import spacy_mtl.cli  # noqa: F401 (adds the commands, as the entry point does for the command line)

from .blocks import ROOT
from .configs import check_overrides, make

#: what pages call the folder of corpora that do not come with the package
ELSEWHERE = "DIR"
#: and a cluster that does not come with it either
CLUSTER = "HOST:PORT"
#: commands of spaCy that are run; of the others only the options are checked
RUN = {"convert", "evaluate", "mtl", "train"}
#: but not this command of ours, which compiles everything
SLOW = ["warmup"]
#: epochs of a training that a page begins; the quickstart, whose entities pages print, is run to its end
EPOCHS = 1
#: and trials of a search
TRIALS = 2

Words = list[str]


def check_commands(text: str) -> None:
    """Every command of a block."""
    for line in text.replace("\\\n", " ").splitlines():
        line = line.partition(" # ")[0].replace("${VENV:-.venv}", ".venv")
        for command in line.split("&&"):
            words = shlex.split(command, comments=True)
            if words:
                check_command(words)


def check_command(words: Words) -> None:
    """One command, by the program that it calls."""
    words[0] = words[0].removeprefix(".venv/bin/")
    if words[0].startswith("python") and words[1:2] == ["-m"]:
        words = words[2:]
    for start, check in PROGRAMS.items():
        if re.fullmatch(start, words[0]):
            return check(words)
    raise AssertionError(f"no check knows this program: {shlex.join(words)}")


# --- spaCy ---


def check_spacy(words: Words) -> None:
    """``python -m spacy ...``."""
    command, *args = [
        str(ROOT / word) if word.startswith("examples/") else word for word in words[1:]
    ]  # numba's cache goes by path
    if command == "project":
        return check_project(args)
    if command == "train":
        return check_train(args)
    here = not any(name in " ".join(args) for name in (ELSEWHERE, CLUSTER))
    if command in RUN and here and args[:1] != SLOW:
        return run_spacy(command, *in_small(args))
    return parse(typer.main.get_command(app), [command, *args])


def in_small(args: Words) -> Words:
    """The same with fewer trials, if the command makes any, and those on a few sentences."""
    fewer = [
        str(min(int(word), TRIALS)) if before == "--trials" else word
        for before, word in zip(["", *args], args, strict=False)
    ]
    searched = args[:1] == ["tune"] and "configs/ner.cfg" in args
    return [*fewer, "--train", "my.train", "--dev", "my.dev"] if searched else fewer


def run_spacy(*args: str) -> None:
    """Run a command of spaCy's command line in this process."""
    try:
        code = typer.main.get_command(app).main(list(args), prog_name="python -m spacy", standalone_mode=False)
    except SystemExit as exit:
        code = exit.code
    assert not code, shlex.join(args)


def check_train(args: Words, epochs: int | None = EPOCHS) -> None:
    """Settings must be of the config; then the training itself, for a few epochs."""
    options = [word for k, word in enumerate(args) if word.startswith("--") and "." in word]
    rest = args[1:]
    overrides = {name[2:]: rest[rest.index(name) + 1] for name in options}
    check_overrides(load_config(args[0], interpolate=False), overrides)
    if any(ELSEWHERE in value for value in args):
        flat = [word for name in options for word in (name, rest[rest.index(name) + 1])]
        make(load_config(args[0], overrides=parse_config_overrides(flat), interpolate=False))
        return None
    short = ["--training.max_epochs", str(epochs)] if epochs else []
    return run_spacy("train", *args, *short)


def check_project(args: Words) -> None:
    """``spacy project run NAME``: the workflow and its variables exist; its first step is run, if all it reads is here."""
    project = srsly.read_yaml(ROOT / "project.yml")
    parse(typer.main.get_command(app), ["project", *args])
    if args[0] != "run":
        return
    name, rest = args[1], args[2:]
    variables = {key[len("--vars.") :]: value for key, value in pairwise(rest) if key[:2] == "--"}
    assert variables.keys() <= project["vars"].keys(), f"project.yml has no such variables: {shlex.join(args)}"
    assert not rest or rest[0] == ".", f"variables come after the folder of the project: {shlex.join(args)}"
    steps = project["workflows"].get(name, [name])
    scripts = {command["name"]: command["script"] for command in project["commands"]}
    assert set(steps) <= set(scripts), name
    if ELSEWHERE in variables.values():
        return
    values = {**project["vars"], **variables}
    for line in scripts[steps[0]]:
        words = shlex.split(re.sub(r"\$\{vars\.(\w+)\}", lambda match: str(values[match[1]]), line))
        check_train(words[4:], epochs=None if name == "quickstart" else EPOCHS)


# --- other programs ---


def parse(command: Any, args: Words) -> None:
    """The options and arguments of a command, and of the command in it that they call, without running it."""
    with command.make_context("python -m", list(args), resilient_parsing=False) as context:
        if hasattr(command, "resolve_command"):  # a group, of click or of the click inside typer
            _, inner, rest = command.resolve_command(context, [*context._protected_args, *context.args])
            assert inner is not None
            parse(inner, rest)


def check_benchmark(words: Words) -> None:
    """``python -m benchmarks.NAME ...``: the module's own command line; the folder of corpora need not exist."""
    name = words[0]
    program = f"{name}.program" if (ROOT / name.replace(".", "/")).is_dir() else name
    module = importlib.import_module(program)
    parse(typer.main.get_command(module.app), [str(ROOT) if word == ELSEWHERE else word for word in words[1:]])


def check_pip(words: Words) -> None:
    """Only this package is installed, from here or from its archive, with extras that it has, and a package made of a pipeline."""
    toml = (ROOT / "pyproject.toml").read_text(encoding="utf8")
    extras = set(re.findall(r"^(\w+) = \[", toml.partition("[project.optional-dependencies]")[2], re.M))
    version = re.search(r'^version = "(.+)"', toml, re.M)[1]
    assert words[1] == "install"
    for word in words[2:]:
        if word == "-e" or re.fullmatch(r"(\w+-[\d.]+)/dist/\1\.tar\.gz", word):
            continue
        place, _, wanted = word.rstrip("]").partition("[")
        assert place in (".", f"spacy_mtl-{version}.tar.gz", f"spacy_mtl-{version}-py3-none-any.whl"), word
        assert not wanted or set(wanted.split(",")) <= extras, word


def check_pytest(words: Words) -> None:
    assert all((ROOT / word).exists() for word in words[1:] if not word.startswith("-")), words


def check_make(words: Words) -> None:
    targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf8"), re.M)
    assert set(words[1:]) <= set(targets), words


def check_mkdocs(words: Words) -> None:
    from mkdocs.__main__ import cli

    parse(cli, words[1:])


def check_entering(words: Words) -> None:
    """Commands around the environment; nothing of ours can be wrong in them but the folder's name."""
    assert words[1] in (".venv", ".venv/bin/activate", "spacy_mtl", "venv"), words


def check_uncompiled(words: Words) -> None:
    """An example as plain Python: at once, as nothing is compiled."""
    assert words[1] == "python"
    name, _, value = words[0].partition("=")
    environment = {**os.environ, name: value, "PYTHONPATH": str(ROOT)}
    subprocess.run([sys.executable, *words[2:]], env=environment, cwd=ROOT, check=True)


PROGRAMS: dict[str, Callable[[Words], None]] = {
    "spacy": check_spacy,
    r"benchmarks[\w.]*": check_benchmark,
    "pip": check_pip,
    "pytest": check_pytest,
    "make": check_make,
    "mkdocs": check_mkdocs,
    "venv|source|cd": check_entering,
    "NUMBA_DISABLE_JIT=1": check_uncompiled,
}
