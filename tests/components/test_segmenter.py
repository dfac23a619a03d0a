"""The checklist of a component: training, prediction, what documents carry, saving, pipelines."""

import copy
import pickle

import numpy as np
import pytest
import spacy
from hypothesis import given, settings
from hypothesis import strategies as st
from spacy.tokens import Doc, Span
from spacy.training import Example
from spacy.vocab import Vocab

from spacy_mtl.segmentation.boundaries import TAG_SETS, begin_tags
from spacy_mtl.segmentation.user_words.words import UserWords

from .segmenting import PATTERNS, SENTENCES, TEXTS, example, make, segmenter_of, train, words_of


@pytest.fixture(scope="module")
def nlp():
    """Trained; tests only read it."""
    return train(make())


@pytest.fixture(scope="module")
def expected(nlp):
    return [words_of(doc) for doc in nlp.pipe(TEXTS)]


# --- training ---


@pytest.mark.parametrize("tags", TAG_SETS)
def test_overfits_and_says_so(tags, tmp_path):
    nlp = train(make(tags=tags))
    examples = [example(nlp, sentence) for sentence in SENTENCES]
    assert nlp.evaluate(examples)["token_f"] == 1.0
    assert [words_of(nlp(eg.reference.text)) for eg in examples] == [sentence.split() for sentence in SENTENCES]
    nlp.to_disk(tmp_path)
    assert spacy.load(tmp_path).evaluate(examples)["token_f"] == 1.0


def test_new_text_is_cut_as_the_corpus_is(expected):
    assert expected[0] == ["我们", "昨天", "在", "上海", "大学", "学习", "。"]
    assert expected[1] == ["老师", "在", "北京", "！"]


def test_untrained_segmenter_makes_a_word_of_every_character():
    assert words_of(make()("北京DVD 3.5。")) == ["北", "京", "DVD", "3.5", "。"]


def test_half_width_and_full_width_are_one(nlp):
    wide = words_of(nlp("我在２００８年８月去了北京。"))
    assert words_of(nlp("我在2008年8月去了北京｡")) == [
        word.translate(str.maketrans("２０８。", "208｡")) for word in wide
    ]


def test_tokens_of_the_input_do_not_matter(nlp, expected):
    for text, words in zip(TEXTS, expected, strict=True):
        whole = Doc(nlp.vocab, words=text.split(" "), spaces=[True] * text.count(" ") + [False])
        assert words_of(segmenter_of(nlp)(whole)) == words


def test_documents_with_unknown_spaces_are_read_without_spaces(nlp, expected):
    doc = segmenter_of(nlp)(Doc(nlp.vocab, words=list(TEXTS[0])))
    assert words_of(doc) == expected[0]
    assert not doc.has_unknown_spaces
    pipeline = make(PATTERNS)
    examples = [Example.from_dict(Doc(pipeline.vocab, words=s.split()), {"words": s.split()}) for s in SENTENCES]
    pipeline.initialize(lambda: examples)
    for _ in range(6):
        pipeline.update(examples)
    assert words_of(pipeline(TEXTS[0])) == expected[0]


def test_keep_runs_can_be_turned_off():
    sentence = "我 用 A B C 和 1 2 3"
    kept, free = train(make(PATTERNS), [sentence]), train(make(PATTERNS, keep_runs=False), [sentence])
    assert words_of(free("我用ABC和123")) == sentence.split()
    assert words_of(kept("我用ABC和123")) == ["我", "用", "ABC", "和", "123"]


# --- gold ---


def tags_of(nlp, predicted, reference):
    pipe = segmenter_of(nlp)
    eg = Example(Doc(nlp.vocab, words=[predicted], spaces=[False]), reference)
    ((_, starts),) = pipe.read_input(pipe.make_reader(), [eg.predicted])
    return "".join("-" if tag < 0 else TAG_SETS["bmes"][tag] for tag in pipe.gold_labels(eg, starts))


@pytest.mark.parametrize(
    ("predicted", "tags"),
    [
        ("我们在北京大学", "BESBEBE"),
        ("我们 在北京 大学", "BESBEBE"),  # white space does not count
        ("我 们在北京大学", "SSSBEBE"),  # but always parts
        ("我们X在北京大学", "BE-SBEBE"),
        ("我们在北大学", "BES-BE"),
        ("我在北京大学", "-SBEBE"),
        ("我们在北X京大学", "BES---BE"),
        ("我们在京北大学", "BES--BE"),
        ("完全不同", "----"),
    ],
)
def test_gold_of_texts_that_differ(predicted, tags):
    nlp = make()
    reference = Doc(nlp.vocab, words=["我们", "在", "北京", "大学"], spaces=[False, True, False, False])
    assert tags_of(nlp, predicted, reference) == tags


