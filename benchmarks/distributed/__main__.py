"""``python -m benchmarks.distributed``: see program.py. Workers of a cluster may use every core; where they take turns, there is one."""

import sys

from benchmarks.common.measure import prepare, use_kernel_cache

if sys.argv[1:2] in (["ray"], ["large"]):
    use_kernel_cache()
else:
    prepare()

from .program import app

app()
