"""The process of one contestant: ``python -m benchmarks.common.child MODULE:FUNCTION RESULT``, settings as JSON on standard input."""

import json
import sys
from importlib import import_module
from pathlib import Path


def main() -> None:
    task, result = sys.argv[1:]
    module, _, function = task.partition(":")
    answer = getattr(import_module(module), function)(**json.load(sys.stdin))
    Path(result).write_text(json.dumps(answer), encoding="utf8")


if __name__ == "__main__":
    main()
