"""Which tokens are several words, from those of a corpus."""

import random

import pytest

import spacy_mtl.treebanks.splitting.learn as learning
from spacy_mtl.stored.fault import StoredValueError
from spacy_mtl.treebanks.splitting.rules import NAMES, Rule, Rules, known_word, observed, rule_of, rules_of
from spacy_mtl.treebanks.splitting.splitter import MOST_RULES, Splitter

TOKENS = [
    ("al", ["a", "el"]),
    ("al", ["a", "el"]),
    ("del", ["de", "el"]),
    ("del", ["del"]),
    ("del", ["de", "el"]),
    ("verlo", ["ver", "lo"]),
    ("hacerlo", ["hacer", "lo"]),
    ("dilo", ["dilo"]),
    ("hilo", ["hilo"]),
    ("vámonos", ["vamos", "nos"]),
    ("mar", ["mar"]),
]


def learn(tokens, tag=""):
    return learning.learn((form, words, tag) for form, words in tokens)


def by_rules(*rules):
    """A splitter that takes any of these rules wherever one applies."""
    names = ["\t".join(rule) for rule in rules]
    return Splitter(rules=[list(rule) for rule in rules], weights={"rule": dict.fromkeys(names, 1.0)})


@pytest.fixture
def splitter():
    return learn(TOKENS)


def test_known_forms_are_split_as_usual(splitter):
    for form, words in TOKENS:
        if (form, words) != ("del", ["del"]):
            assert splitter.split(form) == words


def test_forms_that_were_not_seen(splitter):
    """ "-erlo" is split, "-ilo" is not, and case does not matter."""
    assert splitter.split("comerlo") == ["comer", "lo"]
    assert splitter.split("COMERLO") == ["COMER", "lo"]
    assert splitter.split("vilo") == ["vilo"]
    assert splitter.split("lo") == ["lo"]
    assert splitter.split("tomar") == ["tomar"]
    assert splitter.split("Al") == ["A", "el"]


NOUNS = ("bayt", "kalb", "shams", "qamar", "bab", "nahr", "jabal", "bahr", "zayt", "milh", "khubz", "sadiq")


def test_words_at_the_beginning():
    """As in Arabic: "wa" and "bi" stand before a word and are written together with it, "hu" behind it."""
    words = [(noun, [noun]) for noun in (*NOUNS, "madina", "walad")]
    found = learn(
        [*words, ("wazir", ["wazir"]), ("bint", ["bint"])]
        + [(f"wa{noun}", ["wa", noun]) for noun in NOUNS[:4]]
        + [(f"wabi{noun}", ["wa", "bi", noun]) for noun in NOUNS[4:8]]
        + [(f"bi{noun}hu", ["bi", noun, "hu"]) for noun in NOUNS[8:]]
    )
    assert found.split("wamadina") == ["wa", "madina"]
    assert found.split("WAbimadina") == ["wa", "bi", "madina"]
    assert found.split("bimadinahu") == ["bi", "madina", "hu"]
    assert found.split("walad") == ["walad"]
    assert found.split("wa") == ["wa"]
    assert Splitter.from_dict(found.to_dict(), "it") == found
    assert not found.forms


def test_rules_about_beginnings():
    own, other = rules_of("Wabayt", ["wa", "Bayt"])
    assert (own, other) == (rule_of("Wabayt", ["wa", "Bayt"]), Rule("", "", (), "wa", ("wa",)))
    assert other.apply("Washams") == ["wa", "shams"]
    assert [rule.fits("wax") for rule in (other, Rule("x", "", (), "wa", ("wa",)))] == [True, False]
    assert other.name != own.name
    seen = dict(zip(NAMES, observed("washams", other, "0"), strict=True))
    assert (seen["end of stem 2"], seen["end of form 3"], seen["length of ending"]) == ("^sh", "^was", "2+0")


def test_a_file_from_before_rules_had_beginnings():
    found = learn(TOKENS)
    data = found.to_dict()
    assert data.pop("fronts") == []
    assert Splitter.from_dict(data, "it") == found


WORDS = ("ev", "kent", "dil", "hava", "renk", "tuz")


def test_a_stem_that_is_a_word_is_a_reason_to_split():
    """As in Turkish: "tuzlu" is split since there is "tuz"; of a form, its own stem is no proof."""
    words = [(word, [word]) for word in (*WORDS, "ses")]
    split = [(f"{word}lu", [word, "lu"]) for word in WORDS]
    whole = [(f"{word}lu", [f"{word}lu"]) for word in ("gür", "hoş", "mut", "kork", "bül", "sün")]
    found = learn([*words, *split, *whole])
    assert found.split("seslu") == ["ses", "lu"]
    assert found.split("zırlu") == ["zırlu"]


