"""Online multiple kernel learning: the cost of a proximal step, and its training against MTLstruct."""

from pathlib import Path
from typing import Annotated, Any

import typer

from benchmarks.common.measure import run_child

#: Chosen on testa.
SETTINGS = {"C": 1.0, "eta0": 0.3, "regularizer": "l21", "model": "average", "transition": "learned"}
FEATURES = [10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000]
SPEED = {
    "features": "features",
    "ours": "ours, us a sentence",
    "dense": "dense step, us a sentence",
    "ratio": "dense / ours",
}
CONLL = {
    "contestant": "contestant",
    "passes": "passes",
    "cpu": "CPU s",
    "cpu_pass": "a pass",
    "primal": "primal",
    "gap": "gap",
    "live_templates": "live",
    "f1_testa": "F1 testa",
    "f1_testb": "F1 testb",
    "peak_mb": "peak MB",
}
JsonOption = Annotated[Path | None, typer.Option("--json", help="Add the rows to this file of JSON lines.")]
QuickOption = Annotated[bool, typer.Option("--quick", help="A small version, about a minute.")]


def prox(
    json: JsonOption = None,
    quick: QuickOption = False,
    plot: Annotated[Path | None, typer.Option(help="Draw the table into this file.")] = None,
    sentences: Annotated[int, typer.Option(help="Of the made-up corpus.")] = 200,
) -> None:
    """A step that scales blocks against one that writes every weight, as the number of features grows; a made-up corpus."""
    from benchmarks.common.rows import append_rows, show

    sizes = FEATURES[:3] if quick else FEATURES
    rows = run_child(
        "benchmarks.trainers.online_mkl_runs:proximal_steps", sizes=sizes, n_sentences=50 if quick else sentences
    )
    show("CPU of a sentence of online MKL, regularizer l21, made-up corpus", SPEED, rows)
    append_rows(json, [{"benchmark": "online_mkl", "mode": "prox", **row} for row in rows])
    if plot is not None:
        draw(rows, plot)


def draw(rows: list[dict[str, Any]], path: Path) -> None:
    """CPU a sentence over features, both axes logarithmic."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(6, 4), layout="constrained")
    for key, label in (("dense", "writes every weight"), ("ours", "scales blocks")):
        axes.loglog([row["features"] for row in rows], [row[key] for row in rows], marker="o", label=label)
    axes.set(xlabel="features", ylabel="CPU microseconds a sentence", title="A step of online MKL")
    axes.grid(alpha=0.3)
    axes.legend()
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=150)
    pyplot.close(figure)


def conll(
    corpora: Annotated[
        Path,
        typer.Option(
            "--corpora", envvar="SPACY_MTL_CORPORA", exists=True, file_okay=False, help="Folder with conll2002/."
        ),
    ],
    json: JsonOption = None,
    quick: QuickOption = False,
    lang: Annotated[str, typer.Option(help="esp or ned.")] = "esp",
    epochs: Annotated[int, typer.Option(help="Of online MKL.")] = 20,
    C: Annotated[float, typer.Option("--C", help="Weight of the losses, for both.")] = SETTINGS["C"],  # type: ignore[assignment]
    eta0: Annotated[float, typer.Option(help="Learning rate of online MKL.")] = SETTINGS["eta0"],  # type: ignore[assignment]
    model: Annotated[str, typer.Option(help="average or last.")] = "average",
    loss: Annotated[str, typer.Option(help="hinge or log.")] = "hinge",
    regularizer: Annotated[str, typer.Option(help="l21, l2 or lq.")] = "l21",
    target: Annotated[float, typer.Option(help="Relative duality gap that MTLstruct is trained to.")] = 0.01,
    budget: Annotated[float, typer.Option(help="CPU seconds after which MTLstruct stops anyway.")] = 600,
    test: Annotated[bool, typer.Option(help="Score testb at the end, too.")] = True,
    rival: Annotated[bool, typer.Option(help="Run MTLstruct at all.")] = True,
) -> None:
    """Online MKL for so many epochs against MTLstruct by dual ascent to a small gap: both minimize the same function at the default settings.

    CPU counts from Docs in memory, features included; scoring and certificates not.
    """
    from benchmarks.common.rows import append_rows, show
    from benchmarks.ner.runs import child, corpora_of, identity, our_settings

    for data in corpora_of(corpora, lang, quick):
        ours = our_settings("conll2002.v1", C=C, average=1)
        trainer = {**SETTINGS, "C": C, "eta0": eta0, "model": model, "loss": loss, "regularizer": regularizer}
        about = {**identity("conll", data, ours), "benchmark": "online_mkl", "C": C}
        rows = []
        if rival:
            stop = {"target": target, "budget": min(budget, 40) if quick else budget, "test": test}
            rows.append(child("benchmarks.trainers.online_mkl_runs:ascent", "MTLstruct", data, ours, **stop))
        more = {"trainer": trainer, "epochs": min(epochs, 5) if quick else epochs, "test": test}
        rows.append(
            {**trainer, **child("benchmarks.trainers.online_mkl_runs:online", "online MKL", data, ours, **more)}
        )
        for row in rows:
            # the functions are the same, so one dual bounds both
            if rival and trainer == {**SETTINGS, "C": C, "eta0": eta0, "model": model}:
                row["gap"] = (row["primal"] - rows[0]["dual"]) / row["primal"]
            append_rows(json, [about | row])
        note = f"online MKL / MTLstruct: {rows[-1]['cpu'] / rows[0]['cpu']:.2f} of the CPU" if rival else ""
        show(f"Online MKL, {data.lang}, conll2002.v1, C = {C:g}", CONLL, rows, note)
