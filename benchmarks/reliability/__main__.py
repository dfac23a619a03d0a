"""``python -m benchmarks.reliability``: see program.py."""

import os

from benchmarks.common.measure import THREADS, use_kernel_cache

os.environ.update(dict.fromkeys(THREADS, "1"))
use_kernel_cache()

from .program import app  # noqa: E402

app()
