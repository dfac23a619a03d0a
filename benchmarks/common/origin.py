"""Where a row of results comes from: commit, versions, command, machine."""

import os
import platform
import shlex
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
#: What can change a figure. Packages that are not installed are left out of the rows.
PACKAGES = (
    "spacy-mtl", "spacy", "thinc", "numba", "numpy", "scipy", "highspy",
    "python-crfsuite", "jieba", "ltp-extension", "spacy-pkuseg", "ufal.udpipe",
)  # fmt: skip
#: Uncommitted changes elsewhere change no figure; new results are expected.
CODE = ("spacy_mtl", "benchmarks", ":!benchmarks/results", "pyproject.toml")
#: Options whose value is shown as DIR.
FOLDERS = ("--corpora",)


def origin() -> dict[str, Any]:
    """commit (None outside a git checkout), dirty: whether its code was changed, command, versions, machine."""
    return {**COMMIT, "command": command(sys.orig_argv), "versions": versions(), "machine": machine()}


def _git(*arguments: str) -> str | None:
    try:
        done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    except OSError:
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def _commit() -> dict[str, Any]:
    return {"commit": _git("rev-parse", "HEAD"), "dirty": bool(_git("status", "--porcelain", "--", *CODE))}


#: When the program began: a long run belongs to that commit.
COMMIT = _commit()


def command(arguments: Sequence[str]) -> str:
    """As it was typed, but without paths of this machine: the corpora are in DIR, of other files the name is enough.

    arguments: those of the interpreter, its own path first.
    """
    typed, is_folder = ["python"], False
    for argument in arguments[1:]:
        option, equals, value = argument.partition("=")
        if is_folder:
            argument = "DIR"
        elif option in FOLDERS and equals:
            argument = f"{option}=DIR"
        elif os.path.isabs(argument):
            argument = Path(argument).name
        elif option.startswith("--") and os.path.isabs(value):
            argument = f"{option}={Path(value).name}"
        is_folder = argument in FOLDERS
        typed.append(argument)
    return shlex.join(typed)


@cache
def versions() -> dict[str, str]:
    """Of Python and of every package of :data:`PACKAGES` that is installed."""
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


@cache
def machine() -> dict[str, Any]:
    """Processor, its cores (a benchmark uses one of them), system."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    processor = next(names, platform.processor() or platform.machine())
    return {"processor": processor, "cores": os.cpu_count(), "system": platform.system()}
