"""The tasks: a config of the repository, as it is, and a corpus for it."""

from dataclasses import dataclass
from pathlib import Path

from benchmarks.common.origin import ROOT


@dataclass(frozen=True)
class Task:
    """config: its name in ``configs/``. train, dev: files in the corpora. settings: what else differs from the config. score: the one that counts."""

    config: str
    train: str
    dev: str
    score: str
    settings: tuple[tuple[str, str], ...] = ()

    def overrides(self, corpora: str, **more: str) -> dict[str, str]:
        """Settings of the config, by their names with dots, as the command line takes them."""
        paths = {"paths.train": str(Path(corpora, self.train)), "paths.dev": str(Path(corpora, self.dev))}
        return {**paths, "training.logger.progress_bar": "false", **dict(self.settings), **more}

    @property
    def path(self) -> Path:
        return ROOT / "configs" / f"{self.config}.cfg"


_LASSY = "ud-dutch-lassysmall/nl_lassysmall-ud"
_LASSY_FILES = f"{_LASSY}-train.conllu", f"{_LASSY}-dev.conllu"
_GENIA = (("corpora.train.columns", '["ORTH", "TAG"]'),)
TASKS = {
    "ner": Task("ner", "conll2002/esp.train", "conll2002/esp.testa", "ents_f"),
    "tagger": Task("tagger", "genia-pos/train.tsv", "genia-pos/devel.tsv", "tag_acc", _GENIA),
    "segmenter": Task("segmenter", "pku2005/train.utf8", "pku2005/pku_test_gold.utf8", "token_f"),
    "parser": Task("parser", "ddt/train.conll", "ddt/test.conll", "dep_uas"),
    "morphologizer": Task("morphologizer", *_LASSY_FILES, "morph_acc"),
    "lemmatizer": Task("lemmatizer", *_LASSY_FILES, "lemma_acc"),
    "senter": Task("senter", *_LASSY_FILES, "sents_f"),
    "constituents": Task("constituents", "ptb-sample/train.mrg", "ptb-sample/dev.mrg", "constituents_f"),
}
#: Few sentences and passes, enough to compile all kernels.
SMALL = {"corpora.train.limit": "20", "corpora.dev.limit": "5", "training.max_epochs": "1"}
