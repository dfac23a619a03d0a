"""UDPipe and spaCy on a treebank: trained, tried on three kinds of input, scored, and their output kept."""

import re
from collections.abc import Callable
from pathlib import Path

from benchmarks.common.measure import run_child
from benchmarks.common.rows import Row, progress
from spacy_mtl.treebanks.scores import score_files

from .raw_text import raw_text, trees_alone
from .runs import SCORES, TREEBANKS, output, part

#: What is given, and what the keys of its scores begin with: words, sentences and tags; words and sentences; raw text.
GIVEN = {"gold": "gold_", "tokens": "", "text": "text_"}
PARTS = ("dev", "test")
_UDPIPE, _SPACY = "benchmarks.ud.udpipe_rival", "benchmarks.ud.spacy_rival"
_TREES = re.compile(r"Iteration (\d+): training logprob .*UAS ([\d.]+)%, LAS ([\d.]+)%")
_TAGS = re.compile(r"Iteration (\d+): done.*heldout accuracy ([\d.]+)%t/([\d.]+)%l")
_BORDERS = re.compile(r"Epoch (\d+),.*sentences: .*/([\d.]+)%\s*$")
#: By step of UDPipe's training: what its lines say.
_SAID = {
    "tokenizer": (_BORDERS, ("sentences",)),
    "tagger": (_TAGS, ("tags", "lemmas")),
    "parser": (_TREES, ("uas", "las")),
}


def udpipe(name: str, corpora: Path, folder: Path, iterations: int, rounds: int, epochs: int) -> Row:
    """Train UDPipe's tagger, parser and tokenizer, one after the other. iterations: of the parser. rounds: of each model of the tagger. epochs: of
    the tokenizer.

    Returns CPU seconds, what each iteration said of the held-out sentences (``points``), and scores of all parts.
    """
    from .udpipe_rival import settings_of

    train, model, row = folder / "train.conllu", "", Row(contestant="UDPipe 1")
    row |= {"iterations": iterations, "rounds": rounds, "epochs": epochs}
    train.write_text(trees_alone(Path(part(name, corpora, "train"))), encoding="utf8")
    steps = {"tagger": ["tagger"], "parser": ["tagger", "parser"], "tokenizer": ["tokenizer", "tagger", "parser"]}
    points: list[Row] = []
    for step, all_steps in steps.items():
        settings = dict.fromkeys(all_steps, f"from_model=file:{model}")
        settings[step] = settings_of(name, step, iterations, rounds, epochs)
        if not settings[step]:
            continue
        progress.print(f"[dim]{name}: UDPipe's {step} ...[/dim]")
        model, dev = str(folder / step), part(name, corpora, "dev")
        heard = _note(step, points)
        done = run_child(f"{_UDPIPE}:train", heard, train=str(train), heldout=dev, settings=settings, path=model)
        row |= {f"cpu_{step}": done["cpu"], f"settings_{step}": settings[step], "version": done["version"]}
    row["model_mb"] = Path(model).stat().st_size / 1e6
    row["cpu"] = sum(row.get(f"cpu_{step}", 0.0) for step in steps)
    row["points"] = points
    return row | _scores(name, corpora, folder, f"{_UDPIPE}:predict", model)


def _note(step: str, points: list[Row]) -> Callable[[str, float], None]:
    """What is to hear UDPipe's messages: notes the scores of each iteration, and the CPU seconds of the step so far."""
    pattern, names = _SAID[step]

    def heard(line: str, cpu: float) -> None:
        if found := pattern.search(line):
            number, *said = found.groups()
            scores = dict(zip(names, map(float, said), strict=True))
            points.append({"step": step, "iteration": int(number), "cpu": cpu, **scores})

    return heard


def spacy(name: str, corpora: Path, folder: Path, max_steps: int, patience: int, most_cpu: float) -> Row:
    """Train a pipeline of spaCy's components to its own stop, or as long as ``most_cpu`` seconds. Returns a row as :func:`udpipe` does."""
    train = folder / "train.conllu"
    train.write_text(trees_alone(Path(part(name, corpora, "train"))), encoding="utf8")
    progress.print(f"[dim]{name}: spaCy ...[/dim]")
    row = Row(contestant="spaCy", max_steps=max_steps, patience=patience, most_cpu=most_cpu)
    row |= run_child(
        f"{_SPACY}:train", train=str(train), dev=part(name, corpora, "dev"), lang=TREEBANKS[name][2],
        folder=str(folder), max_steps=max_steps, patience=patience, most_cpu=most_cpu,
    )  # fmt: skip
    return row | _scores(name, corpora, folder, f"{_SPACY}:predict", str(folder / "model-best"), ("tokens", "text"))


def _scores(
    name: str, corpora: Path, folder: Path, predict: str, model: str, given: tuple[str, ...] = tuple(GIVEN)
) -> Row:
    """Annotate all parts with each kind of input and score them; what is predicted stays in the folder, see :func:`~benchmarks.ud.runs.output`."""
    row = Row()
    for which in PARTS:
        gold = Path(part(name, corpora, which))
        text = raw_text(gold)
        for kind in given:
            if kind == "text" and text is None:
                continue
            source, out = gold, output(folder, which, kind)
            if kind == "text":
                source = folder / f"{which}.txt"
                source.write_text(text or "", encoding="utf8")
            row[f"{GIVEN[kind]}cpu_{which}"] = run_child(
                predict, model=model, source=str(source), given=kind, output=str(out)
            )["cpu"]
            found = score_files(gold, out)
            row |= {f"{GIVEN[kind]}{score}_{which}": 100 * found[score].f1 for score in SCORES}
    return row
