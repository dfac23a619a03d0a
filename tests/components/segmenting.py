"""A small segmentation corpus and pipelines trained on it. Made up for these tests."""

import numpy as np
import spacy
from spacy.tokens import Doc
from spacy.training import Example

import spacy_mtl.components.tokenizer  # noqa: F401 (registers the tokenizer)
from spacy_mtl.components.segmenter import MTLSegmenter

#: MTLStruct as in the paper, which drops templates; the default settings do not.
PLAIN = {"@mtl_trainers": "spacy_mtl.MTLStruct.v1", "p": 1.0, "C": 1.0, "average": 1}
SENTENCES = """
我们 昨天 在 北京 大学 学习 中文 。
他们 今天 去 上海 参观 博物馆 。
老师 喜欢 学生 在 图书馆 学习 。
北京 的 博物馆 很 大 。
我 在 ２００８ 年 ８ 月 去 了 北京 。
上海 大学 的 学生 昨天 来 北京 参观 。
他 今天 在 图书馆 喜欢 看 ＤＶＤ 。
中文 老师 说 ： “ 大家 好 ！ ”
温度 是 ３．１４ 度 ， 我们 很 高兴 。
我们 的 图书馆 在 大学 的 北京 校区 。
""".strip().splitlines()
TEXTS = ["我们昨天在上海大学学习。", "老师在北京！", "他们去图书馆 看 iPhone15 和 www.example.com 。", "价格是3.14元"]
PATTERNS = ["U0:%x[0,CHAR]", "U1:%x[-1,CHAR]/%x[0,CHAR]", "U2:%x[0,CHAR]/%x[1,CHAR]", "U3:%x[0,CHAR_CLASS]", "B"]
LEFT, RIGHT = "甲乙丙丁戊己庚辛", "东南西北上下左右"


def pairs(seed=0, n=600):
    """Texts of two characters, one of LEFT and one of RIGHT."""
    random = np.random.default_rng(seed)
    return [LEFT[i] + RIGHT[j] for i, j in random.integers(0, 8, (n, 2))]


#: Enough to learn groups of characters from.
LONG = [" ".join(text) for text in pairs(n=90)] + SENTENCES


def words_of(doc) -> list[str]:
    return [token.text for token in doc]


def example(nlp, sentence, text=None) -> Example:
    """Words with blanks between them; the predicted Doc has ``text``, the words' by default."""
    words = sentence.split()
    reference = Doc(nlp.vocab, words=words, spaces=[False] * len(words))
    return Example(nlp.make_doc(reference.text if text is None else text), reference)


def make(texts=None, trainer=None, name="mtl_segmenter", **config):
    """A blank Chinese pipeline with a segmenter; with ``texts`` as its templates."""
    nlp = spacy.blank("zh")
    templates = {"@mtl_templates": "spacy_mtl.seg.v1"}
    if texts:
        templates = {"@mtl_templates": "spacy_mtl.patterns.v1", "patterns": texts}
    trainer = trainer or {}
    trainer = trainer if "@mtl_trainers" in trainer else {**PLAIN, **trainer}
    nlp.add_pipe("mtl_segmenter", name=name, config={"model": {"templates": templates}, "trainer": trainer, **config})
    return nlp


def train(nlp, sentences=SENTENCES, passes=8):
    examples = [example(nlp, sentence) for sentence in sentences]
    nlp.initialize(lambda: examples)
    for _ in range(passes):
        nlp.update(examples)
    return nlp


def segmenter_of(nlp) -> MTLSegmenter:
    return nlp.pipeline[0][1]
