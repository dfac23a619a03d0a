"""The subjects of the table, a file each with ``run(plan)``, which yields rows; all work happens in processes of their own."""

from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic

from benchmarks.common.rows import Row

from .plan import Plan

#: Subject -> what must hold. The file has the same name.
SUBJECTS: dict[str, str] = {
    "documents": "Hostile documents: no text changed, the same annotation in every order, batching and process, memory flat",
    "disk": "A disk that is full or must not be written: one coded sentence names the path, and what was there is unchanged",
    "kills": "Killed at any time: the last complete model-best loads and predicts, a pipeline saved over another is old or new",
    "models": "Changed model files: one coded error or a valid prediction, within 5 CPU s and 2 x the declared size + 200 MB",
    "bounds": "Changed model files with kernels that check indices: no index out of range",
    "concurrency": "Eight threads with one pipeline find what one thread finds",
    "determinism": "The same training gives the same bytes, in any process, and when documents are annotated between passes",
    "memory": "Memory and the time for a document stay what they are, however many new words and characters come",
    "settings": "Bad settings, corpora and templates: one coded sentence, or a training that works",
    "certificates": "MTLStruct by both solvers: no negative gap, no dual above the optimum, none converged above its tol",
    "certificates_sums": "Trainers other than MTLStruct: no negative gap, no dual above the optimum, none converged above its tol",
    "exponents": "Time grows no faster than size; the parser's with a power of the sentence's length that is documented",
}


def run_subject(name: str, plan: Plan) -> Iterator[Row]:
    """Run a subject in a scratch folder of its own. What it raises becomes a failure: a subject that cannot run has shown nothing."""
    with TemporaryDirectory(prefix=f"{name}-", dir=plan.folder) as folder:
        began = monotonic()
        try:
            for row in import_module(f"{__package__}.{name}").run(replace(plan, folder=Path(folder))):
                yield {**row, "seconds": round(monotonic() - began, 1)}
                began = monotonic()
        except Exception as error:
            failure = f"the subject itself failed: {type(error).__name__}: {error}"
            yield plan.row(name, "all", 0, [failure], seconds=round(monotonic() - began, 1))
