"""The corpus in assets/ is what its README says it is."""

import re
from itertools import combinations
from pathlib import Path

import pytest
import spacy
from spacy.parts_of_speech import IDS as UNIVERSAL

from spacy_mtl.corpora.columns import read_columns
from spacy_mtl.corpora.segmented import SegmentedCorpus, read_segmented

CORPUS = Path(__file__).parents[1] / "assets" / "es-entities"
LEAST = {"train": 250, "dev": 60, "test": 80}
TYPES = {"PER", "LOC", "ORG", "MISC"}


def read(split):
    """Sentences as lists of (word, tag, entity tag)."""
    sentences = read_columns(CORPUS / f"{split}.conll", ["ORTH", "TAG", "ENT"])
    return [list(zip(s.words, s.fields["TAG"], s.fields["ENT"], strict=True)) for s in sentences]


SPLITS = {split: read(split) for split in LEAST}


def entities(sentence):
    """(type, words) of each entity of an IOB2 sentence."""
    found = []
    for word, _, tag in sentence:
        if tag.startswith("B-"):
            found.append((tag[2:], [word]))
        elif tag.startswith("I-"):
            found[-1][1].append(word)
    return [(kind, " ".join(words)) for kind, words in found]


def masked(sentence):
    """The sentence with each entity replaced by its type."""
    return tuple(tag[2:] if tag[0] == "B" else word for word, _, tag in sentence if tag[0] != "I")


def shared(what):
    """What occurs in more than one split; ``what`` gives the set of a split's sentences."""
    sets = {split: what(sentences) for split, sentences in SPLITS.items()}
    return {(a, b): sorted(sets[a] & sets[b]) for a, b in combinations(sets, 2) if sets[a] & sets[b]}


@pytest.mark.parametrize("split", SPLITS)
def test_every_line_has_three_columns(split):
    lines = (CORPUS / f"{split}.conll").read_text(encoding="utf8").splitlines()
    assert {len(line.split(" ")) for line in lines if line} == {3}


@pytest.mark.parametrize("split", SPLITS)
def test_tags_are_universal_and_entities_iob2(split):
    assert len(SPLITS[split]) >= LEAST[split]
    for sentence in SPLITS[split]:
        assert {tag for _, tag, _ in sentence} <= UNIVERSAL.keys() - {"", "EOL", "SPACE"}
        previous = "O"
        for _, _, tag in sentence:
            assert tag == "O" or (tag[:2] in ("B-", "I-") and tag[2:] in TYPES)
            assert tag[:1] != "I" or previous[2:] == tag[2:]
            previous = tag


@pytest.mark.parametrize("split", SPLITS)
def test_every_type_and_plain_sentences_occur(split):
    kinds = [{kind for kind, _ in entities(sentence)} for sentence in SPLITS[split]]
    assert set.union(*kinds) == TYPES
    assert set() in kinds


def test_sentences_are_natural_in_length_and_distinct():
    lengths = [len(sentence) for sentences in SPLITS.values() for sentence in sentences]
    assert min(lengths) >= 3
    assert max(lengths) <= 60
    texts = [tuple(word for word, _, _ in sentence) for sentences in SPLITS.values() for sentence in sentences]
    assert len(set(texts)) == len(texts)


def test_splits_share_no_sentence_no_pattern_and_no_entity():
    assert shared(lambda sentences: {tuple(word for word, _, _ in s) for s in sentences}) == {}
    assert shared(lambda sentences: {masked(s) for s in sentences}) == {}
    assert shared(lambda sentences: {text.lower() for s in sentences for _, text in entities(s)}) == {}


def test_readme_states_licence_and_true_counts():
    text = (CORPUS / "README.md").read_text(encoding="utf8")
    assert "CC0" in text
    for split, sentences in SPLITS.items():
        counts = [len(sentences), sum(map(len, sentences)), sum(len(entities(s)) for s in sentences)]
        row = next(line for line in text.splitlines() if line.startswith(f"| `{split}.conll`"))
        assert row.split("|")[3:6] == [f" {count:,} " for count in counts]


