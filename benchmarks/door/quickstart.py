"""The first minutes of a newcomer: ``spacy project run quickstart`` in a fresh clone, where nothing has been compiled."""

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import srsly

from benchmarks.common.origin import ROOT

from .processes import cpu_of

#: What would bring kernels, or the sources of another checkout, into the clone.
_LEFT_OUT = ("NUMBA_CACHE_DIR", "PYTHONPATH")


def clone(source: Path, folder: Path) -> Path:
    """A clone of what is committed, without what git does not know, such as kernels. Raises CalledProcessError where ``source`` is no repository."""
    path = folder / "clone"
    subprocess.run(["git", "clone", "--quiet", "--no-local", str(source), str(path)], check=True)
    return path


def quickstart() -> dict[str, Any]:
    """CPU seconds of all processes, and the entity F1 on the test part that the first model reaches, in percent."""
    with TemporaryDirectory() as folder:
        path = clone(ROOT, Path(folder))
        env = {name: value for name, value in os.environ.items() if name not in _LEFT_OUT}
        command = [sys.executable, "-m", "spacy", "project", "run", "quickstart"]
        cpu = cpu_of(command, cwd=path, env={**env, "PYTHONPATH": str(path)})
        score = srsly.read_json(path / "metrics" / "quickstart.json")["ents_f"]
        kernels = sum(1 for _ in path.rglob("*.nbc"))
    return {"contestant": "quickstart", "cpu": cpu, "score": 100 * score, "kernel_files": kernels}
