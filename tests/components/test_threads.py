"""``threads``: pipes on several threads give what one thread gives."""

import os
import pickle
import signal
import sys
import threading
import time
from itertools import islice

import numpy as np
import pytest
import spacy
from spacy.tokens import Doc, DocBin

from benchmarks.reliability.documents_worker import digest
from benchmarks.reliability.hostile_text import text
from benchmarks.reliability.pipelines import PIPELINES, cut, make_pipeline
from spacy_mtl.components.protocol.saved import CALIBRATIONS
from spacy_mtl.confidence.calibration import Calibration

NAMES = [name for name in PIPELINES if name != "tokenizer"]


def ours(nlp):
    return [pipe for name, pipe in nlp.pipeline if nlp.get_pipe_meta(name).factory.startswith("mtl_")]


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch):
    """Batches of a few words are split, too; and threads take turns often."""
    kinds = {type(pipe) for name in NAMES for pipe in ours(pipeline(name))}
    for kind in kinds:
        monkeypatch.setattr(kind, "piece", 5)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(interval)


_MADE = {}


def pipeline(name):
    if name not in _MADE:
        _MADE[name] = make_pipeline(name)
    nlp = _MADE[name]
    for pipe in ours(nlp):
        pipe.threads = 1
        pipe.confidence = False
        pipe.set_error_handler(spacy.util.raise_error)
    return nlp


def texts_for(name, n=60):
    """Texts of all kinds, empty ones among them."""
    return [cut(name, text(seed)) for seed in range(n)] + ["", " ", ""]


@pytest.mark.parametrize("batch_size", [1, 7, 1000])
@pytest.mark.parametrize("name", NAMES)
def test_any_number_of_threads_finds_the_same(name, batch_size):
    nlp, texts = pipeline(name), texts_for(name)
    wanted = [digest(doc) for doc in nlp.pipe(texts, batch_size=batch_size)]
    for threads in (2, 5):
        for pipe in ours(nlp):
            pipe.threads = threads
        assert [digest(doc) for doc in nlp.pipe(texts, batch_size=batch_size)] == wanted
    assert len(set(wanted)) > 10


@pytest.mark.parametrize("name", NAMES)
def test_new_words_that_several_threads_meet_at_once(name):
    """A pipeline without any table, so that threads fill them together."""
    texts = texts_for(name, 30)
    wanted = [digest(doc) for doc in pipeline(name).pipe(texts, batch_size=10)]
    for _ in range(3):
        fresh = make_pipeline(name)
        for pipe in ours(fresh):
            pipe.threads = 4
        assert [digest(doc) for doc in fresh.pipe(texts, batch_size=10)] == wanted


def surely(doc):
    """All that a document says of how sure components are."""
    told = {key: value for key, value in doc.user_data.items() if "mtl" in str(key)}
    spans = {key: (group.attrs, [(s.start, s.end, s.label_) for s in group]) for key, group in doc.spans.items()}
    with np.printoptions(threshold=sys.maxsize):
        return sorted(map(repr, told.items())), sorted(map(repr, spans.items()))


@pytest.mark.parametrize("name", NAMES)
def test_how_sure_components_are_is_the_same(name):
    nlp, texts = pipeline(name), texts_for(name, 24)
    for pipe in ours(nlp):
        pipe.cfg[CALIBRATIONS] = {kind: Calibration(2.0).to_dict() for kind in pipe.decided}
        pipe.confidence = True
    try:
        wanted = [(digest(doc), surely(doc)) for doc in nlp.pipe(texts, batch_size=9)]
        for pipe in ours(nlp):
            pipe.threads = 3
        assert [(digest(doc), surely(doc)) for doc in nlp.pipe(texts, batch_size=9)] == wanted
    finally:
        for pipe in ours(nlp):
            pipe.confidence = False
            del pipe.cfg[CALIBRATIONS]
    assert len({repr(sure) for _, sure in wanted}) > 5


@pytest.mark.parametrize("name", ["segmenter", "tagger and ner", "parser"])
def test_users_threads_with_threads_of_their_own(name):
    nlp, texts = pipeline(name), texts_for(name, 30)
    wanted = [digest(doc) for doc in nlp.pipe(texts, batch_size=8)]
    for pipe in ours(nlp):
        pipe.threads = 2
    found = {}

    def read(k):
        found[k] = [digest(doc) for doc in nlp.pipe(texts, batch_size=3 + k)]

    users = [threading.Thread(target=read, args=(k,)) for k in range(4)]
    for user in users:
        user.start()
    for user in users:
        user.join()
    assert found == dict.fromkeys(range(4), wanted)


