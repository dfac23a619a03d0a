"""``python -m benchmarks.distributed``: see program.py."""

from benchmarks.common.measure import prepare

prepare()

from .program import app  # noqa: E402

app()
