"""The benchmarks are scripts beside each other, not a package: let their helpers be found."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
