"""What a parser loses without gold tags: with those of a tagger that is trained together with it, and without any. And earlier defaults of it."""

import time
from typing import Any

import spacy
from spacy.tokens import Doc
from spacy.training import Example

from .data import Data
from .ours import examples_of

#: Contestants: settings of the parser in addition to its defaults, and where its tags come from: "given", "tagger" or "none".
CONTESTANTS: dict[str, tuple[dict[str, Any], str]] = {
    "gold tags": ({}, "given"),
    "gold tags, p = 1, C = 1, last weights": ({"trainer": {"p": 1.0, "C": 1.0, "average": 1}}, "given"),
    "tagger and parser trained together": ({}, "tagger"),
    "no tags": ({"model": {"templates": {"@mtl_templates": "spacy_mtl.parse.v1", "tag": None}}}, "none"),
}


def train(data: dict, contestant: str, passes: int) -> dict[str, Any]:
    """Train on the training part; scores on dev in percent, all tokens counted, and CPU seconds of the training."""
    treebank, (config, tags) = Data(**data), CONTESTANTS[contestant]
    nlp = spacy.blank(treebank.treebank.lang)
    if tags == "tagger":
        nlp.add_pipe("mtl_tagger")
    nlp.add_pipe("mtl_parser", config=config)
    examples = [_with(tags, example) for example in examples_of(nlp, treebank, "train")]
    begin = time.process_time()
    nlp.initialize(lambda: examples)
    for _ in range(passes):
        nlp.update(examples, annotates=nlp.pipe_names[:-1])
    nlp.to_bytes()
    cpu = time.process_time() - begin
    found = nlp.evaluate([_with(tags, example) for example in examples_of(nlp, treebank, "dev")])
    scores = {"uas_dev": 100 * found["dep_uas"], "las_dev": 100 * found["dep_las"]}
    if tags == "tagger":
        scores["tags_dev"] = 100 * found["tag_acc"]
    return {"cpu": cpu, **scores}


def _with(tags: str, example: Example) -> Example:
    """The example with its tags as input, or with words and sentences alone."""
    if tags == "given":
        return example
    given = example.predicted
    words, spaces = [token.text for token in given], [bool(token.whitespace_) for token in given]
    bare = Doc(given.vocab, words, spaces, sent_starts=[token.is_sent_start for token in given])
    return Example(bare, example.reference)
