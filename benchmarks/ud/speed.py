"""How fast whole pipelines annotate raw text: the models that ``train`` and ``rivals`` have kept, in turn, each in a process of its own.

The dev part is annotated first, so that everything is loaded, and then the test part, whose words and sentences are new to the process. Ours and
spaCy's make Docs, UDPipe writes CoNLL-U.
"""

import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

from benchmarks.common.measure import cpu_seconds, median, run_child
from benchmarks.common.rows import Row, progress

from .raw_text import raw_text
from .runs import part

#: Whose models are looked for in the folder of a treebank: folder, file or folder of the model, and what a child runs.
CONTESTANTS = {
    "ours": ("ours/all/model-best", "docs"),
    "UDPipe 1": ("udpipe/tokenizer", "conllu"),
    "spaCy": ("spacy/model-best", "docs"),
}
COLUMNS = {
    "corpus": "treebank",
    "contestant": "",
    "words_s": "words a CPU second",
    "ours_times": "ours : it",
    "load": "loading, CPU s",
    "first": "dev part, CPU s",
    "second": "test part, CPU s",
    "process": "process, CPU s",
}


def speeds(name: str, corpora: Path, keep: Path, repeats: int) -> list[Row]:
    """A row for each contestant whose model was kept: medians of CPU seconds. Raises ValueError for a treebank without raw text."""
    texts = [raw_text(Path(part(name, corpora, which))) for which in ("dev", "test")]
    if None in texts:
        raise ValueError(f"The files of {name} have no raw text.")
    models = {who: (keep / name / path, task) for who, (path, task) in CONTESTANTS.items()}
    kept = {who: (str(path), task) for who, (path, task) in models.items() if path.exists()}
    runs: dict[str, list[dict[str, Any]]] = {who: [] for who in kept}
    for number in range(repeats):
        for who, (model, task) in kept.items():
            progress.print(f"[dim]{name}: {who}, {number + 1} of {repeats} ...[/dim]")
            runs[who].append(run_child(f"benchmarks.ud.speed:{task}", model=model, texts=texts))
    rows = []
    for who, found in runs.items():
        times = {key: median([run[key] for run in found]) for key in ("load", "first", "second", "process")}
        row = Row(benchmark="ud", mode="speed", corpus=name, contestant=who, repeats=repeats, **times)
        rows.append(row | {"words": found[0]["words"], "version": found[0]["version"]})
        rows[-1]["words_s"] = rows[-1]["words"] / rows[-1]["second"]
        rows[-1]["ours_times"] = rows[0]["words_s"] / rows[-1]["words_s"]
    return rows


def docs(model: str, texts: list[str]) -> dict[str, Any]:
    """In a child: a pipeline of spaCy makes Docs of both texts, a paragraph each."""
    import spacy  # here, so that loading counts

    loaded: list[Any] = []
    times = {"load": cpu_seconds(lambda: loaded.append(spacy.load(model)))}
    words = 0
    for key, text in zip(("first", "second"), texts, strict=True):
        paragraphs, made = text.strip().split("\n\n"), []
        times[key] = cpu_seconds(lambda made=made, given=paragraphs: made.extend(loaded[0].pipe(given)))
        words = sum(map(len, made))
    return {**times, "words": words, "process": time.process_time(), "version": spacy.__version__}


def conllu(model: str, texts: list[str]) -> dict[str, Any]:
    """In a child: UDPipe writes CoNLL-U for both texts. Raises RuntimeError with its message where it fails."""
    from ufal import udpipe  # here, so that loading counts

    loaded: list[Any] = []
    times = {"load": cpu_seconds(lambda: loaded.append(udpipe.Model.load(model)))}
    default, error = udpipe.Pipeline.DEFAULT, udpipe.ProcessingError()
    pipeline = udpipe.Pipeline(loaded[0], "tokenize", default, default, "conllu")
    words = 0
    for key, text in zip(("first", "second"), texts, strict=True):
        made: list[str] = []
        times[key] = cpu_seconds(lambda made=made, given=text: made.append(pipeline.process(given, error)))
        if error.occurred():
            raise RuntimeError(f"UDPipe failed: {error.message}")
        words = sum(line.partition("\t")[0].isdigit() for line in made[0].split("\n"))
    return {**times, "words": words, "process": time.process_time(), "version": version("ufal.udpipe")}