def test_the_tag_of_a_stem_is_a_reason():
    words = [(word, [word], "NOUN") for word in (*WORDS, "ses")] + [
        (word, [word], "VERB") for word in ("gel", "git", "kal", "bak", "ol", "var")
    ]
    split = [(f"{word}lu", [word, "lu"], "NOUN") for word in WORDS]
    whole = [(f"{word}lu", [f"{word}lu"], "ADJ") for word in ("gel", "git", "kal", "bak", "ol")]
    found = learning.learn([*words, *split, *whole])
    assert found.split("seslu") == ["ses", "lu"]
    assert found.split("varlu") == ["varlu"]


def test_what_is_seen_of_a_form_and_a_rule():
    rule = Rule("ámonos", "amos", ("nos",))
    assert rule_of("Vámonos", ["Vamos", "nos"]) == rule
    assert rule.apply("VÁMONOS") == ["Vamos", "nos"]
    seen = dict(zip(NAMES, observed("vámonos", rule, known_word(3, "VERB")), strict=True))
    assert (seen["known"], seen["tag"], seen["known tag"]) == ("2", "VERB", "2VERB")
    assert (seen["end of stem 3"], seen["end of form 2"], seen["length of stem"]) == ("mos", "os", "5")
    assert (seen["length of ending"], seen["rule, end of stem 1"]) == ("6", "ámonos\tamos\tnos\t\ts")
    assert [known_word(n, "X") for n in (0, 1, 2, 4, 9)] == ["0", "1X", "2X", "3X", "3X"]


def test_rules_that_apply():
    rules = [Rule("a", "", ("b",)), Rule("ba", "", ("c",)), Rule("", "", ("d",)), Rule("a", "x", ("b",))]
    assert Rules(rules).of("cba") == [rules[2], rules[0], rules[3], rules[1]]
    assert Rules(rules).of("ba") == [rules[2], rules[0], rules[3]]
    assert Rules([]).of("a") == []


def test_a_form_in_another_case_is_split_as_the_one_that_is_kept():
    """Where the rules are wrong about a form, they are wrong about it in capitals."""
    tokens = [(form, [form[:-1], "lo"]) for form in ("bax", "cax", "dax", "fax")] + [("gax", ["gax"])] * 3
    found = learn(tokens)
    found.forms = {"gax": ["gax"], "bax": ["b", "x"]}
    assert (found.split("Gax"), found.split("Bax"), found.split("hax")) == (["Gax"], ["B", "x"], ["ha", "lo"])


def test_words_whose_letters_change(splitter):
    assert splitter.split("sentémonos") == ["sentémonos"]
    assert learn([("dámelo", ["da", "me", "lo"])]).split("dámelo") == ["da", "me", "lo"]
    found = learn([("zum", ["zu", "dem"]), ("dumm", ["dumm"])])
    assert found.split("vum") == ["vu", "dem"]
    assert found.split("zumm") == ["zumm"]


def test_whole_tokens_are_never_cut_to_nothing():
    """The first word keeps at least one letter of a form that was not seen; "İ" becomes two letters in lower case."""
    found = learn([("xlo", ["x", "lo"]), ("ylo", ["y", "lo"])])
    assert found.split("lo") == ["lo"]
    assert found.split("İlo") == ["İlo"]
    assert learn([("İlo", ["İ", "lo"])]).split("İlo") == ["İ", "lo"]
    assert learn([]).split("a") == ["a"]


def test_what_the_rules_say_is_not_kept_as_well(splitter):
    assert "verlo" not in splitter.forms
    assert "mar" not in splitter.forms
    assert Splitter.from_dict(splitter.to_dict(), "it") == splitter


def test_a_token_of_one_word_keeps_its_form():
    """A range may be of a single word of another form, which is not what splitting is for."""
    found = learn([("y", ["x"]), ("al", ["a", "el"])])
    assert found.split("y") == ["y"]
    assert found.forms == {}


@pytest.mark.parametrize(
    "token", [("y", ["a"] * 17), ("y", ["a", "b" * 101]), ("y" * 101, ["a", "b"]), ("y\t", ["a", "b"])]
)
def test_what_no_file_may_have_is_not_learnt(token):
    found = learn([token])
    assert found.split(token[0]) == [token[0]]
    assert Splitter.from_dict(found.to_dict(), "it") == found


def test_words_that_end_in_white_space():
    found = learn([("a-", ["a\u3000", "b"])])
    assert found.split("a-") == ["a\u3000", "b"]
    assert Splitter.from_dict(found.to_dict(), "it") == found


