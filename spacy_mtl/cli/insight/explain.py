"""``python -m spacy mtl explain``: why a pipeline decides as it does about a text."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from spacy_mtl.errors import Errors
from spacy_mtl.settings import of_the_name

from ..shared.messages import clear_errors
from ..shared.options import Code
from ..shared.output import check_files, make_console, write_file, write_json
from ..shared.pipelines import load_pipeline, make_doc

if TYPE_CHECKING:
    from rich.table import Table
    from spacy.language import Language

    from spacy_mtl.explaining.decision import Decision
    from spacy_mtl.explaining.explanation import Explanation


def explain_cli(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="Pipeline name or directory.")],
    text: Annotated[str, typer.Argument(metavar="TEXT", help="The text to explain.")],
    component: Annotated[str | None, typer.Option(help="Explain only this component.")] = None,
    top: Annotated[int, typer.Option(min=0, help="Contributions to show of each decision; 0 for all.")] = 6,
    closest: Annotated[
        int, typer.Option(min=0, help="Show only the N decisions with the smallest differences; 0 for all.")
    ] = 0,
    tokens: Annotated[
        bool,
        typer.Option("--tokens", help="Why is this no entity? Explain the tag of every token, not entities alone."),
    ] = False,
    json_path: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write all decisions to this file, as JSON.")
    ] = None,
    html: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a page of all decisions to this file.")
    ] = None,
    code: Code = None,
) -> None:
    """Explain every decision about a text: the best analysis without it, by how much that scores less, and which features make the difference."""
    with clear_errors():
        check_files([json_path, html], [])
        found = explanations(load_pipeline(model, code), model, text, component, tokens)
        if json_path is not None:
            write_json(json_path, [explanation.to_dict() for explanation in found])
        if html is not None:
            write_file(html, _page(found, top or None).encode())
    console = make_console()
    for explanation in found:
        console.print(explanation.title, markup=False, style="bold")
        for decision in explanation.closest(closest) if closest else explanation.decisions:
            console.print(str(decision), markup=False, soft_wrap=True)
            if decision.contributions:
                console.print(_table(decision, top))
        if not explanation.decisions and not tokens:
            console.print("Nothing was found. With --tokens, every token is explained.")


def explanations(
    nlp: "Language", model: str, text: str, component: str | None = None, tokens: bool = False
) -> "list[Explanation]":
    """The explanations of every component that gives them, or of the one named, each of the document as that component gets it.

    tokens: of each token, see :meth:`.StructuredPipe.explain`.
    Raises ValueError: M760 a text without words, M796 and M797 one that cannot be read, M761 no such component, M475 an untrained one.
    """
    from spacy_mtl.components.confidence.untold import untold

    able = [name for name, pipe in nlp.pipeline if hasattr(pipe, "explain")]
    if (component is not None and component not in able) or not able:
        names = ", ".join(able) or "none"
        raise ValueError(Errors.M761.format(model=model, named=of_the_name(component), names=names))
    doc = make_doc(nlp, text, "the text")
    if not len(doc):
        raise ValueError(Errors.M760)
    found = []
    with untold(nlp):
        for name, pipe in nlp.pipeline:
            if name in able and component in (None, name):
                found.append(pipe.explain(doc, tokens))  # type: ignore[attr-defined]
            if name == (component or able[-1]):
                break
            doc = pipe(doc)
    return found


def _table(decision: "Decision", top: int) -> "Table":
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, 2), show_header=False)
    shown = decision.strongest(top or None)
    for style in ("right", "left", "left", "left"):
        table.add_column(justify=style, overflow="fold")  # type: ignore[arg-type]
    for each in shown:
        table.add_row(f"{each.value:+.4f}", Text(each.template), Text(each.feature), Text(each.part))
    if rest := len(decision.contributions) - len(shown):
        left = decision.total - sum(each.value for each in shown)
        table.add_row(f"{left:+.4f}", "", f"{rest} others", "")
    return table


def _page(found: "list[Explanation]", most: int | None) -> str:
    body = "".join(explanation.html(most) for explanation in found)
    head = '<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Explanation</title>'
    return f'<!doctype html><html lang="en"><head>{head}<style>:root{{color-scheme:light dark}}</style></head><body>{body}</body></html>\n'