def test_a_reference_word_with_white_space_inside_is_several_words():
    nlp = make()
    reference = Doc(nlp.vocab, words=["在", "New York", "  ", "好"], spaces=[False] * 4)
    assert tags_of(nlp, "在New York  好", reference) == "SBMEBMMES"


@given(
    st.text(st.sampled_from("北京大学 ab"), max_size=12),
    st.lists(st.text(st.sampled_from("北京大学ab"), min_size=1, max_size=3), min_size=1),
)
def test_gold_is_allowed_whatever_the_texts(text, words):
    nlp = WITHOUT_MODEL
    pipe = segmenter_of(nlp)
    reference = Doc(nlp.vocab, words=words, spaces=[False] * len(words))
    eg = Example(Doc(nlp.vocab, words=[text] if text else [], spaces=[False] if text else []), reference)
    ((columns, starts),) = pipe.read_input(pipe.make_reader(), [eg.predicted])
    gold, allowed = pipe.gold_labels(eg, starts), pipe.chain_constraints()
    assert gold.size == columns.shape[1]
    inside = [t for t in range(1, gold.size) if t not in starts and gold[t] >= 0 and gold[t - 1] >= 0]
    assert all(allowed.step[gold[t - 1], gold[t]] for t in inside)


WITHOUT_MODEL = make()


# --- bad input ---


def test_nothing_to_learn_from():
    """It is as if there were no examples, so others may come; but a corpus that has documents must have words."""
    nlp = make()
    nlp.initialize(lambda: [example(nlp, "")])
    assert words_of(nlp(TEXTS[0])) == list(TEXTS[0])
    with pytest.raises(ValueError, match=r"^\[M413\]"):
        segmenter_of(nlp).collect_labels([Doc(nlp.vocab)])


@pytest.mark.parametrize("attr", ["TAG", "DEP"])
def test_templates_that_characters_cannot_serve(attr):
    nlp = make([f"U0:%x[0,{attr}]"])
    with pytest.raises(ValueError, match=rf"^\[M411\] 'mtl_segmenter'.*'{attr}'"):
        nlp.initialize(lambda: [example(nlp, SENTENCES[0])])


def test_unknown_tag_set():
    with pytest.raises(ValueError, match=r"^\[M416\].*bie, bmes, bcdmes"):
        make(tags="xyz")


@pytest.mark.parametrize("hidden", [-0.1, 1.5, True, "half", float("nan")])
def test_a_share_of_hidden_words_out_of_range(hidden):
    with pytest.raises(ValueError, match=r"^\[M133\].*hidden|hidden"):
        make(hidden=hidden)


def test_hidden_words_are_known_once_trained():
    nlp = make(hidden=1.0)
    examples = [example(nlp, words) for words in SENTENCES]
    nlp.initialize(lambda: examples)
    segmenter = nlp.get_pipe("mtl_segmenter")
    assert not segmenter._reader.words.known.any()
    long = {word for words in SENTENCES for word in words if len(word) > 1}
    assert long <= set(segmenter.cfg["lexicon"].split())


@pytest.mark.parametrize("counts", [{"folds": 1}, {"folds": 101}, {"known": 0}, {"known_marks": -1}])
def test_counts_that_make_no_sense(counts):
    with pytest.raises(ValueError, match=r"^\[M418\].*" + "".join(f"{name} = {n}" for name, n in counts.items())):
        make(**counts)


def test_dictionary_templates_in_another_component():
    nlp = spacy.blank("zh")
    templates = {"@mtl_templates": "spacy_mtl.patterns.v1", "patterns": ["U0:%x[0,WORD_END]"]}
    nlp.add_pipe("mtl_ner", config={"model": {"templates": templates}})
    doc = Doc(nlp.vocab, words=["北京"], ents=["B-LOC"])
    with pytest.raises(ValueError, match=r"^\[M127\].*WORD_END"):
        nlp.initialize(lambda: [Example(nlp.make_doc("北京"), doc)])


def test_words_are_not_written_into_a_given_document(nlp):
    doc = nlp.make_doc(TEXTS[0])
    pipe = segmenter_of(nlp)
    with pytest.raises(NotImplementedError, match=r"^\[M412\]"):
        pipe.set_annotations([doc], pipe.predict([doc]))


ODD = [
    "",
    " ",
    "\n\t ",
    "abc def",
    "😀😃👩\u200d💻",
    "\u0301",
    "\u0301\u0301 \u200d",
    "\x00\x01\x7f",
    "\ufeff北京",
    "𠀀𠀁北京",
    "　全　角　",
    "a\u2028b",
    "Ｗ．Ｈ．Ｏ",
]


