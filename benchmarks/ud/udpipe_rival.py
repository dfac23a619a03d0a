"""UDPipe 1 as a contestant: its tokenizer, tagger and parser, trained one after another with the settings of its authors."""

from importlib.metadata import version
from pathlib import Path
from typing import Any

from ufal import udpipe

from benchmarks.common.measure import Clock, forget_peak, peak_megabytes

#: Of UDPipe's models for Universal Dependencies 2.0, which have pre-trained word vectors besides; no contestant gets such vectors.
_TOKENIZER = "epochs={epochs};initialization_range=0.1;early_stopping=1"
_PARSER = (
    "iterations={iterations};embedding_upostag=20;embedding_feats=20;embedding_xpostag=0;embedding_form=50;embedding_lemma=0;embedding_deprel=20;"
    "learning_rate=0.01;learning_rate_final=0.001;hidden_layer=200;batch_size=10;structured_interval=8"
)
_SWAP = "transition_system=swap;transition_oracle=static_lazy"
_PROJECTIVE = "transition_system=projective;transition_oracle=dynamic"
#: For treebanks that have sentences with several roots, which UDPipe refuses to learn from otherwise.
_ROOTS = "single_root=0"


def _tagger(suffixes: int, enriched: int, lemmas: int, endings: int, added: int, pruned: int) -> str:
    """Two models, the second of which tells lemmas. suffixes, endings: suffix rules of the guessers. enriched, added: entries of the dictionaries
    that guessers add. lemmas: whether the first model looks at lemmas. pruned: whether the second keeps fewer features."""
    first = f"templates_1=tagger;guesser_suffix_rules_1={suffixes};guesser_enrich_dictionary_1={enriched};guesser_prefixes_max_1=0"
    first += f";use_lemma_1={lemmas};use_xpostag_1=1;use_feats_1=1;provide_lemma_1=0;provide_xpostag_1=1;provide_feats_1=1;prune_features_1=0"
    second = f"templates_2=lemmatizer;guesser_suffix_rules_2={endings};guesser_enrich_dictionary_2={added};guesser_prefixes_max_2=4"
    second += f";use_lemma_2=1;use_xpostag_2=0;use_feats_2=0;provide_lemma_2=1;provide_xpostag_2=0;provide_feats_2=0;prune_features_2={pruned}"
    return f"models=2;iterations_1={{rounds}};iterations_2={{rounds}};{first};{second}"


#: Tokenizer, tagger and parser of each treebank. Without text there is nothing for a tokenizer to learn.
SETTINGS = {
    "gothic": (
        f"dimension=24;batch_size=50;learning_rate=0.005;dropout=0.2;{_TOKENIZER}",
        _tagger(12, 5, 1, 8, 6, 0),
        f"{_PARSER};{_PROJECTIVE};l2=0.5",
    ),
    "turkish": (
        f"dimension=24;batch_size=100;learning_rate=0.005;dropout=0.3;{_TOKENIZER}",
        _tagger(12, 6, 1, 8, 4, 0),
        f"{_PARSER};{_PROJECTIVE};l2=0.3",
    ),
    "swedish": ("", _tagger(8, 6, 0, 6, 6, 1), f"{_PARSER};{_PROJECTIVE};{_ROOTS};l2=0.3"),
    "dutch": ("", _tagger(10, 6, 1, 8, 5, 1), f"{_PARSER};{_SWAP};{_ROOTS};l2=0.3"),
    "danish": ("", _tagger(8, 6, 0, 6, 4, 1), f"{_PARSER};{_SWAP};{_ROOTS};l2=0.5"),
}
STEPS = ("tokenizer", "tagger", "parser")


def settings_of(name: str, step: str, iterations: int, rounds: int, epochs: int) -> str:
    """As UDPipe writes them. Its authors' models had 30 iterations of the parser, 20 rounds of each model of the tagger and 100 epochs of the
    tokenizer."""
    found = SETTINGS[name][STEPS.index(step)]
    for key, value in (("iterations", iterations), ("rounds", rounds), ("epochs", epochs)):
        found = found.replace(f"{{{key}}}", str(value))
    return found


def read(path: str) -> udpipe.Sentences:
    """The sentences of a CoNLL-U file. Raises RuntimeError with UDPipe's message where it cannot read them."""
    reader, error, found = udpipe.InputFormat.newConlluInputFormat(), udpipe.ProcessingError(), udpipe.Sentences()
    reader.setText(Path(path).read_text(encoding="utf8"))
    sentence = udpipe.Sentence()
    while reader.nextSentence(sentence, error):
        found.append(sentence)
        sentence = udpipe.Sentence()
    if error.occurred():
        raise RuntimeError(f"UDPipe cannot read {path}: {error.message}")
    return found


def train(train: str, heldout: str, settings: dict[str, str], path: str) -> dict[str, Any]:
    """Train one or more of :data:`STEPS` and write the model. settings: of these; a step may take what another model has (``from_model=``).

    UDPipe keeps the iteration that is best on the held-out sentences. Returns CPU seconds from sentences in memory to the model's bytes, and
    peak memory. Raises RuntimeError with UDPipe's message where it fails.
    """
    parts, error, clock = (read(train), read(heldout)), udpipe.ProcessingError(), Clock()
    options = [settings.get(step, udpipe.Trainer.NONE) for step in STEPS]
    forget_peak()
    with clock("cpu"):
        model = udpipe.Trainer.train("morphodita_parsito", *parts, *options, error)
    if error.occurred():
        raise RuntimeError(f"UDPipe's training failed: {error.message}")
    Path(path).write_bytes(model)
    return {"cpu": clock.seconds["cpu"], "peak_mb": peak_megabytes(), "version": version("ufal.udpipe")}


def predict(model: str, source: str, given: str, output: str) -> dict[str, float]:
    """Annotate a file and write CoNLL-U; CPU seconds, loading not included.

    given: "text" (the file is raw text), "tokens" (CoNLL-U whose tokens and sentences are kept) or "gold" (whose tags are, too).
    Raises RuntimeError with UDPipe's message where it fails.
    """
    loaded = udpipe.Model.load(model)
    if loaded is None:
        raise RuntimeError(f"UDPipe cannot read its model {model}.")
    reader = "tokenize" if given == "text" else "conllu"
    tagger = udpipe.Pipeline.NONE if given == "gold" else udpipe.Pipeline.DEFAULT
    pipeline = udpipe.Pipeline(loaded, reader, tagger, udpipe.Pipeline.DEFAULT, "conllu")
    text, error, clock = Path(source).read_text(encoding="utf8"), udpipe.ProcessingError(), Clock()
    with clock("cpu"):
        found = pipeline.process(text, error)
    if error.occurred():
        raise RuntimeError(f"UDPipe failed on {source}: {error.message}")
    Path(output).write_text(found, encoding="utf8")
    return {"cpu": clock.seconds["cpu"]}
