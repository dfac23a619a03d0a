"""Make the tables of README.md and docs/ from the rows of benchmarks/results, or check that they are made from these."""

from typing import Annotated

import typer

from benchmarks.common.origin import ROOT
from spacy_mtl.files import write_atomically

from . import rendered
from .checks import faulty, read_results
from .regions import filled, pages


def main(
    check: Annotated[bool, typer.Option("--check", help="Change nothing; fail where a page would change.")] = False,
) -> None:
    """Fill the regions between ``<!-- table: NAME -->`` and ``<!-- end -->``."""
    results = read_results()
    problems = faulty(results)
    for path in pages():
        text = path.read_text(encoding="utf8")
        page = path.relative_to(ROOT).as_posix()
        try:
            new = filled(text, lambda name, page=page: rendered(page, name, results))
        except ValueError as error:
            raise SystemExit(f"{page}: {error}") from None
        if new != text and check:
            problems.append(f"{page} differs from its rows: run python -m benchmarks.tables.")
        elif new != text:
            write_atomically(path, new.encode("utf8"))
    if problems:
        raise SystemExit("\n".join(problems))


if __name__ == "__main__":
    typer.run(main)