@pytest.mark.parametrize("text", ODD)
def test_odd_text_stays_as_it_is(nlp, text):
    doc = nlp(text)
    assert doc.text == text
    assert "".join(token.text_with_ws for token in doc) == text


def test_odd_texts_together_and_a_very_long_one(nlp):
    texts = [*ODD, "北京大学的老师 " * 12_500, *ODD]
    docs = list(nlp.pipe(texts))
    assert [doc.text for doc in docs] == texts
    assert [words_of(doc) for doc in docs[: len(ODD)]] == [words_of(nlp(text)) for text in ODD]
    assert len(docs[len(ODD)]) == 12_500 * 4


@settings(max_examples=200)
@given(st.text(max_size=40) | st.text(st.sampled_from("北京大学aB1. \n　\u0301\u200d😀"), max_size=40))
def test_any_text_stays_as_it_is(nlp, text):
    ((words, spaces),) = segmenter_of(nlp).cut([text])
    assert "".join(w + " " * s for w, s in zip(words, spaces, strict=True)) == text
    assert Doc(Vocab(), words=words, spaces=spaces).text == text


def test_predictions_are_tags_of_characters(nlp):
    docs = [nlp.make_doc(text) for text in ["", *TEXTS, " "]]
    labels = segmenter_of(nlp).predict(docs)
    assert [len(tags) for tags in labels] == [len("".join(doc.text.split())) for doc in docs]
    begins = begin_tags("bmes")[np.concatenate(labels)]
    assert begins.sum() == sum(not token.is_space for doc in docs for token in segmenter_of(nlp)(doc))


# --- what documents carry ---


def test_what_belongs_to_the_text_is_carried_over(nlp):
    doc = nlp.make_doc("我们在北京大学学习。好")
    doc.user_data["source"] = 7
    doc.cats["news"] = 0.5
    doc._context = "context"
    doc.user_hooks["vector"] = lambda doc: "hook"
    Doc.set_extension("origin", default=None, force=True)
    doc._.origin = "x"
    doc.ents = [Span(doc, 3, 5, "LOC", kb_id="Q956", span_id="1"), Span(doc, 6, 8, "ODD")]
    doc.spans["all"] = [Span(doc, 0, 3, "A"), Span(doc, 1, 3, "B")]
    doc.spans["all"].attrs["scores"] = [1, 2]
    doc[0].is_sent_start, doc[10].is_sent_start = True, True
    new = segmenter_of(nlp)(doc)
    assert words_of(new) == ["我们", "在", "北京", "大学", "学习", "。", "好"]
    assert (new.user_data["source"], new.cats, new._context, new._.origin) == (7, {"news": 0.5}, "context", "x")
    assert new.vector == "hook"
    assert [(e.text, e.label_, e.kb_id_, e.id_) for e in new.ents] == [("北京", "LOC", "Q956", "1")]
    assert [(s.text, s.label_) for s in new.spans["all"]] == [("我们在", "A")]
    assert new.spans["all"].attrs == {"scores": [1, 2]}
    assert [sent.text for sent in new.sents] == ["我们在北京大学学习。", "好"]
    assert not nlp("我们在北京").has_annotation("ENT_IOB")
    Doc.remove_extension("origin")


def test_contexts_and_order_through_a_pipeline(nlp, expected):
    pairs = [(text, i) for i, text in enumerate(TEXTS)]
    assert [(words_of(doc), i) for doc, i in nlp.pipe(pairs, as_tuples=True, batch_size=2)] == [
        (words, i) for i, words in enumerate(expected)
    ]


def test_processes_give_the_same_documents(nlp):
    alone = [doc.to_bytes() for doc in nlp.pipe(TEXTS * 3)]
    assert [doc.to_bytes() for doc in nlp.pipe(TEXTS * 3, n_process=2, batch_size=2)] == alone


def test_failing_documents_go_to_the_error_handler(monkeypatch):
    nlp = make(PATTERNS)
    failed = []
    nlp.set_error_handler(lambda name, pipe, docs, error: failed.append((name, len(docs), str(error))))

    def fail(*_):
        raise RuntimeError("broken")

    monkeypatch.setattr(segmenter_of(nlp), "work", fail)
    assert list(nlp.pipe(["北京", "上海"])) == []
    assert failed == [("mtl_segmenter", 2, "broken")]


def test_later_components_train_on_its_words():
    nlp = train(make(PATTERNS))
    nlp.add_pipe("tagger")
    words = SENTENCES[0].split()
    tags = [f"T{len(word)}" for word in words]
    reference = Doc(nlp.vocab, words=words, spaces=[False] * len(words), tags=tags)
    examples = [Example(nlp.make_doc(reference.text), reference)]
    nlp.get_pipe("tagger").initialize(lambda: examples, nlp=nlp)
    losses = nlp.update(examples, annotates=["mtl_segmenter"], exclude=["mtl_segmenter"])
    assert losses["tagger"] > 0
    assert [token.tag_ for token in nlp(reference.text)] != [""] * len(words)
    assert words_of(nlp(reference.text)) == words


