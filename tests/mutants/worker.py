"""Runs pytest in forks of a process that has imported all that is slow and does not change, which saves seconds for each mutant.

Started in a copy of the checkout as ``python -m tests.mutants.worker``. It reads one job after another, a line of JSON each, and answers each with a
line that holds the exit code. Nothing of this package is imported before the fork.
"""

import importlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

LIBRARIES = (
    "pytest", "xdist.plugin", "hypothesis.extra.numpy", "numba", "scipy.optimize", "scipy.sparse.linalg", "scipy.special", "spacy", "cvxpy",
)  # fmt: skip


def run_here(arguments: Sequence[str], kernels: str, log: str, limit: int) -> NoReturn:
    """Run pytest and end the process. SIGALRM ends it after ``limit`` seconds, also inside of a kernel."""
    with open(log, "w") as file:
        for stream in (1, 2):
            os.dup2(file.fileno(), stream)
    os.environ["NUMBA_CACHE_DIR"] = os.environ["SPACY_MTL_TEST_KERNELS"] = kernels
    importlib.import_module("numba").config.reload_config()
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(limit)
    code = importlib.import_module("pytest").main([*arguments])
    sys.stdout.flush()
    os._exit(int(code))


def main() -> None:
    for name in LIBRARIES:
        with suppress(ImportError):
            importlib.import_module(name)
    early = [name for name in sys.modules if name.partition(".")[0] == "spacy_mtl"]
    assert not early, f"imported before any fault is applied: {early}"
    for line in sys.stdin:
        job = json.loads(line)
        pid = os.fork()
        if pid == 0:
            run_here(**job)
        _, status = os.waitpid(pid, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


class Worker:
    """One such process in a copy of the checkout."""

    def __init__(self, copy: Path):
        environment = {"NUMBA_OPT": "1", "OPENBLAS_NUM_THREADS": "1", **os.environ, "PYTHONPATH": str(copy)}
        self._log = copy.with_name(f"{copy.name}.log")
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.mutants.worker"],
            cwd=copy, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip

    def run(self, arguments: Sequence[str], kernels: Path, limit: float) -> tuple[int, str]:
        """Exit code of pytest (minus the signal, if one ended it), and its output."""
        job = {"arguments": [*arguments], "kernels": str(kernels), "log": str(self._log), "limit": int(limit)}
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(job) + "\n")
        self._process.stdin.flush()
        code = int(self._process.stdout.readline())
        return code, self._log.read_text(errors="replace")

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


if __name__ == "__main__":
    main()
