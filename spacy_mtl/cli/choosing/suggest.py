"""``python -m spacy mtl suggest``: which texts to annotate next."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from spacy_mtl.errors import Errors

from ..insight.names import chosen
from ..shared.messages import clear_errors
from ..shared.options import Code, Encoding
from ..shared.output import check_file_name, check_other, write_file
from ..shared.pipelines import load_pipeline, make_doc

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

    from spacy_mtl.choosing.suggesting import Choice, Wanted


def suggest_cli(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="Pipeline name or directory.")],
    raw: Annotated[
        Path,
        typer.Argument(metavar="RAW", help='Texts: one a line, .jsonl with "text", or documents of a .spacy file.'),
    ],
    output: Annotated[
        Path, typer.Argument(metavar="OUTPUT", help="The tasks: .jsonl for one a line, .json for a list of them.")
    ],
    n: Annotated[int, typer.Option("--n", min=1, help="Texts to suggest.")] = 50,
    tokens: Annotated[int | None, typer.Option(min=1, help="Only as many as fit into so many tokens.")] = None,
    by: Annotated[str, typer.Option(help="What is unsure: entropy of the labels, or margin between the best two.")] = (
        "entropy"
    ),
    diversity: Annotated[
        float, typer.Option(min=0.0, max=1.0, help="By which share a word counts less each time that it was chosen.")
    ] = 0.5,
    per_text: Annotated[
        bool, typer.Option("--per-text", help="Texts cost the same, however long: else each costs its tokens.")
    ] = False,
    task: Annotated[str, typer.Option("--format", help="prodigy or label-studio.")] = "prodigy",
    component: Annotated[str | None, typer.Option(help="The component, if there are several.")] = None,
    encoding: Encoding = "utf8",
    code: Code = None,
) -> None:
    """Choose the texts from which a component would learn most, and write them as tasks for an annotation tool, the best first.

    A text is worth what the component is unsure of in it, by token; words that texts chosen before it have are worth less. The tasks have what the
    pipeline found, to be corrected. Once they are annotated, the pipeline can learn on from them.
    """
    from spacy_mtl.choosing.suggesting import Wanted
    from spacy_mtl.components.confidence.untold import untold

    with clear_errors():
        _check(by, task, output, raw)
        nlp = load_pipeline(model, code)
        name = chosen(nlp, model, component)
        docs = read_raw(nlp, raw, encoding)
        about = {"component": name, "model": str(model)}
        with untold(nlp):
            picked = suggested(nlp, name, docs, by, Wanted(n, tokens, diversity, not per_text))
            if not picked:
                raise ValueError(Errors.M798.format(tokens=tokens, least=min(map(len, docs))))
            written = _written(nlp, [(docs[choice.number], choice) for choice in picked], task, about, output)
        write_file(output, written)
    total = sum(len(docs[choice.number]) for choice in picked)
    typer.echo(f"{output}: {len(picked):,} of {len(docs):,} texts, {total:,} tokens")


def _check(by: str, task: str, output: Path, raw: Path) -> None:
    """Refuse settings before anything is read. Raises ValueError: M742, M741, M704."""
    from spacy_mtl.choosing.tasks import FORMATS

    for setting, value, known in (("measure", by, ("entropy", "margin")), ("format", task, tuple(FORMATS))):
        if value not in known:
            raise ValueError(Errors.M742.format(setting=setting, value=value, known=", ".join(known)))
    check_other(output, [raw])
    check_file_name(output)


def read_raw(nlp: "Language", path: Path, encoding: str = "utf8") -> "list[Doc]":
    """The documents of a file of raw texts that have words.

    Raises ValueError: M501 and others it cannot be read, M746, M796, M797, M777 there is none.
    """
    from spacy_mtl.clustering.sentences import texts_of
    from spacy_mtl.corpora.binary import stored_docs
    from spacy_mtl.corpora.settings import check_file

    check_file(path)
    if path.suffix == ".spacy":
        found = list(stored_docs(path, nlp.vocab))
    else:
        texts = ((number, text) for number, text in enumerate(texts_of(path, encoding), start=1) if text.strip())
        found = [make_doc(nlp, text, f"'{path}', text {number}") for number, text in texts]
    docs = [doc for doc in found if len(doc)]
    if not docs:
        raise ValueError(Errors.M777.format(path=path))
    return docs


def suggested(nlp: "Language", name: str, docs: "list[Doc]", by: str, wanted: "Wanted") -> "list[Choice]":
    """The documents from which the component of this name would learn most, of equal texts the first.

    Raises ValueError (M475) while it is untrained.
    """
    from tqdm import tqdm

    from spacy_mtl.choosing.suggesting import choose
    from spacy_mtl.choosing.uncertain import uncertainty
    from spacy_mtl.components.protocol.annotated import docs_before
    from spacy_mtl.components.protocol.base import StructuredPipe

    pipe = nlp.get_pipe(name)
    assert isinstance(pipe, StructuredPipe)
    pipe.explained_weights()
    inputs = docs_before(nlp, name, docs)
    with tqdm(total=len(inputs), desc="texts", leave=False) as bar:
        unsure = uncertainty(pipe, inputs, by, bar.update)
    first = {doc.text: number for number, doc in reversed(list(enumerate(docs)))}
    sizes = [len(doc) if first[doc.text] == number else 0 for number, doc in enumerate(docs)]
    return choose(unsure, sizes, wanted)


def _written(
    nlp: "Language", picked: "list[tuple[Doc, Choice]]", task: str, about: dict[str, Any], output: Path
) -> bytes:
    """The tasks, as JSON lines or as a list."""
    from spacy_mtl.choosing.tasks import FORMATS

    found = nlp.pipe([doc.copy() for doc, _ in picked])
    tasks = [
        FORMATS[task](doc, {**about, "score": round(choice.value, 6), "number": choice.number})
        for doc, (_, choice) in zip(found, picked, strict=True)
    ]
    if output.suffix == ".json":
        return (json.dumps(tasks, ensure_ascii=False, indent=1) + "\n").encode()
    return "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in tasks).encode()
