"""``python -m spacy mtl jackknife``: a treebank with the tags that a parser will meet, predicted fold by fold."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from spacy_mtl.errors import Errors
from spacy_mtl.files.disk import reason_of

from ..evaluate import predicted_columns as assigned_columns
from ..shared.messages import clear_errors
from ..shared.options import Code
from ..shared.output import check_file_name, check_other
from ..validate import make_pipeline, read_examples

if TYPE_CHECKING:
    from spacy.language import Language

#: Columns of a treebank that components predict.
COLUMNS = ("TAG", "POS", "MORPH", "LEMMA")


def jackknife_cli(
    config: Annotated[Path, typer.Argument(metavar="CONFIG", help="Config of the components that predict columns.")],
    corpus: Annotated[Path, typer.Argument(metavar="CORPUS", help="Treebank, in the format of the config.")],
    output: Annotated[Path, typer.Argument(metavar="OUTPUT", help="The .conllu file to write.")],
    folds: Annotated[int, typer.Option(min=2, max=100, help="Parts of the corpus, each annotated by the others.")] = 5,
    passes: Annotated[int, typer.Option(min=1, max=1000, help="Of each training over its folds.")] = 10,
    lang: Annotated[str | None, typer.Option(help="Language code, in place of the config's.")] = None,
    code: Code = None,
) -> None:
    """Annotate a treebank with tags, morphology and lemmas predicted by components that have not seen the sentence.

    The corpus is cut into folds of consecutive documents. For each, the components of the config are trained on the others, and predict its
    columns, which are hidden from it; the trees stay. A parser that is trained on OUTPUT learns from columns as good as those that it will get.
    """
    from spacy.attrs import IDS
    from tqdm import tqdm

    from spacy_mtl.corpora.conllu_write import write_conllu
    from spacy_mtl.training.jackknife import jackknife

    with clear_errors():
        if output.suffix != ".conllu":
            raise ValueError(Errors.M732.format(path=output))
        check_other(output, [corpus])
        check_file_name(output)
        nlp = make_pipeline(config, code, lang)
        attrs = [IDS[name] for name in predicted_columns(nlp, config)]
        hidden = [IDS[name] for name in assigned_columns(nlp)]
        n_docs = len(read_examples(nlp, config, corpus))
        if n_docs < folds:
            raise ValueError(Errors.M734.format(path=corpus, n=n_docs, folds=folds))
        with tqdm(total=folds * (passes + 1), desc="passes", leave=False) as bar:
            docs = jackknife(
                lambda: make_pipeline(config, code, lang),
                lambda nlp: read_examples(nlp, config, corpus),
                folds,
                passes,
                attrs,
                hidden,
                bar.update,
            )
            try:
                write_conllu(docs, output)
            except OSError as error:
                raise ValueError(Errors.M704.format(path=output, reason=reason_of(error))) from None
    typer.echo(f"{output}: {n_docs:,} documents, annotated in {folds} folds by {', '.join(nlp.pipe_names)}")


def predicted_columns(nlp: "Language", config: Path) -> list[str]:
    """Columns of a treebank that the pipeline sets. Raises ValueError (M733) if there are none."""
    from spacy_mtl.components.protocol.annotated import annotated

    found = annotated(nlp, nlp.pipe_names) or frozenset(COLUMNS)
    columns = [name for name in COLUMNS if name in found]
    if not columns:
        raise ValueError(Errors.M733.format(path=config, names=", ".join(nlp.pipe_names) or "none"))
    return columns
