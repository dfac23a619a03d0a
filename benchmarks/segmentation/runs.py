"""Contestants run one after another, each in its own process, and their results as rows."""

from collections.abc import Iterator
from dataclasses import asdict, replace
from hashlib import blake2b
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import spacy

from benchmarks.common.measure import median, run_child
from benchmarks.common.rows import Row, find_row, progress
from spacy_mtl.segmentation import character_groups
from spacy_mtl.segmentation.corpus_breaks import OFTEN
from spacy_mtl.templates.attributes.breaks import SHARES

from .crfsuite import FOLDS, KNOWN, features_of, fit, tagged
from .data import Data
from .features import template_set
from .ours import DEFAULTS, Ours, loaded, loaded_tokenizer
from .reading import piped, take_turns
from .rivals import fit_ltp, jieba_alone, jieba_in_spacy, ltp, ltp_in_batches, pkuseg

QUICK_SENTENCES, QUICK_CRF_SENTENCES = 1000, 200


def corpora_of(corpora: Path, names: list[str], quick: bool, dev: bool = False) -> Iterator[Data]:
    """The corpora to run on. Ends the program with a sentence where a file is missing."""
    for name in names:
        data = Data(str(corpora.absolute()), name, QUICK_SENTENCES if quick else 0, dev)
        for path in data.paths():
            if path is not None and not path.is_file():
                raise SystemExit(f"There is no {path}: --corpora wants the folder that has pku2005/ and sxu/ in it.")
        yield data


def our_settings(templates: str, **changes: Any) -> Ours:
    """The defaults of a template set with what the user changed (None: nothing)."""
    changes = {key: value for key, value in changes.items() if value is not None}
    if "passes" in changes:
        changes.setdefault("inner_passes", changes["passes"])
    return replace(DEFAULTS[templates], **changes)


def identity(mode: str, data: Data) -> Row:
    """What a row is about."""
    about = {"benchmark": "segmentation", "mode": mode, "corpus": data.name, "limit": data.limit}
    return {**about, "dev": True} if data.dev else about


def say(data: Data, what: str) -> None:
    progress.print(f"[dim]{data.name}: {what} ...[/dim]")


def train_ours(data: Data, ours: Ours, repeats: int) -> Row:
    """Median CPU of several trainings; the other figures are those of the last."""
    compiling = run_child("benchmarks.segmentation.ours:compile_kernels", ours=asdict(ours))["cpu"]
    runs = []
    for _ in range(repeats):
        say(data, f"ours, {ours.templates}")
        runs.append(run_child("benchmarks.segmentation.ours:train", data=asdict(data), ours=asdict(ours), repeats=5))
    seconds = [run["cpu"] for run in runs]
    row = {**identity("train", data), **asdict(ours), "iterations": ours.passes, "cpu_compiling": compiling}
    return row | runs[-1] | {"cpu": median(seconds), "cpu_runs": seconds}


def fingerprint(templates: str) -> str:
    """Changes when the templates do, or what the corpus tells them."""
    wanted = template_set(templates)
    told = {
        "WORD_BEGIN": (KNOWN, FOLDS),
        "BREAK": (FOLDS, OFTEN, SHARES),
        "CHAR_GROUP": character_groups.SETTINGS,
    }
    of_these = [str(told[attr]) for attr in sorted(wanted.attributes) if attr in told]
    return blake2b("\n".join([*wanted.texts(), *of_these]).encode(), digest_size=6).hexdigest()


def train_crfsuite(data: Data, templates: str, limit: int, iterations: int, known: list[Row]) -> Row:
    """L-BFGS for so many iterations, 0: to its default stop. A row measured before is taken from ``known``; it has a "measured" date."""
    about = {**identity("train", data), "templates": templates, "observed": fingerprint(templates)}
    about |= {"crf_limit": limit} | ({"crf_iterations": iterations} if iterations else {})
    found = find_row(known, {**about, "contestant": "crfsuite lbfgs"})
    if found:
        return {**found, "measured": found["time"][:10]}
    say(data, f"crfsuite, {templates}")
    task = {"data": asdict(data), "templates": templates, "limit": limit, "iterations": iterations, "repeats": 3}
    return about | run_child("benchmarks.segmentation.crfsuite:train", **task)


def run_others(data: Data, pkuseg_model: Path | None) -> Iterator[Row]:
    """Segmenters that do not use our templates."""
    tasks: dict[str, dict[str, Any]] = {"run_ltp": {}, "run_jieba": {}}
    if pkuseg_model is not None:
        tasks["run_pkuseg"] = {"model": str(pkuseg_model)}
    for task, more in tasks.items():
        say(data, task.removeprefix("run_"))
        yield identity("train", data) | run_child(
            f"benchmarks.segmentation.rivals:{task}", data=asdict(data), repeats=3, **more
        )


# --- speed: all in one process ---


def speed(data: dict, names: list[str], pkuseg_model: str | None, crf_passes: int, repeats: int) -> list[Row]:
    """Characters/s of every segmenter from raw text; ours and python-crfsuite for each of these template sets.

    The models of python-crfsuite are trained online for a few passes: as large as any, how well they cut does not matter here.
    """
    the_data = Data(**data)
    sentences = the_data.train()
    with TemporaryDirectory() as folder:
        segmenters = {"spaCy's tokenizer, characters": piped(spacy.blank("zh"))}
        for name in names:
            run_child(
                "benchmarks.segmentation.ours:train",
                data=data,
                ours=asdict(DEFAULTS[name]),
                repeats=1,
                save_to=f"{folder}/{name}",
            )
            tokenizer = loaded_tokenizer(f"{folder}/{name}")
            segmenters[f"ours, {name}"] = tokenizer
            segmenters[f"ours as tokenizer of nlp.pipe, {name}"] = loaded(f"{folder}/{name}", as_tokenizer=True)
            segmenters[f"ours as component, {name}"] = loaded(f"{folder}/{name}")
        for name in names:
            model = f"{folder}/crf-{name}"
            fit(sentences, name, model, "ap", crf_passes)
            segmenters[f"crfsuite, {name}"] = tagged(model, features_of(sentences, name))
        fit_ltp(the_data, f"{folder}/ltp")
        segmenters |= {"ltp": ltp(f"{folder}/ltp"), "ltp in batches": ltp_in_batches(f"{folder}/ltp")}
        segmenters |= {"jieba": jieba_alone(), "jieba in spaCy": jieba_in_spacy()}
        if pkuseg_model is not None:
            segmenters["spacy-pkuseg"] = pkuseg(pkuseg_model)
        return take_turns(segmenters, the_data, repeats)
