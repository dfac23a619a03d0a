"""``python -m benchmarks.cluster``: see program.py. Unlike other programs, this one may use every core."""

from benchmarks.common.measure import use_kernel_cache

use_kernel_cache()

from .program import app  # noqa: E402

app()
