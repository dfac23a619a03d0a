"""spaCy's own parser as a contestant: the efficiency preset, its embedding extended by the given tags."""

import time
from collections.abc import Callable, Iterator
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import spacy
from spacy.cli.init_config import init_config
from spacy.language import Language
from spacy.parts_of_speech import IDS
from spacy.tokens import Doc
from spacy.training import Example
from spacy.training.initialize import init_nlp
from spacy.training.loop import train as train_loop
from spacy.util import registry
from spacy.vocab import Vocab
from thinc.api import Config

from benchmarks.common.measure import Clock, forget_peak, peak_megabytes, resident_megabytes

from .data import Data, Sentence, Tree, all_roots, one_root
from .scores import scores

#: HashEmbedCNN as spaCy's small models have it, with rows for tags, parts of speech and morphological features.
TOK2VEC = {
    "@architectures": "spacy.Tok2Vec.v2",
    "embed": {
        "@architectures": "spacy.MultiHashEmbed.v2",
        "width": 96,
        "attrs": ["NORM", "PREFIX", "SUFFIX", "SHAPE", "TAG", "POS", "MORPH"],
        "rows": [2000, 1000, 1000, 1000, 1000, 100, 1000],
        "include_static_vectors": False,
    },
    "encode": {
        "@architectures": "spacy.MaxoutWindowEncoder.v2",
        "width": 96,
        "window_size": 1,
        "maxout_pieces": 3,
        "depth": 4,
    },
}
READER = "benchmark.trees.v1"
LOGGER = "benchmark.tree_points"


def as_doc(vocab: Vocab, sentence: Sentence, data: Data, with_tree: bool) -> Doc:
    """A Doc with tags that is one sentence, and with the tree of one root if it is to learn from.

    Coarse tags that are not universal (all of the Danish ones, single slips elsewhere) are a morphological feature in place of a part of speech.
    """
    known = [not data.treebank.plain_tags and tag in IDS for tag in sentence.coarse]
    feats = ["" if value == "_" else value for value in sentence.feats]
    columns: dict[str, Any] = {
        "words": sentence.forms,
        "tags": ["" if tag == "_" else tag for tag in sentence.fine],
        "pos": [tag if is_known else "" for tag, is_known in zip(sentence.coarse, known, strict=True)],
        "morphs": [
            value if is_known else f"Coarse={tag}"
            for value, tag, is_known in zip(feats, sentence.coarse, known, strict=True)
        ],
    }
    if not with_tree:
        return Doc(vocab, **columns, sent_starts=[True] + [False] * (len(sentence.forms) - 1))
    tree = one_root(sentence.tree)
    columns["heads"] = [head - 1 if head else token for token, head in enumerate(tree.heads)]
    columns["deps"] = [label if head else "ROOT" for head, label in zip(*tree, strict=True)]
    return Doc(vocab, **columns)


def tree_of(doc: Doc, root: str) -> Tree:
    """The tree of a parsed Doc, several roots again."""
    heads = [0 if token.head.i == token.i else token.head.i + 1 for token in doc]
    return all_roots(Tree(heads, [token.dep_ for token in doc]), root)


@registry.readers(READER)
def read_trees(data: dict[str, Any], part: str) -> Callable[[Language], Iterator[Example]]:
    """A corpus of Examples: the predicted Docs have the tags."""
    the_data = Data(**data)

    def read(nlp: Language) -> Iterator[Example]:
        for sentence in the_data.sentences(part):
            yield Example(*(as_doc(nlp.vocab, sentence, the_data, with_tree) for with_tree in (False, True)))

    return read


def config_of(data: Data, train_part: str, max_steps: int, patience: int) -> Config:
    """What ``spacy init config --pipeline parser --optimize efficiency`` writes, with :data:`TOK2VEC` in place of the shared layer."""
    config = init_config(lang=data.treebank.lang, pipeline=["parser"], optimize="efficiency", silent=True)
    config["nlp"]["pipeline"] = ["parser"]
    config["components"] = {"parser": config["components"]["parser"]}
    config["components"]["parser"]["model"]["tok2vec"] = TOK2VEC
    config["training"] |= {"max_steps": max_steps, "patience": patience, "logger": {"@loggers": LOGGER}}
    config["training"]["eval_frequency"] = min(200, max_steps)
    settings = {"corpora": data.corpora, "name": data.name, "limit": data.limit}
    for name, part in (("train", train_part), ("dev", "dev")):
        config["corpora"][name] = {"@readers": READER, "data": settings, "part": part}
    return config


