"""The config of the parser trains, also behind a tagger that learns at the same time."""

from pathlib import Path

import pytest
import spacy
from spacy.cli.train import train
from spacy.training.initialize import init_nlp
from spacy.util import load_config

ROOT = Path(__file__).parents[2]
CONFIG = ROOT / "configs" / "parser.cfg"
SMALL = {
    "paths.train": str(ROOT / "assets/nl-trees/dev.conllu"),
    "paths.dev": str(ROOT / "assets/nl-trees/dev.conllu"),
    "training.max_epochs": 1,
    "training.logger.progress_bar": False,
}


def test_every_setting_is_in_the_config():
    """Filling in defaults adds nothing but settings of the trainer."""
    parser = init_nlp(load_config(CONFIG, overrides=SMALL)).config["components"]["parser"]
    written = load_config(CONFIG, interpolate=True)["components"]["parser"]
    trainer = parser.pop("trainer")
    assert written.pop("trainer").items() <= trainer.items()
    assert parser == written


@pytest.fixture
def config_with_tagger(tmp_path):
    """Tagger, then parser; the tagger's tags are what the parser sees while training, too."""
    config = load_config(CONFIG)
    config["nlp"]["pipeline"] = ["tagger", "parser"]
    config["components"]["tagger"] = {"factory": "mtl_tagger"}
    config["training"]["annotating_components"] = ["tagger"]
    config["training"]["score_weights"] = {"tag_acc": 0.5, "dep_las": 0.5}
    config["corpora"]["train"]["given"] = ["POS", "MORPH", "LEMMA"]
    config.to_disk(tmp_path / "both.cfg")
    return tmp_path / "both.cfg"


def test_behind_a_tagger(config_with_tagger, tmp_path):
    train(config_with_tagger, tmp_path / "out", overrides={**SMALL, "training.max_epochs": 1})
    nlp = spacy.load(tmp_path / "out" / "model-last")
    assert nlp.meta["performance"]["tag_acc"] > 0.8
    assert nlp.meta["performance"]["dep_las"] > 0.6
    nlp.add_pipe("sentencizer", first=True)
    doc = nlp("De bakker verkoopt elke ochtend vers brood. Emma leest.")
    assert len(list(doc.sents)) == 2
    assert [token.dep_ for token in doc].count("ROOT") == 2
    assert doc[1].tag_