def test_documents_of_several_vocabularies(trained, read_corpus, entities):
    docs = [example.predicted for example in read_corpus(trained, "dev", limit=12)]
    kept = [DocBin(docs=[doc]).to_bytes() for doc in docs]

    def mixed():
        strange = [next(DocBin().from_bytes(data).get_docs(spacy.blank("es").vocab)) for data in kept]
        return [doc for pair in zip([doc.copy() for doc in docs], strange, strict=True) for doc in pair]

    ner = trained.get_pipe("mtl_ner")
    wanted = [entities(doc) for doc in ner.pipe(mixed(), batch_size=5)]
    ner.threads = 3
    try:
        assert [entities(doc) for doc in ner.pipe(mixed(), batch_size=5)] == wanted
    finally:
        ner.threads = 1
    assert any(wanted)


@pytest.mark.parametrize("threads", [1, 3])
def test_a_batch_that_fails_goes_to_the_error_handler_as_a_whole(threads):
    """The parser refuses a long document without borders; batches around it are parsed."""
    nlp = pipeline("parser")
    parser, failed = nlp.get_pipe("mtl_parser"), []
    parser.threads = threads
    parser.set_error_handler(lambda name, proc, docs, error: failed.append((name, len(docs), str(error)[:6])))
    docs = [Doc(nlp.vocab, words=["de", "man", "slaapt"], tags=["DET", "NOUN", "VERB"]) for _ in range(10)]
    for doc in docs:
        doc[0].is_sent_start = True
    docs[5] = Doc(nlp.vocab, words=["x"] * 200, tags=["NOUN"] * 200)
    got = list(parser.pipe(docs, batch_size=3))
    assert failed == [("mtl_parser", 3, "[M440]")]
    assert [doc is docs[k] for doc, k in zip(got, (0, 1, 2, 6, 7, 8, 9), strict=True)] == [True] * 7
    assert all(doc.has_annotation("DEP") for doc in got)


@pytest.mark.parametrize("threads", [1, 3])
def test_without_a_handler_what_came_before_is_there(threads):
    nlp = pipeline("parser")
    parser = nlp.get_pipe("mtl_parser")
    parser.threads = threads
    docs = [Doc(nlp.vocab, words=["de", "man"], tags=["DET", "NOUN"], sent_starts=[1, 0]) for _ in range(6)]
    docs[4] = Doc(nlp.vocab, words=["x"] * 200, tags=["NOUN"] * 200)
    stream = parser.pipe(docs, batch_size=2)
    assert list(islice(stream, 4)) == docs[:4]
    with pytest.raises(ValueError, match=r"^\[M440\]"):
        next(stream)


def test_documents_stay_as_they_are_until_their_turn(trained, read_corpus):
    docs = [example.predicted for example in read_corpus(trained, "dev", limit=30)]
    ner = trained.get_pipe("mtl_ner")
    ner.threads = 3
    try:
        stream = ner.pipe(iter(docs), batch_size=2)
        next(stream)
        time.sleep(0.05)
        assert not any(doc.has_annotation("ENT_IOB") for doc in docs[2:])
        stream.close()
    finally:
        ner.threads = 1


def test_threads_and_processes():
    nlp, texts = pipeline("tagger and ner"), texts_for("tagger and ner", 20)
    wanted = [digest(doc) for doc in nlp.pipe(texts)]
    for pipe in ours(nlp):
        pipe.threads = 2
    assert [digest(doc) for doc in nlp.pipe(texts, n_process=2, batch_size=3)] == wanted
    assert [digest(doc) for doc in nlp.pipe(texts, batch_size=3)] == wanted


def test_ctrl_c(trained, read_corpus):
    ner = trained.get_pipe("mtl_ner")
    docs, before = [example.predicted for example in read_corpus(trained, limit=20)], threading.active_count()

    def many():
        for _ in range(20_000):  # of 20 documents, which take minutes
            for doc in docs:
                yield doc.copy()

    # a process in the background may have been started to ignore the signal
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
    ner.threads = 4
    try:
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            for _ in ner.pipe(many(), batch_size=4):
                pass
    finally:
        ner.threads = 1
        timer.join()
        signal.signal(signal.SIGINT, handler)
    assert threading.active_count() <= before


@pytest.mark.parametrize("value", [0, -1, 257, 1.5, "2", None, True])
def test_what_is_no_number_of_threads(trained, value):
    ner = trained.get_pipe("mtl_ner")
    with pytest.raises(ValueError, match=r"\[M419\] 'mtl_ner': threads must be a whole number from 1 to 256"):
        ner.threads = value
    assert ner.threads == 1


def test_the_setting_of_the_config(make_nlp, read_corpus, train, tmp_path):
    nlp = make_nlp(["U0:%x[0,ORTH]", "B"], threads=2)
    assert nlp.get_pipe("mtl_ner").threads == 2
    train(nlp, read_corpus(nlp, limit=3)).to_disk(tmp_path)
    assert spacy.load(tmp_path).get_pipe("mtl_ner").threads == 2
    config = {"components": {"mtl_ner": {"threads": 3}}}
    assert spacy.load(tmp_path, config=config).get_pipe("mtl_ner").threads == 3
    assert pickle.loads(pickle.dumps(nlp)).get_pipe("mtl_ner").threads == 2
    assert np.all([pipe.threads == 2 for pipe in ours(nlp)])
