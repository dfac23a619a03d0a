"""Write a new config: parts of the configs that come with the package, with settings chosen for a corpus."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from spacy_mtl.configs import config_text
from spacy_mtl.survey.propose import PREDICTED, Choice, absent_scores, given_columns

from .config_text import ConfigText

if TYPE_CHECKING:
    from spacy_mtl.survey.found import Survey

#: The config whose reader and training suit a format.
BASES = {"columns": "ner", "trees": "parser", "bracketed": "constituents", "segmented": "segmenter", "binary": "ner"}
#: Formats that a component is trained on, too, with another reader than that of its own config.
SEVERAL_READERS = {"tagger": ("trees", "bracketed"), "segmenter": ("columns",)}
#: Scores of each component, for ``[training.score_weights]``.
SCORES = {
    "segmenter": ("token_f",),
    "senter": ("sents_f",),
    "tagger": ("tag_acc",),
    "morphologizer": ("pos_acc", "morph_acc"),
    "lemmatizer": ("lemma_acc",),
    "parser": ("dep_uas", "dep_las"),
    "constituents": ("constituents_f",),
    "ner": ("ents_f",),
}
_CHARACTERS = {"@tokenizers": "spacy.zh.ChineseTokenizer", "segmenter": "char"}


def new_config(
    lang: str, pipeline: Sequence[str], kind: str, paths: dict[str, str], choices: Sequence[Choice]
) -> ConfigText:
    """The text of a config. kind: format of the corpus. paths: of "train" and "dev"."""
    base = pipeline[0] if len(pipeline) == 1 and kind != "binary" else BASES[kind]
    text = ConfigText(config_text(base))
    _replace_components(text, pipeline)
    if base in SEVERAL_READERS and kind in SEVERAL_READERS[base]:
        _reader_of(text, BASES[kind])
    if kind == "binary":
        _binary_reader(text)
    for name, path in paths.items():
        text.set("paths", name, path)
    text.set("nlp", "lang", lang)
    text.set("nlp", "pipeline", list(pipeline))
    if "segmenter" in pipeline:
        comment = "the segmenter reads characters, so this tokenizer does not matter"
        text.set("nlp", "tokenizer", _CHARACTERS if lang == "zh" else {"@tokenizers": "spacy.Tokenizer.v1"}, comment)
        if kind == "columns":
            comment = "no spaces between words; null to follow the language's writing system"
            text.set("corpora.train", "spaces", False, comment)
    for choice in choices:
        _choose(text, choice)
    _dev_reader(text, pipeline, kind)
    _score_weights(text, pipeline)
    text.set_top(
        f"A pipeline of {', '.join(pipeline)}, made for {paths['train']}. Every setting can be overridden:\n"
        "  python -m spacy train THIS.cfg --output training/mine --training.max_epochs 10"
    )
    return text


def _replace_components(text: ConfigText, pipeline: Sequence[str]) -> None:
    for name in [name for name in text.names if name.startswith("components.")]:
        if name.count(".") == 1:
            text.remove_section(name)
    for name in reversed(pipeline):
        source = ConfigText(config_text(name))
        sections = [part for part in source.names if f"{part}.".startswith(f"components.{name}.")]
        text.add_section("\n\n".join(source.section(part) for part in sections), at="components")


def _reader_of(text: ConfigText, name: str) -> None:
    """Give the corpora the readers of another config, and what its comment says of them."""
    source = ConfigText(config_text(name))
    text.remove_section("corpora.train")
    text.remove_section("corpora.dev")
    parts = [source.section(part) for part in ("corpora.train", "corpora.dev")]
    text.add_section("\n\n".join(parts), at="corpora")
    text.take_comment("# --- The corpus: ", source)


def _binary_reader(text: ConfigText) -> None:
    for part in ("train", "dev"):
        text.remove_section(f"corpora.{part}")
    sections = [
        f'[corpora.{part}]\n@readers = "spacy.Corpus.v1"\npath = ${{paths.{part}}}' for part in ("train", "dev")
    ]
    text.add_section("\n\n".join(sections), at="corpora")


def _choose(text: ConfigText, choice: Choice) -> None:
    section = f"{choice.section}.{choice.key}"
    if section in text.names:
        text.clear(section)
        for key, value in choice.value.items():
            text.set(section, key, value)
    else:
        text.set(choice.section, choice.key, choice.value, choice.reason or None)


def _dev_reader(text: ConfigText, pipeline: Sequence[str], kind: str) -> None:
    """Let the dev corpus be read as the training corpus, but without what a component of the pipeline predicts."""
    if kind in ("columns", "trees", "bracketed"):
        for key in text.keys("corpora.train"):
            if key not in ("@readers", "path", "singles"):
                text.set("corpora.dev", key, f"${{corpora.train.{key}}}")
    if kind in ("trees", "bracketed") and not PREDICTED.keys().isdisjoint(pipeline):
        comment = "the scores are those of what the pipeline predicts"
        text.set("corpora.dev", "given", given_columns(pipeline, predicted=False), comment)
    if kind == "trees" and "senter" in pipeline:
        text.set("corpora.dev", "borders", False, "the pipeline finds the sentence borders")


def _score_weights(text: ConfigText, pipeline: Sequence[str]) -> None:
    weights: dict[str, Any] = {}
    for name in pipeline:
        scores = SCORES[name]
        weights |= dict.fromkeys(scores, round(1 / len(pipeline) / len(scores), 3))
    for key in text.keys("training.score_weights"):
        if key not in weights and len(pipeline) > 1:
            text.remove("training.score_weights", key)
    for key, weight in weights.items():
        if len(pipeline) > 1 or key not in text.keys("training.score_weights"):
            text.set("training.score_weights", key, weight)


def no_weight(text: ConfigText, train: "Survey") -> None:
    """Leave scores of a morphologizer out of the overall one for columns that the treebank does not have.

    A weight that is not there would be the default of the component.
    """
    for score in absent_scores(train):
        text.set("training.score_weights", score, None, "the treebank does not have this column")


def known_words(train: "Survey") -> Choice | None:
    """The least ``known_words`` of a morphologizer for whose words a model has room; None where that is the default."""
    from spacy_mtl.learning.counted.known_words import most_known

    most, times = most_known(train.analyses), sorted(train.forms.values(), reverse=True)
    if len(times) <= most:
        return None
    about = "a word seen at least this often in training only gets analyses that it was seen with; 0 allows every word all of them"
    reason = f"{about}\n(with {train.analyses:,} analyses, a model has room for {most:,} of the {len(times):,} forms)"
    return Choice("components.morphologizer", "known_words", times[most] + 1, reason)
