"""How much a run of the table tries, and the rows that its subjects make."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.common.rows import Row

ROOT = Path(__file__).parents[2]
#: Failures whose description a row keeps; all are counted.
SHOWN = 20


@dataclass(frozen=True)
class Plan:
    """What a subject is asked for.

    full: the sizes of the published table, hours; otherwise minutes. folder: empty, for whatever the subject writes. seed: of the first random
    case; a case that failed is repeated with its own seed and ``count = 1``. count: cases, instead of the usual number. share: of the usual number.
    case: only what has this name, such as a component. corpora: the folder of corpora that do not come with the package, or None.
    """

    full: bool
    folder: Path
    seed: int = 0
    count: int | None = None
    share: float = 1.0
    case: str | None = None
    corpora: Path | None = None

    def size(self, quick: int, full: int) -> int:
        """How many to try."""
        return self.count or math.ceil(self.share * (full if self.full else quick))

    def wants(self, case: str) -> bool:
        """Whether a part of a subject is to run."""
        return self.case in (None, case)

    def row(self, subject: str, case: str, tried: int, failures: Sequence[str], **more: Any) -> Row:
        """The row of a part of a subject. failures: a sentence each. more: other figures; ``note`` is shown to people."""
        about = {"benchmark": "reliability", "mode": subject, "case": case, "size": "full" if self.full else "quick"}
        found = {"tried": tried, "failed": len(failures), "failures": list(failures[:SHOWN])}
        return {**about, "seed": self.seed, **found, **more}
