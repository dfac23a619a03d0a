"""Treebanks with errors, read with all that they say, written, stored, scored and learnt from; files of tokenizers with changes."""

import json
import random
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import spacy
from spacy.language import Language
from spacy.tokens import DocBin
from spacy.vocab import Vocab

from spacy_mtl.corpora.binary import stored_docs
from spacy_mtl.corpora.conllu import ConlluCorpus
from spacy_mtl.corpora.conllu_kept import raw_text
from spacy_mtl.corpora.conllu_read import read_conllu
from spacy_mtl.corpora.conllu_write import write_conllu
from spacy_mtl.treebanks.inputs import without_white_space
from spacy_mtl.treebanks.multiword import MultiwordTokenizer
from spacy_mtl.treebanks.scores import score_files

from .hostile_text import text
from .mutate_json import mutate_json

#: Of cells and comments.
_CELLS = (
    "_",
    "",
    "a  b",
    "\u00a0",
    "\u3000",
    "\x85",
    "\u2028",
    "\x1c",
    "\0",
    "SpaceAfter=No",
    "X=1|SpaceAfter=No",
    "SpaceAfter=Nor",
    "-1",
    "ROOT",
    "İ",
    "newpar",
    "|",
    "A=b=c",
)

#: A sentence with everything that CoNLL-U has, beside those of a treebank.
RICH = """\
# newdoc id = d
# text = dámelo al mar.
0.1\t_\t_\tPRON\t_\t_\t_\t_\t1:nsubj\t_
1-3\tdámelo\t_\t_\t_\t_\t_\t_\t_\tGloss=give.me.it
1\tda\tdar\tVERB\tV\tMood=Imp\t0\troot\t0:root\t_
2\tme\tyo\tPRON\tP\tCase=Dat\t1\tiobj\t1:iobj\t_
3\tlo\tél\tPRON\tP\tCase=Acc\t1\tobj\t1:obj\t_
4-5\tal\t_\t_\t_\t_\t_\t_\t_\t_
4\ta\ta\tADP\tE\t_\t6\tcase\t6:case\t_
5\tel\tel\tDET\tD\tDefinite=Def\t6\tdet\t6:det\t_
6\tmar\tmar\tNOUN\tN\tGender=Masc\t1\tobl\t1:obl:a\tSpaceAfter=No|Gloss=sea
6.1\tmar\tmar\tNOUN\t_\t_\t_\t_\t1:obl\t_
7\t.\t.\tPUNCT\tF\t_\t1\tpunct\t1:punct\t_

"""


def treebank(r: random.Random, spoil: Callable[[random.Random, bytes], tuple[str, bytes]], data: bytes) -> Any:
    """A case for the settings' worker: a changed treebank. spoil: changes bytes; data: of a treebank."""
    sentences = data.replace(b"\r", b"").split(b"\n\n")[: r.randrange(3)]
    whole = b"".join([RICH.encode(), *(sentence + b"\n\n" for sentence in sentences), RICH.encode()])
    what, changed = spoil(r, whole) if r.random() < 0.4 else ("cells changed", _other_cells(r, whole.decode()).encode())
    return f"treebank: {what}", lambda: _round_trip(changed, r)


def _other_cells(r: random.Random, whole: str) -> str:
    """A treebank with other cells, comments or ranges that it may have."""
    lines = whole.split("\n")
    for _ in range(r.randrange(1, 6)):
        at = r.randrange(len(lines))
        cells = lines[at].split("\t")
        value = r.choice((" ".join(text(r.randrange(10**6))[:40].split()), *_CELLS))
        if len(cells) == 10:
            cells[r.choice((1, 2, 3, 4, 5, 7, 8, 9))] = value
            lines[at] = "\t".join(cells)
        elif lines[at]:
            lines[at] = f"#{value}"
        else:
            lines[at : at + 1] = ["", f"1-1\t{value}" + "\t_" * 8, "1\tx" + "\t_" * 8, ""]
    return "\n".join(lines)


def tokenizer(r: random.Random) -> Any:
    """Another case: the file of a tokenizer of multiword tokens with something changed, loaded and used."""
    saved = json.loads(_learnt())
    value, what, written = mutate_json(
        saved, [["a", "\t"], {"y": ["x"]}, ["1", "", "x"]], np.random.default_rng(r.randrange(2**32))
    )
    data = written if written is not None else json.dumps(value).encode()
    return f"tokenizer: {what}", lambda: _load(data, text(r.randrange(10**6)))


def _round_trip(data: bytes, r: random.Random) -> None:
    """What is read and written again has the same words and can be read; so has what was stored in between; it scores as itself."""
    nlp = _nlp()
    with TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        source, binary, out = (Path(folder, name) for name in ("in.conllu", "in.spacy", "out.conllu"))
        source.write_bytes(data)
        corpus = ConlluCorpus(source, format="conllu", broken="treeless", group=r.choice((0, 1)), keep=True)
        docs = [example.reference for example in corpus(nlp)]
        words = [sentence.words for sentence in read_conllu(source, "conllu", broken="treeless")]
        binary.write_bytes(DocBin(docs=docs, store_user_data=True).to_bytes())
        for again in (docs, list(stored_docs(binary, Vocab()))):
            write_conllu(again, out)
            assert [each.words for each in read_conllu(out, "conllu", broken="treeless")] == words, (
                "other words are written"
            )
        learner = _nlp().tokenizer
        learner.initialize(lambda: corpus(nlp))
        assert learner.from_bytes(learner.to_bytes()) is learner
        if not any("".join(form.split()) == "" for sentence in words for form in sentence):
            scores = score_files(source, out)
            assert scores["Words"].f1 == scores["Tokens"].f1 == 1, "it does not score as itself"


def _load(data: bytes, sample: str) -> None:
    """A file that is loaded leaves texts as they are; one that is refused leaves the tokenizer as it was."""
    nlp = _nlp()
    before = nlp.tokenizer.to_bytes()
    try:
        nlp.tokenizer.from_bytes(data)
    except ValueError:
        assert nlp.tokenizer.to_bytes() == before, "a file that was refused has changed something"
        raise
    doc = without_white_space(nlp.tokenizer(f"{sample} dámelo al mar. cómelo"))
    assert "".join(raw_text(doc).split()) == "".join(f"{sample}dámeloalmar.cómelo".split()), "the text is another"
    assert len(doc.text) < 100 * (len(sample) + 100), "the text has grown"


def _nlp() -> Language:
    tokenizer = {"@tokenizers": "spacy_mtl.Multiword.v1", "tokenizer": {"@tokenizers": "spacy.Tokenizer.v1"}}
    return spacy.blank("xx", config={"nlp": {"tokenizer": tokenizer}})


@cache
def _learnt() -> bytes:
    nlp = _nlp()
    assert isinstance(nlp.tokenizer, MultiwordTokenizer)
    with TemporaryDirectory() as folder:
        path = Path(folder, "rich.conllu")
        path.write_text(RICH, encoding="utf8")
        nlp.initialize(lambda: ConlluCorpus(path, keep=True)(nlp))
    return nlp.tokenizer.to_bytes()
