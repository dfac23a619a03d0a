"""``python -m benchmarks.startup``: see program.py."""

from benchmarks.common.measure import use_one_core

use_one_core()

from .program import app  # noqa: E402

app()
