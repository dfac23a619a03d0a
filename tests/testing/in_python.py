"""Scripts of this folder as plain Python: kernels run without being compiled."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]


def run_in_python(script: Path, *args: str) -> Any:
    """What a script prints as JSON, run with numba's JIT switched off."""
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(ROOT)}
    run = subprocess.run(
        [sys.executable, str(script), *args], capture_output=True, text=True, env=environment, cwd=ROOT
    )
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)
