"""A process that trains with bad input, seed by seed: ``python -m benchmarks.reliability.settings_worker KIND``; answers are lines of JSON."""

import json
import random
import re
import signal
import sys
import warnings
from collections.abc import Callable
from inspect import signature
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from confection import ConfigValidationError
from spacy.language import Language

from spacy_mtl.corpora.bracketed import BracketedCorpus
from spacy_mtl.corpora.conll import ConllCorpus
from spacy_mtl.corpora.conllu import ConlluCorpus
from spacy_mtl.corpora.segmented import SegmentedCorpus
from spacy_mtl.registry import mtl_trainers
from spacy_mtl.templates.grammar import TemplateSet

from . import binary_files, treebank_files
from .hostile_text import text
from .models_worker import told
from .training import ASSETS, COMPONENTS, WORDS, corpus, make, train

#: CPU seconds for a case.
SECONDS = 20.0
TRAINERS = ("MTLStruct", "SSVM", "Perceptron", "MIRA", "EG", "L1M3N", "OnlineMKL", "CRF")
EXTREMES: list[Any] = [
    None, True, False, 0, -1, 1, 2, 10**9, 2**31, 2**63, -(2**63), 10**30, 0.0, -0.0, 0.5, 1.5, -1.5, 1e-300, 1e300, 1e308, -1e308,
    float("nan"), float("inf"), float("-inf"), "", "x", "l2", "1", "é" * 1000, [], [1], ["x"], {}, {"x": 1}, {"@mtl_trainers": "x"}, b"x",
]  # fmt: skip
#: Of ours, or of spaCy, which looks at a config first.
_CODED = re.compile(r"\[[ME]\d{3}\] .+", re.DOTALL)


def main() -> None:
    warnings.simplefilter("ignore")
    attempt = KINDS[sys.argv[1]]
    _warm_up(sys.argv[1])
    print(json.dumps({"ready": True}), flush=True)
    for line in sys.stdin:
        print(json.dumps(run(attempt, int(line))), flush=True)


def run(attempt: Callable[[random.Random], tuple[str, Callable[[], Any]]], seed: int) -> dict[str, Any]:
    """Try the case of a seed."""
    done, case = attempt(random.Random(seed))
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    outcome, detail = _outcome(case)
    signal.setitimer(signal.ITIMER_PROF, 0)
    return {"outcome": outcome, "detail": detail, "done": done[:500]}


def _outcome(case: Callable[[], Any]) -> tuple[str, str]:
    """works, refused (with a code, or by spaCy's own check of the types in a config), uncoded."""
    try:
        case()
    except ConfigValidationError:
        return "refused", "config"
    except ValueError as error:
        coded = _CODED.fullmatch(str(error))
        return ("refused", str(error)[:6]) if coded else ("uncoded", told(error))
    except Exception as error:
        return "uncoded", told(error)
    return "works", ""


def _warm_up(kind: str) -> None:
    """Compile for every trainer, so that only what a setting does counts."""
    if kind == "treebanks":  # which trains nothing
        return
    for factory in COMPONENTS if kind != "templates" else ("mtl_ner",):
        for name in TRAINERS if (factory, kind) == ("mtl_ner", "trainers") else ("MTLStruct", "Perceptron"):
            _train(make(factory, {"@mtl_trainers": f"spacy_mtl.{name}.v1"}), factory)


def _train(nlp: Language, factory: str) -> None:
    """Two passes, saving, and a few documents."""
    train(nlp, corpus(factory, nlp, "train", 8), 2)
    nlp.to_bytes()
    for example in corpus(factory, nlp, "dev", 3):
        nlp(example.predicted)


def _changed(r: random.Random, names: list[str]) -> dict[str, Any]:
    """One to three settings with extreme values."""
    return {name: r.choice(EXTREMES) for name in r.sample(names, min(len(names), r.randrange(1, 4)))}


def _trainers(r: random.Random) -> tuple[str, Callable[[], Any]]:
    """A trainer's settings, in a config or by its function."""
    name = r.choice(TRAINERS)
    make_trainer = mtl_trainers.get(f"spacy_mtl.{name}.v1")
    changed = _changed(r, [*signature(make_trainer).parameters])
    if r.random() < 0.5:
        return f"{name}({changed})", lambda: make_trainer(**changed)
    config = {"@mtl_trainers": f"spacy_mtl.{name}.v1", **changed}
    return f"config of {name}: {changed}", lambda: _train(make("mtl_ner", config), "mtl_ner")


def _components(r: random.Random) -> tuple[str, Callable[[], Any]]:
    """A component's settings, those of its model, and those of its templates."""
    factory = r.choice([*COMPONENTS])
    names = [*Language.get_factory_meta(factory).default_config]
    settings = _changed(r, [name for name in names if name not in ("model", "trainer", "scorer")])
    where = r.random()
    if where < 0.2:
        model = {
            "megabytes": r.choice(EXTREMES),
            "templates": {"@mtl_templates": "spacy_mtl.patterns.v1", "patterns": WORDS},
        }
        settings["model"] = model
    elif where < 0.3:
        settings["model"] = {
            "templates": {"@mtl_templates": "spacy_mtl.ner.v1", **_changed(r, ["tag", "min_count", "context"])}
        }
    return f"{factory}: {settings}", lambda: _train(make(factory, **settings), factory)


