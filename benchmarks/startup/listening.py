"""Which functions numba compiles in this process, and the CPU seconds that each takes without those compiled on the way."""

import time
from collections import defaultdict
from typing import Any

from numba.core import event


class Compilations(event.Listener):
    """Listens to numba's compile events while ``with`` holds.

    rows: one for each function and signature, the slowest first. kernels: those that were compiled for a call from Python, in order, with all that
    was compiled on the way.
    """

    def __init__(self) -> None:
        self._open: list[list[float]] = []
        self._seconds: defaultdict[tuple[str, str, str], float] = defaultdict(float)
        self.kernels: dict[str, float] = {}

    def on_start(self, event: Any) -> None:
        self._open.append([time.process_time(), 0.0])

    def on_end(self, event: Any) -> None:
        begin, inside = self._open.pop()
        whole = time.process_time() - begin
        function = event.data["dispatcher"].py_func
        if self._open:
            self._open[-1][1] += whole
        else:
            name = f"{function.__module__.partition('.')[2]}.{function.__name__}"
            self.kernels[name] = self.kernels.get(name, 0.0) + whole
        self._seconds[function.__module__, function.__qualname__, str(event.data["args"])] += whole - inside

    def __enter__(self) -> "Compilations":
        event.register("numba:compile", self)
        return self

    def __exit__(self, *_: object) -> None:
        event.unregister("numba:compile", self)

    @property
    def rows(self) -> list[dict[str, Any]]:
        found = sorted(self._seconds.items(), key=lambda item: -item[1])
        names = ("module", "function", "signature")
        return [{**dict(zip(names, key, strict=True)), "cpu": seconds} for key, seconds in found]
