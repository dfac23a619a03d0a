"""``python -m benchmarks.insight``: see program.py."""

from benchmarks.common.measure import prepare

prepare()

from .program import app  # noqa: E402

app()