# --- Chinese words ---

WORDS = Path(__file__).parents[1] / "assets" / "zh-words"
SIZES = {"train": 220, "dev": 40, "test": 40}
PUNCTUATION = "，。、？！：（）《》“”"


def read_words(split):
    return [line.split("  ") for line in (WORDS / f"{split}.txt").read_text(encoding="utf8").splitlines()]


SEGMENTED = {split: read_words(split) for split in SIZES}
ALL_SEGMENTED = [sentence for sentences in SEGMENTED.values() for sentence in sentences]


@pytest.mark.parametrize("split", SIZES)
def test_segmented_files_have_two_spaces_between_words(split):
    data = (WORDS / f"{split}.txt").read_bytes()
    assert data.endswith(("。\n".encode(), "”\n".encode()))
    assert b"\r" not in data
    assert not data.startswith(b"\xef\xbb\xbf")
    assert len(SEGMENTED[split]) == SIZES[split]
    assert all(word and word == word.strip() for sentence in SEGMENTED[split] for word in sentence)
    assert list(read_segmented(WORDS / f"{split}.txt")) == SEGMENTED[split]


def test_segmented_words_are_chinese_latin_numbers_or_one_mark():
    word = re.compile(rf"[\u4e00-\u9fff]+|[A-Za-z][A-Za-z-]*|\d+(\.\d+)?%?|\d+[年月日]|℃|……|——|[{PUNCTUATION}]")
    strange = {w for sentence in ALL_SEGMENTED for w in sentence if not word.fullmatch(w)}
    assert strange == set()


def test_segmented_sentences_are_natural_in_length_and_distinct():
    lengths = [len("".join(sentence)) for sentence in ALL_SEGMENTED]
    assert min(lengths) >= 8
    assert max(lengths) <= 50
    assert len({"".join(sentence) for sentence in ALL_SEGMENTED}) == len(ALL_SEGMENTED) == 300


def test_no_word_is_cut_elsewhere():
    known = {word for sentence in ALL_SEGMENTED for word in sentence}
    longest = max(map(len, known))
    for sentence in ALL_SEGMENTED:
        for i in range(len(sentence)):
            for end in range(i + 2, min(len(sentence), i + longest) + 1):
                assert "".join(sentence[i:end]) not in known, " ".join(sentence)


def test_words_readme_states_licence_and_true_counts():
    text = (WORDS / "README.md").read_text(encoding="utf8")
    assert "CC0" in text
    known = {word for sentence in SEGMENTED["train"] for word in sentence}
    for split, sentences in SEGMENTED.items():
        words = [word for sentence in sentences for word in sentence]
        unknown = sum(word not in known for word in words) / len(words)
        counts = [f"{len(sentences)}", f"{len(words):,}", f"{sum(map(len, words)):,}"]
        row = next(line for line in text.splitlines() if line.startswith(f"| `{split}.txt`"))
        assert [cell.strip() for cell in row.split("|")[2:6]] == [
            *counts,
            "" if split == "train" else f"{100 * unknown:.1f}%",
        ]


def test_examples_of_the_words_readme_are_in_the_corpus():
    text = (WORDS / "README.md").read_text(encoding="utf8")
    rows = [line.split("|") for line in text[text.index("## What is a word") :].splitlines() if line.startswith("| ")]
    known = {word for sentence in ALL_SEGMENTED for word in sentence}
    joined = [f" {' '.join(sentence)} " for sentence in ALL_SEGMENTED]
    one = [example for row in rows for example in re.findall(r"[\u4e00-\u9fff]+", row[2])]
    several = [example for row in rows for example in re.findall(r"[\u4e00-\u9fff\d]+(?: [\u4e00-\u9fff℃]+)+", row[3])]
    assert len(one) > 40
    assert len(several) > 25
    assert [example for example in one if example not in known] == []
    assert [example for example in several if not any(f" {example} " in sentence for sentence in joined)] == []