def keep_points(points: list[dict[str, Any]], begin: float) -> None:
    """Register a logger that notes step, CPU seconds and dev scores (spaCy's rule) of every evaluation."""

    def logger() -> Callable:
        def setup(nlp: Language, stdout: Any = None, stderr: Any = None) -> tuple[Callable, Callable]:
            def log(info: dict[str, Any] | None) -> None:
                if info is not None and info["score"] is not None:
                    found = {key: 100 * info["other_scores"][f"dep_{key}"] for key in ("uas", "las")}
                    points.append({"step": info["step"], "cpu": time.process_time() - begin, **found})
                    stderr.write(f"{points[-1]}\n")

            return log, lambda: None

        return setup

    registry.loggers.register(LOGGER, func=logger)


def fit(config: Config, folder: str) -> tuple[float, list[dict[str, Any]]]:
    """Train into a folder: CPU seconds and the evaluations."""
    points: list[dict[str, Any]] = []
    clock = Clock()
    keep_points(points, time.process_time())
    with clock("cpu"):
        train_loop(init_nlp(config, use_gpu=-1), Path(folder), use_gpu=-1, stdout=StringIO())
    return clock.seconds["cpu"], points


def parse(nlp: Language, data: Data, part: str) -> list[Tree]:
    """The trees of a part."""
    docs = (as_doc(nlp.vocab, sentence, data, False) for sentence in data.sentences(part))
    return [tree_of(doc, data.treebank.root) for doc in nlp.pipe(docs, batch_size=1000)]


def scores_of(nlp: Language, data: Data, part: str) -> dict[str, float]:
    """The scores of a part, the part's name at the end of the keys."""
    return {f"{key}_{part}": value for key, value in scores(data.sentences(part), parse(nlp, data, part)).items()}


def train(data: dict, max_steps: int, patience: int) -> dict[str, Any]:
    """Train to spaCy's own stop, or for so many steps, and score the best model: a row.

    cpu: all of it, corpus reading and the evaluations that the stop needs included, as ``spacy train`` has them. Where a treebank has no dev part, a
    first training holds a tenth out and says how many steps are best; cpu and the scores of the test part are of a second one, on all, for so many.
    """
    the_data = Data(**data)
    forget_peak()
    row: dict[str, Any] = {"contestant": "spaCy parser", "resident_before_mb": resident_megabytes()}
    with TemporaryDirectory() as folder:
        row["cpu"], points = fit(config_of(the_data, "train", max_steps, patience), folder)
        top = max(points, key=lambda point: point["uas"] + point["las"])
        row |= {"iterations": points[-1]["step"], "best_step": top["step"], "cpu_to_best": top["cpu"], "points": points}
        row["stopped"] = "max_steps" if points[-1]["step"] >= max_steps else "patience"
        best = spacy.load(f"{folder}/model-best")
        row |= scores_of(best, the_data, "dev")
        if not the_data.has_dev:
            row["cpu_choosing"], steps = row["cpu"], max(top["step"], 1)
            config = config_of(the_data, "all", steps, 0)
            config["training"]["eval_frequency"] = steps
            row["cpu"], _ = fit(config, folder)
            row["iterations"], best = steps, spacy.load(f"{folder}/model-last")
        row["peak_mb"] = peak_megabytes()
        best.get_pipe("parser").to_disk(f"{folder}/parser", exclude=["vocab"])  # type: ignore[attr-defined]
        row["model_mb"] = sum(path.stat().st_size for path in Path(folder, "parser").rglob("*") if path.is_file()) / 1e6
        return row | scores_of(best, the_data, "test")


def untrained(data: Data) -> Language:
    """A pipeline with the parser initialized but not trained: its trees are not worth anything."""
    nlp = spacy.blank(data.treebank.lang)
    config = config_of(data, "train", 1, 0)["components"]["parser"]
    nlp.add_pipe("parser", config={key: value for key, value in config.items() if key != "factory"})
    examples = list(read_trees({"corpora": data.corpora, "name": data.name, "limit": data.limit}, "train")(nlp))
    nlp.initialize(lambda: examples)
    return nlp
