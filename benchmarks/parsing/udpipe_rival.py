"""UDPipe 1 as a contestant: its parser alone, on the given tags, with the settings its authors trained their models of these languages with."""

import os
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ufal import udpipe

from benchmarks.common.measure import Clock, forget_peak, peak_megabytes, resident_megabytes

from .data import Data, Sentence, Tree, all_roots, one_root
from .scores import scores

#: Of the parsers of UDPipe's models for Universal Dependencies 2.0 (Danish, Swedish, Dutch-LassySmall, Gothic, Turkish): these and the ones below,
#: for 30 iterations, with structured_interval=8, from pre-trained word vectors. No contestant gets such vectors; the other two are options, for
#: training takes so long.
COMMON = "hidden_layer=200;batch_size=10;learning_rate=0.01;learning_rate_final=0.001;use_gold_tags=1"
SWAP = "transition_system=swap;transition_oracle=static_lazy"
PROJECTIVE = "transition_system=projective;transition_oracle=dynamic"
#: The Danish tags have no features: the fine tags are embedded in their place.
SETTINGS = {
    "danish": f"{COMMON};{SWAP};l2=0.5;embedding_feats=0;embedding_xpostag=20",
    "swedish": f"{COMMON};{PROJECTIVE};l2=0.3",
    "dutch": f"{COMMON};{SWAP};l2=0.3",
    "gothic": f"{COMMON};{PROJECTIVE};l2=0.5",
    "turkish": f"{COMMON};{PROJECTIVE};l2=0.3",
}


def settings_of(name: str, iterations: int, structured_interval: int) -> str:
    """Of a treebank's parser. structured_interval: every how many sentences the search-based oracle is asked, 0: never."""
    return f"{SETTINGS[name]};iterations={iterations};structured_interval={structured_interval}"


def as_udpipe(sentence: Sentence, with_tree: bool) -> udpipe.Sentence:
    """Forms and tags, and the tree with one root if it is to learn from."""
    made = udpipe.Sentence()
    columns = zip(sentence.forms, sentence.coarse, sentence.fine, sentence.feats, strict=True)
    for form, coarse, fine, feats in columns:
        word = made.addWord(form)
        word.upostag, word.xpostag, word.feats = (value if value != "_" else "" for value in (coarse, fine, feats))
    if with_tree:
        for number, (head, label) in enumerate(zip(*one_root(sentence.tree), strict=True), 1):
            made.setHead(number, head, label)
    return made


def tree_of(parsed: udpipe.Sentence, root: str) -> Tree:
    """The tree of a parsed sentence, several roots again."""
    words = list(parsed.words)[1:]
    return all_roots(Tree([word.head for word in words], [word.deprel for word in words]), root)


def with_trees(sentences: list[Sentence]) -> udpipe.Sentences:
    made = udpipe.Sentences()
    for sentence in sentences:
        made.append(as_udpipe(sentence, True))
    return made


def fit(train: list[Sentence], heldout: list[Sentence], settings: str, path: Path) -> float:
    """Train, write the model; CPU seconds from sentences in memory to the model's bytes. Raises RuntimeError with UDPipe's message where it fails.

    heldout: UDPipe keeps the iteration that is best on them (its default); without any, the last.
    """
    parts = with_trees(train), with_trees(heldout)
    clock, error = Clock(), udpipe.ProcessingError()
    with clock("cpu"):
        model = udpipe.Trainer.train(
            "morphodita_parsito", *parts, udpipe.Trainer.NONE, udpipe.Trainer.NONE, settings, error
        )
    if error.occurred():
        raise RuntimeError(f"UDPipe's training failed: {error.message}")
    path.write_bytes(model)
    return clock.seconds["cpu"]


def load(path: Path) -> udpipe.Model:
    """Raises RuntimeError where the file holds no model."""
    model = udpipe.Model.load(str(path))
    if model is None:
        raise RuntimeError(f"UDPipe cannot read its model {path}.")
    return model


def parse(model: udpipe.Model, sentences: list[udpipe.Sentence]) -> None:
    """Parse sentences in place. Raises RuntimeError with UDPipe's message where it fails."""
    error = udpipe.ProcessingError()
    for sentence in sentences:
        if not model.parse(sentence, udpipe.Model.DEFAULT, error):
            raise RuntimeError(f"UDPipe's parser failed: {error.message}")


def scores_of(path: Path, data: Data, part: str) -> dict[str, float]:
    """The scores of a part, the part's name at the end of the keys."""
    gold = data.sentences(part)
    parsed = [as_udpipe(sentence, False) for sentence in gold]
    parse(load(path), parsed)
    trees = [tree_of(sentence, data.treebank.root) for sentence in parsed]
    return {f"{key}_{part}": value for key, value in scores(gold, trees).items()}


def train(data: dict, settings: str) -> dict[str, Any]:
    """A row. Where a treebank has no dev part, all of the training part is learnt from, and nothing is held out.

    settings: of the parser, as UDPipe writes them.
    """
    the_data = Data(**data)
    dev = the_data.sentences("dev") if the_data.has_dev else []
    sentences = the_data.sentences("train" if dev else "all")
    with TemporaryDirectory() as folder:
        path = Path(folder, "model")
        forget_peak()
        row: dict[str, Any] = {"contestant": "UDPipe 1", "version": version("ufal.udpipe")}
        row["resident_before_mb"] = resident_megabytes()
        row["cpu"] = fit(sentences, dev, settings, path)
        row |= {"peak_mb": peak_megabytes(), "model_mb": os.path.getsize(path) / 1e6}
        for part in ("dev", "test") if dev else ("test",):
            row |= scores_of(path, the_data, part)
    return row