#: Reader, file and the settings of readers that are tried.
_CORPORA: list[tuple[Callable[..., Any], str, str]] = [
    (ConllCorpus, "es-entities/dev.conll", "mtl_ner"),
    (ConlluCorpus, "nl-trees/dev.conllu", "mtl_parser"),
    (SegmentedCorpus, "zh-words/dev.txt", "mtl_segmenter"),
    (BracketedCorpus, "en-constituents/dev.mrg", "mtl_constituents"),
]


def _corpora(r: random.Random) -> tuple[str, Callable[[], Any]]:
    """A corpus whose lines, fields or bytes were changed, read, and trained on now and then."""
    reader, file, factory = r.choice(_CORPORA)
    data = (ASSETS / file).read_bytes()[: r.choice((300, 3000))]
    what, data = _spoilt(r, data)
    trains = r.random() < 0.2

    def read() -> None:
        with TemporaryDirectory() as folder:
            path = Path(folder, Path(file).name)
            path.write_bytes(data)
            nlp = make(factory)
            examples = list(reader(path)(nlp))
            if trains:
                train(nlp, examples, 1)

    return f"{file}: {what}{', trained' if trains else ''}", read


def _spoilt(r: random.Random, data: bytes) -> tuple[str, bytes]:
    draw = r.random()
    if draw < 0.2:
        at = r.randrange(len(data))
        return f"cut after {at} bytes", data[:at]
    if draw < 0.4:
        changed = bytearray(data)
        for _ in range(r.randrange(1, 8)):
            changed[r.randrange(len(changed))] = r.randrange(256)
        return "bytes changed", bytes(changed)
    lines = data.decode("utf8", "replace").split("\n")
    for _ in range(r.randrange(1, 5)):
        at = r.randrange(len(lines))
        fields = re.split(r"(\s)", lines[at])
        change = r.randrange(7)
        if change == 0:
            del lines[at : at + 1 + r.randrange(2)]
        elif change == 1:
            lines.insert(at, text(r.randrange(10**6)))
        elif change == 2:
            lines[at] = "".join(fields[: r.randrange(len(fields) + 1)])
        elif change == 3:
            fields[r.randrange(len(fields))] = r.choice(
                ("0", "-1", "99999999999999999999", "_", "", "I-X", "B-", "1-2", "1.1", "root", "\t", "x" * 3000)
            )
            lines[at] = "".join(fields)
        elif change == 4:
            lines[at] = "".join(r.sample(fields, len(fields)))
        elif change == 5:
            lines[at : at + 1] = [lines[at]] * r.choice((2, 2, 300))
        else:
            lines[at] += r.choice((" ", "\t", "\tx", " x", "\r", "\0", "\ufeff", "#"))
        lines = lines or [""]
    return "lines changed", "\n".join(lines).encode("utf8")


#: Parts of templates, right and wrong.
_PIECES = [
    "U", "B", "U0", "U00", ":", "%x", "%h", "%m", "%d", "%b", "%s", "%g", "%c", "[", "]", "0", "-1", "1", "99", "-", "+", "12345678901234567890", ",",
    "ORTH", "LOWER", "TAG", "SHAPE", "SUFFIX3", "PREFIX0", "SUFFIX99", "CHAR", "USUAL_TAG", "/", "|", "%", " ", "\t", "\n", "#", "*", "\0", "é", "🙂",
    "%x[0,ORTH]", "%x[-1,LOWER]",
]  # fmt: skip


def _templates(r: random.Random) -> tuple[str, Callable[[], Any]]:
    """Template texts out of pieces, or good ones with pieces in them; those that are accepted are trained on now and then."""
    patterns = [_template(r) for _ in range(r.randrange(1, 4))]
    if r.random() < 0.1:
        config = {"@mtl_trainers": "spacy_mtl.Perceptron.v1"}
        return f"trained with {patterns}", lambda: _train(make("mtl_ner", config, patterns), "mtl_ner")
    return f"{patterns}", lambda: TemplateSet.from_texts(patterns)


def _template(r: random.Random) -> str:
    draw = r.random()
    if draw < 0.3:
        return "".join(r.choice(_PIECES) for _ in range(r.randrange(1, 12)))
    made = f"U{r.randrange(10**6)}:%x[{r.randrange(-4, 5)},{r.choice(('ORTH', 'LOWER', 'SHAPE', 'SUFFIX2'))}]"
    if draw < 0.6:
        return made
    at = r.randrange(len(made) + 1)
    return made[:at] + r.choice(_PIECES) + made[at + r.randrange(3) :]


def _treebanks(r: random.Random) -> tuple[str, Callable[[], Any]]:
    kind = r.random()
    if kind < 0.2:
        return binary_files.binary(r)
    if kind < 0.4:
        return treebank_files.tokenizer(r)
    return treebank_files.treebank(r, _spoilt, (ASSETS / "nl-trees/dev.conllu").read_bytes())


KINDS = {
    "trainers": _trainers,
    "components": _components,
    "corpora": _corpora,
    "templates": _templates,
    "treebanks": _treebanks,
}

if __name__ == "__main__":
    main()