def test_tokens_with_other_white_space_are_not_split():
    assert by_rules(("", "", "b")).split("a\n") == ["a\n"]
    assert by_rules(("", "", "b")).split("x\ta") == ["x\ta"]
    assert by_rules(("", "", "b")).split("x a") == ["x a", "b"]
    assert by_rules(("a", "", "b")).split("\u3000a") == ["\u3000a"]
    assert by_rules(("a", "", "b")).split("a") == ["a"]
    assert by_rules(("", "", "b")).split("x" * 101) == ["x" * 101]


def test_letters_that_depend_on_what_comes_before_them():
    """A sigma in lower case at the end of a word is another than one alone."""
    found = learn([("ΟΔΟΣΤΟΣ", ["ΟΔΟΣΤ", "ΟΣ"]), ("ΑΝΔΡΟΣ", ["ΑΝΔΡ", "ΟΣ"])])
    assert found.forms == {}
    assert found.split("ΛΟΓΟΣ") == ["ΛΟΓ", "ΟΣ"]


def test_every_form_of_a_random_corpus_is_split_as_usual():
    draw = random.Random(2)
    usual = {}
    for _ in range(400):
        form = "".join(draw.choices("abAB", k=draw.randint(1, 10)))
        cut = draw.randint(1, len(form))
        usual[form] = (
            [form[:cut] + draw.choice(["", "a"]), *draw.choices(["a", "bb"], k=draw.randint(1, 2))]
            if draw.random() < 0.4
            else [form]
        )
    found = learn(usual.items())
    assert {form: found.split(form) for form in usual} == usual
    assert len(found.forms) < len(usual)


GOOD = {"forms": {}, "rules": [], "known": {}, "weights": {}}


@pytest.mark.parametrize(
    "change",
    [
        {"forms": {"a": []}},
        {"forms": {"a": ["", "b"]}},
        {"forms": {"a": [1]}},
        {"forms": {"y": ["x"]}},
        {"forms": {"y\t": ["a", "b"]}},
        {"forms": {"y": ["a", "b\n"]}},
        {"forms": {"y": ["a"] * 17}},
        {"forms": {"y": ["a", "\u3000"]}},
        {"forms": {"y": ["a", "b" * 101]}},
        {"rules": [["a", ""]]},
        {"fronts": [["a", "b"]]},
        {"rules": [["", ""]], "fronts": [["a"]]},
        {"rules": [["", ""]], "fronts": [["", "b"]]},
        {"rules": [["", ""]], "fronts": [["a" * 9, "b"]]},
        {"rules": [["", ""]], "fronts": [["a", "b\n"]]},
        {"rules": [["", ""]], "fronts": [["a", *"b" * 16]]},
        {"rules": [["", ""]] * (MOST_RULES + 1), "fronts": [["a", "b"]] * (MOST_RULES + 1)},
        {"rules": [["a"]]},
        {"rules": [[]]},
        {"rules": ["ab"]},
        {"rules": [["a", "", ""]]},
        {"rules": [["a", "", *["b"] * 16]]},
        {"rules": [["a", "b" * 101, "b"]]},
        {"rules": [["a", "\n", "b"]]},
        {"rules": [["a", "", "b\r"]]},
        {"rules": [["a" * 9, "", "b"]]},
        {"rules": [["a", "", f"b{k}"] for k in range(MOST_RULES + 1)]},
        {"known": {"a": 1}},
        {"weights": {"rule": {"a": "1"}}},
        {"weights": {"rule": {"a": 1e7}}},
        {"weights": {"rule": 1.0}},
        {"more": 1},
    ],
)
def test_damaged_data_is_refused(change):
    Splitter.from_dict(GOOD, "it")
    with pytest.raises(StoredValueError):
        Splitter.from_dict({**GOOD, **change}, "it")


@pytest.mark.parametrize("lacking", GOOD)
def test_what_lacks_a_part_is_refused(lacking):
    with pytest.raises(StoredValueError):
        Splitter.from_dict({name: value for name, value in GOOD.items() if name != lacking}, "it")


def test_most_rules_of_one_ending_are_kept():
    """Those of most forms."""
    tokens = [
        (f"{chr(97 + k // 26)}{chr(97 + k % 26)}x", [f"{chr(97 + k // 26)}{chr(97 + k % 26)}", f"w{k}"])
        for k in range(MOST_RULES + 9)
    ]
    found = learn([*tokens, ("zzx", ["zz", f"w{MOST_RULES + 8}"])])
    assert len(found.rules) == MOST_RULES
    assert found.rules[0] == ["x", "", f"w{MOST_RULES + 8}"]
    assert {form: found.split(form) for form, _ in tokens} == dict(tokens)
    assert Splitter.from_dict(found.to_dict(), "it") == found