def test_memory_zone_changes_nothing(nlp, expected):
    other = make().from_bytes(nlp.to_bytes())
    with other.memory_zone():
        assert [words_of(doc) for doc in other.pipe(TEXTS)] == expected
        assert other("鑫淼").text == "鑫淼"
    assert [words_of(doc) for doc in other.pipe(TEXTS)] == expected
    assert other("鑫淼鑫").text == "鑫淼鑫"


# --- dictionary ---


def test_user_words_work_at_once_and_survive(nlp, tmp_path):
    other = make().from_bytes(nlp.to_bytes())
    pipe = segmenter_of(other)
    text = "他们在甲乙丙学习"
    before = words_of(other(text))
    pipe.user_words.update(["甲乙丙", "甲乙丙", ""])
    assert "甲乙丙" in words_of(other(text))
    assert "甲乙丙" not in before
    other.to_disk(tmp_path)
    for loaded in (spacy.load(tmp_path), pickle.loads(pickle.dumps(other)), make().from_bytes(other.to_bytes())):
        assert list(segmenter_of(loaded).user_words) == ["甲乙丙"]
        assert "甲乙丙" in words_of(loaded(text))
    pipe.user_words.remove("甲乙丙")
    assert words_of(other(text)) == before


def test_another_user_dictionary_can_be_set(nlp):
    other = make().from_bytes(nlp.to_bytes())
    pipe, text = segmenter_of(other), "他们在甲乙丙学习"
    pipe.user_words.add("没有")
    before = words_of(other(text))
    pipe.user_words = UserWords(["甲乙丙"])
    assert "甲乙丙" in words_of(other(text))
    assert "甲乙丙" not in before


def test_user_words_from_a_file_at_initialization(tmp_path):
    path = tmp_path / "words.txt"
    path.write_text("云计算 5\n", encoding="utf8")
    nlp = make(PATTERNS)
    examples = [example(nlp, sentence) for sentence in SENTENCES]
    nlp.config["initialize"]["components"]["mtl_segmenter"] = {"user_words": str(path)}
    nlp.initialize(lambda: examples)
    assert list(segmenter_of(nlp).user_words) == ["云计算"]


def test_dictionary_is_kept_only_where_templates_read_it(nlp):
    assert "北京" in segmenter_of(nlp).cfg["lexicon"].split()
    assert not segmenter_of(train(make(PATTERNS), passes=1)).cfg["lexicon"]


def test_words_are_known_from_a_count_on():
    nlp = train(make(known=2), passes=1)
    words = [word for sentence in SENTENCES for word in sentence.split() if len(word) > 1]
    assert set(segmenter_of(nlp).cfg["lexicon"].split()) == {word for word in words if words.count(word) > 1}


# --- saving ---


def test_saved_and_copied_segmenters_cut_the_same(nlp, expected, tmp_path):
    nlp.to_disk(tmp_path)
    for other in (
        spacy.load(tmp_path),
        make().from_bytes(nlp.to_bytes()),
        pickle.loads(pickle.dumps(nlp)),
        copy.deepcopy(nlp),
    ):
        assert [words_of(doc) for doc in other.pipe(TEXTS)] == expected
    spacy.load(tmp_path).to_disk(tmp_path / "again")
    again = tmp_path / "again/mtl_segmenter/model"
    assert again.read_bytes() == (tmp_path / "mtl_segmenter/model").read_bytes()


def test_settings_come_from_the_file(nlp, tmp_path):
    segmenter_of(nlp).to_disk(tmp_path, exclude=["vocab"])
    with pytest.warns(UserWarning, match=r"^\[M758\].*tags = 'bie'"):
        other = segmenter_of(make(tags="bie", keep_runs=False)).from_disk(tmp_path, exclude=["vocab"])
    assert (other.labels, other.cfg["keep_runs"]) == (TAG_SETS["bmes"], True)


def test_sourced_segmenter(nlp, expected):
    other = spacy.blank("zh")
    other.add_pipe("mtl_segmenter", name="cut", source=make().from_bytes(nlp.to_bytes()))
    assert [words_of(doc) for doc in other.pipe(TEXTS)] == expected


def test_documents_of_another_vocabulary(nlp, expected):
    doc = segmenter_of(nlp)(Doc(Vocab(), words=[TEXTS[0]], spaces=[False]))
    assert words_of(doc) == expected[0]
