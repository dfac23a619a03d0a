"""The configs that come with the package, with their comments: those of ``configs/`` in the sources, for ``spacy mtl init-config``."""

from importlib.resources import files

NAMES = ("segmenter", "senter", "tagger", "morphologizer", "lemmatizer", "parser", "constituents", "ner")


def config_text(name: str) -> str:
    """The text of a config, one of NAMES."""
    return files(__name__).joinpath(f"{name}.cfg").read_text(encoding="utf8")
