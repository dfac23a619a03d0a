"""The config of the parser trains, also behind a tagger that learns at the same time."""

from pathlib import Path

import numpy as np
import pytest
import spacy
from spacy.cli.train import train
from spacy.tokens import Doc
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


def test_arcs_that_cross_again_and_again_leave_sentence_borders_alone():
    """Of such trees spaCy finds where sentences begin only after more rounds than it makes."""
    nlp, n = spacy.blank("es"), 30
    parser = nlp.add_pipe("mtl_parser", config={"projective": False})
    parser.add_label("x")
    outwards = [middle + side * k for k in range(n) for side in (1, -1) for middle in (n // 2,)]
    chain = list(dict.fromkeys(word for word in outwards if 0 <= word < n))  # each the head of the next
    heads = np.zeros(n, np.int32)
    heads[chain[1:]] = np.array(chain[:-1]) + 1
    trees = np.zeros((2, 2 * n), np.int32)
    trees[0] = np.tile(heads, 2)
    doc = Doc(nlp.vocab, [f"w{k}" for k in range(2 * n)], sent_starts=[k in (0, n) for k in range(2 * n)])
    parser.set_annotations([doc], [trees])
    assert [token.i for token in doc if token.is_sent_start] == [0, n]
    assert [token.head.i for token in doc[:n]] == [head - 1 if head else k for k, head in enumerate(heads.tolist())]
