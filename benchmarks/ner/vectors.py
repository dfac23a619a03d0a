"""What blocks of word vectors add: floret vectors trained on the text of the training file alone, beside the templates and without them."""

import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc
from spacy.training.initialize import convert_vectors

from benchmarks.common.measure import cpu_seconds, median
from spacy_mtl.templates.presets import ner

from .data import Data, Ours

#: The vectors around a token that are read.
DENSE = ("V0:%v[0]", "V1:%v[-1]", "V2:%v[1]")
#: Of floret: skip-grams with subwords.
DIMENSIONS, EPOCHS, BUCKETS = 100, 15, 50_000


def train_vectors(docs: Sequence[Doc], folder: Path) -> Path:
    """A file of floret vectors trained on these documents, on one thread."""
    import floret

    text, out = folder / "text.txt", folder / "vectors.floret"
    lines = (" ".join(token.text for token in sentence) for doc in docs for sentence in doc.sents)
    text.write_text("\n".join(lines), encoding="utf8")
    model = floret.train_unsupervised(
        str(text), model="skipgram", dim=DIMENSIONS, epoch=EPOCHS, minCount=2, minn=3, maxn=6,
        mode="floret", hashCount=2, bucket=BUCKETS, thread=1,
    )  # fmt: skip
    model.save_floret_vectors(str(out))
    return out


def run(data: dict, ours: dict, with_templates: bool, with_vectors: bool, parts: Sequence[str]) -> dict[str, Any]:
    """A row: F1 of each part, CPU seconds, words a CPU second (Docs with every word met before), and the share of mu that vectors have."""
    the_data, settings = Data(**data), Ours(**ours)
    nlp, row = the_data.blank(), {}
    train = the_data.part(nlp, "train")
    if with_vectors:
        with TemporaryDirectory() as folder:
            begin = time.process_time()
            path = train_vectors(train.given, Path(folder))
            row["cpu_vectors"] = time.process_time() - begin
            convert_vectors(nlp, path, truncate=0, prune=-1, mode="floret")
    texts = ner(tag=settings.tag).texts() if with_templates else ["B"]
    patterns = [*texts, *(DENSE if with_vectors else ())]
    config = settings.config()
    config["model"]["templates"] = {"@mtl_templates": "spacy_mtl.patterns.v1", "patterns": patterns}
    pipe: Any = nlp.add_pipe("mtl_ner", config=config)
    examples = train.examples()

    def learn() -> None:
        nlp.initialize(lambda: examples)
        nlp.update(examples)
        pipe.predict([examples[0].predicted])

    row["cpu"] = cpu_seconds(learn)
    for part in parts:
        row |= score(nlp, pipe, the_data, part)
    weights = pipe.template_weights()
    dense = sum(line["weight"] for line in weights if line["name"].startswith("V"))
    return row | {"dense_share": 100 * dense / sum(line["weight"] for line in weights)}


def score(nlp: Language, pipe: Any, data: Data, part: str) -> dict[str, float]:
    tested = data.part(nlp, part)
    f1 = 100 * nlp.evaluate(tested.examples())["ents_f"]
    speeds = []
    for _ in range(5):
        docs = [doc.copy() for doc in tested.given]
        seconds = cpu_seconds(lambda docs=docs: list(pipe.pipe(docs)))
        speeds.append(sum(map(len, docs)) / seconds)
    return {f"f1_{part}": f1, "words_per_second": median(speeds)}
