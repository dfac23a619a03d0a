"""``python -m benchmarks.mtlstruct``: see program.py."""

from benchmarks.common.measure import prepare

prepare()

from .program import app  # noqa: E402

app()
