"""Processes that may crash: a question is a line, the answer a line of JSON; one that dies or says nothing is replaced."""

import json
import os
import selectors
import signal
import subprocess
import sys
from contextlib import suppress
from typing import IO, Any

from .plan import ROOT

#: Seconds of waiting for an answer. The workers themselves count CPU seconds, so this ends only what waits without working; a busy machine
#: has kept a case of half a CPU second for more than two minutes.
PATIENCE = 900.0
#: Seconds until a new process is ready: it may have to compile.
START = 1800.0


class Worker:
    """A process of ``python -m MODULE ARGUMENTS`` that is started when it is needed."""

    def __init__(self, module: str, *arguments: str, environment: dict[str, str] | None = None) -> None:
        self._command = [sys.executable, "-m", module, *arguments]
        self._environment = {**os.environ, **(environment or {})}
        self._process: subprocess.Popen | None = None

    def __enter__(self) -> "Worker":
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()

    def ask(self, question: str, more: float = 0.0) -> dict[str, Any]:
        """The answer, or ``outcome`` "hang" or "crash" with the signal in ``detail``. more: seconds of waiting beyond PATIENCE."""
        process = self._process or self._start()
        assert process.stdin is not None
        assert process.stdout is not None
        with suppress(BrokenPipeError):  # it has died since its last answer
            process.stdin.write(question + "\n")
            process.stdin.flush()
        answer = _line(process.stdout, PATIENCE + more)
        if answer:
            return json.loads(answer)
        hangs = answer is None
        if hangs:
            process.kill()
        code = process.wait()
        self.stop()
        if hangs or code == -signal.SIGPROF:
            return {"outcome": "hang", "detail": "no answer" if hangs else "more CPU seconds than allowed"}
        name = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        return {"outcome": "crash", "detail": name}

    def _start(self) -> subprocess.Popen:
        self._process = process = subprocess.Popen(
            self._command, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=self._environment, cwd=ROOT
        )
        assert process.stdout is not None
        if not _line(process.stdout, START):
            self.stop()
            raise RuntimeError(f"{' '.join(self._command[1:])} does not start; its message is above.")
        return process

    def stop(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                with suppress(BrokenPipeError):
                    assert pipe is not None
                    pipe.close()


def _line(stream: IO[str], seconds: float) -> str | None:
    """The next line of a process, "" at its end, None if there is none in time. Each answer is one line, so nothing stays in a buffer."""
    with selectors.DefaultSelector() as selector:
        selector.register(stream, selectors.EVENT_READ)
        return stream.readline() if selector.select(seconds) else None
