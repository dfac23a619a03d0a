"""The configs that come with the package, with their comments: those of ``configs/`` in the sources. Commands make others of them."""

from importlib.resources import files

NAMES = ("segmenter", "senter", "tagger", "morphologizer", "lemmatizer", "parser", "constituents", "ner")
#: The steps from a treebank to a pipeline, in order.
UD_NAMES = ("senter", "ud-tags", "ud")


def config_text(name: str) -> str:
    """The text of a config, one of NAMES or UD_NAMES."""
    return files(__name__).joinpath(f"{name}.cfg").read_text(encoding="utf8")
