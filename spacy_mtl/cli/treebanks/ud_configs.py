"""The configs of workflow "ud", suited to a treebank: components for the columns that it has."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from spacy_mtl.configs import UD_NAMES, config_text
from spacy_mtl.errors import Errors
from spacy_mtl.survey.unfit import NO_ARCS

from ..shared.config_text import ConfigText
from ..shared.new_config import SCORES, known_words, no_weight

if TYPE_CHECKING:
    from spacy_mtl.survey.found import Survey

#: With a larger share of words that follow another one letter to letter, a tokenizer of rules finds too few words in raw text.
MANY_JOINED = 0.1
#: A tagger of its own learns up to so many tags: its mistakes are others than those of the morphologizer, which helps the parser.
MANY_TAGS = 100
#: With more combinations of part of speech, features and tag than this times those of the first two, a tagger of its own finds tags better.
MOST_READINGS = 1.1
JOINED = "words of the treebank stand without spaces"
#: What a component learns from, for people.
_COLUMNS = {
    "morphologizer": "parts of speech (UPOS) and features (FEATS)",
    "lemmatizer": "lemmas",
}
_READ = {"morphologizer": ("POS", "MORPH"), "lemmatizer": ("LEMMA",)}


def missing_components(found: "Survey") -> dict[str, str]:
    """Components that have nothing to learn from in a treebank, each with the columns that are missing, for people.

    Raises ValueError where there are no trees, no arcs or no tags at all (M728).
    """
    for count, what in (
        (found.trees, "no trees"),
        (found.arcs, NO_ARCS),
        (len(found.tags), "no tags, neither in XPOS nor in UPOS"),
    ):
        if not count:
            hint = "'spacy mtl init-config' writes a config for the columns that it has"
            raise ValueError(Errors.M728.format(name="ud", path=found.path, seen=what, hint=hint))
    there = {"morphologizer": found.upos or found.features > 0, "lemmatizer": found.lemmas}
    return {name: _COLUMNS[name] for name, is_there in there.items() if not is_there}


def joined_words(found: "Survey") -> bool:
    """Whether words stand without spaces, as in Chinese, Japanese or Thai."""
    return found.joined > MANY_JOINED


def learns_tags(found: "Survey", missing: Mapping[str, str]) -> bool:
    """Whether the morphologizer learns the tags, too: where parts of speech and features nearly determine many language-specific tags."""
    there = found.coarse and len(found.tags) > MANY_TAGS and found.features > 0 and "morphologizer" not in missing
    return there and found.readings <= MOST_READINGS * found.analyses


def check_folder(folder: Path, parts: Sequence[Path]) -> None:
    """Refuse a folder in which a step would write over a part of the treebank. Raises ValueError (M953)."""
    made = {path.resolve() for path in (jackknifed(folder), *(folder / f"{name}.cfg" for name in UD_NAMES))}
    for part in parts:
        if part.resolve() in made:
            raise ValueError(Errors.M953.format(path=part, folder=folder))


def jackknifed(folder: Path) -> Path:
    """Where the training part with predicted columns goes."""
    return folder / "train.conllu"


def ud_configs(found: "Survey", dev: "Survey", lang: str, folder: Path, encoding: str) -> dict[str, ConfigText]:
    """The configs by name, in order. found: of the training part. folder: where all steps put what they make. Raises ValueError as above."""
    missing = missing_components(found)
    configs = {name: ConfigText(config_text(name)) for name in UD_NAMES}
    for name, text in configs.items():
        text.set("paths", "train", str(found.path))
        text.set("paths", "dev", str(dev.path))
        text.set("nlp", "lang", lang)
        text.set("corpora.train", "encoding", encoding)
        for part, each in (("train", found), ("dev", dev)):
            for key, value in each.reader.items():
                text.set(f"corpora.{part}", key, value)
        _leave_out(text, missing)
        if learns_tags(found, missing):
            _without_tagger(text)
        if name != "senter" and "morphologizer" not in missing:
            no_weight(text, found)
    fitting = known_words(found)
    if fitting is not None and "morphologizer" not in missing:
        configs["ud-tags"].set(fitting.section, fitting.key, fitting.value, fitting.reason)
    _last_step(configs["ud"], found.path, folder, encoding)
    if joined_words(found):
        configs["ud"].set("nlp.tokenizer.tokenizer", "@tokenizers", "spacy_mtl.Segmenter.v1", JOINED)
    for (name, text), command in zip(configs.items(), _trainings(folder), strict=True):
        text.set_top(f"Step {name!r} from {found.path} to a pipeline. Every setting can be overridden:\n  {command}")
    return configs


def _last_step(text: ConfigText, train: Path, folder: Path, encoding: str) -> None:
    """What the last config has from the steps before it. train: the training part as it is."""
    for key, path in (
        ("train", jackknifed(folder)),
        ("tokens", train),
        ("tags", folder / "tags" / "model-best"),
        ("borders", folder / "borders" / "model-best"),
    ):
        text.set("paths", key, str(path))
    if encoding != "utf8":
        text.set("corpora.train", "encoding", "utf8", "of what 'jackknife' writes; the other files are as they were")
        for section in ("corpora.dev", "initialize.tokenizer.corpus"):
            text.set(section, "encoding", encoding)


def _without_tagger(text: ConfigText) -> None:
    """Let the morphologizer learn the tags in place of the tagger."""
    if "components.tagger" in text.names:
        _leave_out_component(text, "tagger")
    if "components.morphologizer.trainer" in text.names:
        text.set("components.morphologizer", "tags", True)
        text.set("components.morphologizer", "scorer", {"@scorers": "spacy_mtl.morphologizer_scorer.v1"})


def commands(found: "Survey", dev: Path, folder: Path, encoding: str) -> list[str]:
    """What to run with these configs, in order."""
    borders, tags, trees = _trainings(folder)
    model = folder / "borders" / "model-best"
    read = "--format conllu" + (f" --encoding {encoding}" if encoding != "utf8" else "")
    bias = f"python -m spacy mtl bias {model} {dev} {read} --folds 3 --sure --output {model}"
    annotated = f"{folder / 'ud-tags.cfg'} {found.path} {jackknifed(folder)}"
    return [borders, bias, tags, f"python -m spacy mtl jackknife {annotated} --folds 3 --passes 6", trees]


def _trainings(folder: Path) -> list[str]:
    outputs = dict(zip(UD_NAMES, ("borders", "tags", "all"), strict=True))
    return [f"python -m spacy train {folder / name}.cfg --output {folder / output}" for name, output in outputs.items()]


def _leave_out(text: ConfigText, components: Mapping[str, str]) -> None:
    """Remove components with their scores, and the columns that nothing predicts."""
    for name in components:
        if f"components.{name}" not in text.names:
            continue
        _leave_out_component(text, name)
        for score in SCORES[name]:
            text.remove("training.score_weights", score)
        for column in _READ.get(name, ()):
            text.drop("corpora.train", "given", column)


def _leave_out_component(text: ConfigText, name: str) -> None:
    text.remove_section(f"components.{name}")
    text.drop("nlp", "pipeline", name)
    text.drop("training", "frozen_components", name)