def test_a_segmenter_learns_from_the_corpus_and_is_scored():
    nlp = spacy.blank("zh")
    scorer = {"@scorers": "spacy_mtl.bakeoff_scorer.v1", "lexicon": str(WORDS / "train.txt")}
    nlp.add_pipe("mtl_segmenter", config={"scorer": scorer, "trainer": {"C": 1.0, "p": 4 / 3, "inner_passes": 8}})
    examples = list(SegmentedCorpus(WORDS / "train.txt")(nlp))
    nlp.initialize(lambda: examples)
    nlp.update(examples)
    scores = nlp.evaluate(list(SegmentedCorpus(WORDS / "dev.txt")(nlp)))
    assert scores["seg_f"] > 0.85
    assert scores["seg_r_iv"] > scores["seg_r_oov"] > 0.2
    assert scores["seg_oov"] == pytest.approx(0.059, abs=5e-4)


# --- the same sentences with tags and entities ---

CHINESE_TYPES = {"PER", "LOC", "MISC", "TIME"}


def read_tagged(split):
    """Sentences as lists of (word, tag, entity tag)."""
    sentences = read_columns(WORDS / f"{split}.conll", ["ORTH", "TAG", "ENT"])
    return [list(zip(s.words, s.fields["TAG"], s.fields["ENT"], strict=True)) for s in sentences]


TAGGED = {split: read_tagged(split) for split in SIZES}


@pytest.mark.parametrize("split", SIZES)
def test_tagged_sentences_are_the_segmented_ones(split):
    assert [[word for word, _, _ in sentence] for sentence in TAGGED[split]] == SEGMENTED[split]


@pytest.mark.parametrize("split", SIZES)
def test_chinese_tags_are_universal_and_entities_iob2(split):
    for sentence in TAGGED[split]:
        assert {tag for _, tag, _ in sentence} <= UNIVERSAL.keys() - {"", "EOL", "SPACE"}
        previous = "O"
        for _, _, tag in sentence:
            assert tag == "O" or (tag[:2] in ("B-", "I-") and tag[2:] in CHINESE_TYPES)
            assert tag[:1] != "I" or previous[2:] == tag[2:]
            previous = tag
    found = {kind for sentence in TAGGED[split] for kind, _ in entities(sentence)}
    assert found == CHINESE_TYPES - ({"PER"} if split == "dev" else set())


def test_marks_are_punctuation_and_names_are_proper_nouns():
    tokens = [token for sentences in TAGGED.values() for sentence in sentences for token in sentence]
    for word, tag, entity in tokens:
        assert (tag == "PUNCT") == (word in {*PUNCTUATION, "……", "——"}), word
        assert tag != "PROPN" or entity != "O", word
        assert not (entity.startswith("B-") and entity[2:] != "TIME") or tag == "PROPN", word


def test_closed_classes_are_tagged_as_the_readme_says():
    """Words that take one tag wherever they stand."""
    tags = {}
    for sentences in TAGGED.values():
        for sentence in sentences:
            for word, tag, _ in sentence:
                tags.setdefault(word, set()).add(tag)
    for tag, words in {
        "PART": "的 们 吗 吧 啊",
        "AUX": "是 着",
        "ADP": "里 上 中 以后 从 比",
        "SCONJ": "因为 如果",
    }.items():
        assert {word for word in words.split() if tags[word] != {tag}} == set()
    assert tags["了"] == {"AUX", "PART", "VERB"}
    assert sum(len(found) > 1 for found in tags.values()) == 31


def test_counts_of_the_tagged_corpus_are_true():
    text = (WORDS / "README.md").read_text(encoding="utf8")
    known = {word for sentence in TAGGED["train"] for word, _, _ in sentence}
    for split, sentences in TAGGED.items():
        n_entities = sum(len(entities(sentence)) for sentence in sentences)
        unknown = sum(word not in known for sentence in sentences for word, _, _ in sentence)
        row = next(line for line in text.splitlines() if line.startswith(f"| `{split}.conll`"))
        counts = [str(n_entities), "" if split == "train" else str(unknown)]
        assert [cell.strip() for cell in row.split("|")[2:4]] == counts
