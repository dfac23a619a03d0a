"""A large corpus, made of a small one: its sentences again and again, in JSON lines with ids; and a model to annotate it with."""

import json
from itertools import cycle
from pathlib import Path
from typing import Any

from benchmarks.threads.prediction import trained

#: Sentences of a document.
SENTENCES = 5


def make(of: dict[str, Any], words: int, folder: str) -> dict[str, int]:
    """Write model/ and in.jsonl to a folder. of: a task of benchmarks.threads. words: at least so many. Returns numbers of documents and words."""
    nlp, examples = trained(of)
    nlp.to_disk(Path(folder, "model"))
    texts = [example.reference.text for example in examples]
    lengths = [len(example.reference) for example in examples]
    stream = cycle(zip(texts, lengths, strict=True))
    number = written = 0
    with Path(folder, "in.jsonl").open("w", encoding="utf8") as file:
        while written < words:
            part = [next(stream) for _ in range(SENTENCES)]
            row = {"id": f"d{number}", "text": " ".join(text for text, _ in part)}
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
            number, written = number + 1, written + sum(length for _, length in part)
    return {"documents": number, "words": written}
