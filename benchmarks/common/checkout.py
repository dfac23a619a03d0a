"""A process that works with the package of a checkout, so that two versions of it take turns in one run."""

import json
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from .measure import THREADS

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


class Checkout:
    """A worker: a script that says as JSON which ``package`` it imported, and then answers each line of JSON with another.

    arguments: the script and what it takes. task: a first line that it reads before it says so.
    """

    def __init__(self, folder: Path, arguments: list[str], task: Any = None):
        self._metadata = TemporaryDirectory()
        write_metadata(folder, Path(self._metadata.name))
        path = os.pathsep.join([str(folder), self._metadata.name])
        environment = {**os.environ, **dict.fromkeys(THREADS, "1"), "PYTHONPATH": path}
        self._folder = folder
        self._process = subprocess.Popen(
            [sys.executable, *arguments], env=environment, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        if task is not None:
            self._say(task)

    def wait(self) -> None:
        """Wait until the worker is ready. Exits if it works with another package."""
        package = Path(self._answer()["package"])
        if package != (self._folder / "spacy_mtl").resolve():
            raise SystemExit(f"{self._folder} is no checkout: {package} was imported.")

    def _say(self, value: Any) -> None:
        assert self._process.stdin is not None
        print(json.dumps(value), file=self._process.stdin, flush=True)

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit(f"The worker of {self._folder} ended with exit code {self._process.wait()}.")
        return json.loads(line)

    def ask(self, value: Any) -> dict[str, Any]:
        self._say(value)
        return self._answer()

    def stop(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()
        self._metadata.cleanup()


def write_metadata(checkout: Path, folder: Path) -> None:
    """Entry points of a checkout, as if it were installed in this folder. Those of the version that is installed may name what it does not have."""
    project = tomllib.loads((checkout / "pyproject.toml").read_text(encoding="utf8"))["project"]
    place = folder / "spacy_mtl-0.dist-info"
    place.mkdir()
    (place / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: 0\n", encoding="utf8")
    lines = [
        line
        for group, points in project["entry-points"].items()
        for line in (f"[{group}]", *(f"{name} = {value}" for name, value in points.items()))
    ]
    (place / "entry_points.txt").write_text("\n".join(lines) + "\n", encoding="utf8")
