"""Settings of model files that no training writes are refused on load, whatever the checksum says, and change nothing."""

import pytest
import spacy

from ..models.rewriting import SAVED, Parts, load

pytestmark = pytest.mark.filterwarnings("ignore:.*W095")
PAIRS = ["我们", "学习", "北京"]


@pytest.fixture(scope="module")
def components():
    """The trained components by the name of their pipeline."""
    nlps = {
        name: spacy.load(SAVED / name, exclude=["tokenizer"])
        for name in ("entities", "tags", "words", "crossing-trees", "second-order-trees", "constituents")
    }
    return {name: nlp.pipeline[0][1] for name, nlp in nlps.items()}


def cfg(**changes):
    return lambda parts: parts.cfg.update(changes)


def rules(**changes):
    return lambda parts: parts.cfg["rules"].update(changes)


def header(**changes):
    return lambda parts: parts.header.update(changes)


def settings(**changes):
    return lambda parts: parts.header["settings"].update(changes)


def without(*path):
    def remove(parts):
        inside = parts.header
        for name in path[:-1]:
            inside = inside[name]
        del inside[path[-1]]

    return remove


def template(**changes):
    return lambda parts: parts.header["templates"][0].update(changes)


def relabelled(key, labels):
    """Other labels, in the settings and in the weights alike."""

    def change(parts):
        parts.cfg[key] = labels
        parts.header["labels"] = labels

    return change


EVERY = [
    (without("settings"), "the header lacks the entry 'settings'"),
    (without("labels"), "the header lacks the entry 'labels'"),
    (without("templates"), "the header lacks the entry 'templates'"),
    (without("arrays"), "the header lacks the entry 'arrays'"),
    (header(more=1), "the header has an unknown entry 'more'"),
    (header(kind="forest"), "kind of the header is 'forest'"),
    (header(settings=[]), "settings of the header is a list, not an object"),
    (header(labels={}), "labels of the header is an object"),
    (header(labels=[1]), "labels of the header has an item of type int"),
    (header(labels=["x", "x"]), "labels of the header has the same item twice"),
    (header(templates={}), "templates of the header is an object"),
    (header(templates=[None]), "a template does not have exactly the entries"),
    (header(labels=[], templates=[]), "too large for|entries on an axis of|no labels"),
    (without("settings", "cfg"), "the settings lacks the entry 'cfg'"),
    (settings(cfg=[]), "cfg of the settings is a list"),
    (settings(more=1), "the settings has an unknown entry 'more'"),
    (settings(learned=[]), "learned of the settings is a list"),
    (settings(learned={"WORD_SIZE": {}}), "learned of the settings has an unknown entry 'WORD_SIZE'"),
    (settings(learned={"USUAL_TAG": {"x": "ab"}}), "USUAL_TAG of learned of the settings has an item of type str, not a list"),
    (settings(learned={"CHAR_GROUP": {"x": [1]}}), "CHAR_GROUP of learned of the settings has an item of type int, not text"),
    (cfg(more=1), "cfg has an unknown entry 'more'"),
    (template(text=7), "text of a template has an item of type int"),
    (template(text="U0:%x["), "the template 'U0:%x\\[' is not valid"),
    (template(text="U0:%x[0,NEVER_HEARD_OF]"), "is not valid .*Unknown attribute 'NEVER_HEARD_OF'"),
    (template(text="U0:%x[101,ORTH]"), "is not valid"),
    (template(rows=1.0), "rows of a template has an item of type float"),
    (template(rows=True), "rows of a template has an item of type bool"),
    (template(rows=-1), "an item of rows of a template is -1"),
    (template(weight="1"), "weight of a template has an item of type str"),
    (template(norm=None), "norm of a template has an item of type NoneType"),
    (template(more=1), "a template does not have exactly the entries"),
]  # fmt: skip
CHAINS = [
    (template(text="U0:%h[0,ORTH]"), "looks at places that this kind of model does not have"),
    (template(text="U0:%x[0,WORD_BEGIN]"), "its templates read WORD_BEGIN, for which it has no table"),
    (template(text="U0:%x[0,CHAR_GROUP]"), "its templates read CHAR_GROUP, for which it has no table"),
]
LABELS = [
    (lambda key: without("settings", "cfg", key), "cfg lacks the entry"),
    (lambda key: cfg(**{key: "ABC"}), "is 'ABC', not a list of text"),
    (lambda key: cfg(**{key: [1, 2]}), "has an item of type int, not text"),
    (lambda key: cfg(**{key: []}), "its weights are not for the labels"),
    (lambda key: cfg(**{key: ["x"]}), "its weights are not for the labels"),
    (lambda key: cfg(**{key: ["x", "x"]}), "has the same item twice"),
    (lambda key: relabelled(key, ["x"]), "array|its weights are not for the labels"),
]  # fmt: skip
OWN = {
    "entities": [
        (cfg(scheme="bmewo"), "scheme of cfg is 'bmewo', not 'iob2' or 'biluo'"),
        (cfg(scheme=None), "scheme of cfg is null"),
        (cfg(scheme="iob2"), "its weights are not for the labels"),
        (header(kind="tree"), "array"),
    ],
    "tags": [
        (cfg(known={"。": [99]}), "an item of known of cfg is 99, not from 0 to 13"),
        (cfg(known={"。": [-1]}), "an item of known of cfg is -1"),
        (cfg(known={"。": [1.0]}), "known of cfg has an item of type float"),
        (cfg(known={"。": [True]}), "known of cfg has an item of type bool"),
        (cfg(known={"。": 3}), "known of cfg has an item of type int, not a list"),
        (cfg(known=[]), "known of cfg is a list"),
        (cfg(pos_map={"NOUN": "NAME"}), "an item of pos_map of cfg is 'NAME', not"),
        (cfg(pos_map={"NOUN": 92}), "an item of pos_map of cfg is 92, not"),
        (cfg(pos_map=["NOUN"]), "pos_map of cfg is a list"),
        (settings(learned={}), "its templates read USUAL_TAG, for which it has no table"),
    ],
    "words": [
        (cfg(breaks=[""] * 250 + PAIRS), "breaks of cfg has pairs for 253 values, not 7"),
        (cfg(breaks=["", *PAIRS * 3]), "breaks of cfg has pairs for 10 values, not 7"),
        (cfg(breaks=["", "我们学", "习"]), "breaks of cfg has half a pair"),
        (cfg(breaks=7), "breaks of cfg is 7, not a list of text"),
        (cfg(breaks=[7]), "breaks of cfg has an item of type int"),
        (cfg(tags="bmewo"), "tags of cfg is 'bmewo', not"),
        (cfg(tags="bie"), "its weights are not for the labels"),
        (cfg(keep_runs=1), "keep_runs of cfg is 1, not true or false"),
        (cfg(lexicon=["a"]), "lexicon of cfg is a list, not text"),
        (cfg(lexicon=None), "lexicon of cfg is null, not text"),
        (cfg(known={"。": [4]}), "an item of known of cfg is 4, not from 0 to 3"),
        (cfg(user_words=["a b"]), "user_words of cfg has a word with white space inside"),
        (cfg(user_words=[None]), "user_words of cfg has an item of type NoneType"),
        (cfg(user_words_role="laws"), "user_words_role of cfg is 'laws', not 'hint'"),
        (cfg(user_words_weight=-1.0), "user_words_weight of cfg is -1.0, not a number from 0"),
        (cfg(user_words="ab"), "user_words of cfg is 'ab', not a list of text"),
        (settings(learned={}), "its templates read CHAR_GROUP, for which it has no table"),
        (template(text="U00:%x[0,TAG]"), "its templates read TAG, which characters do not have"),
        (template(text="U00:%x[0,DOC_COUNT]"), "its templates read DOC_COUNT, which characters do not have"),
    ],
    "crossing-trees": [
        (rules(margin="x"), "margin of rules of cfg is 'x', not a number"),
        (rules(margin=-1), "margin of rules of cfg is -1"),
        (rules(margin=10**400), "margin of rules of cfg is a huge number"),
        (rules(margin=True), "margin of rules of cfg is true"),
        (rules(margin=None), "no attribute or no margin"),
        (rules(filter_attr=None), "no attribute or no margin"),
        (rules(filter_attr="NEVER"), "its filter reads the attribute 'NEVER', which there is not"),
        (rules(filter_attr="WORD_END"), "its templates read WORD_END, for which it has no table"),
        (rules(projective=1), "projective of rules of cfg is 1, not true or false"),
        (rules(single_root="no"), "single_root of rules of cfg is 'no'"),
        (rules(labelling="third_pass"), "labelling of rules of cfg is 'third_pass'"),
        (rules(labelling="joint"), "templates look at dependents"),
        (rules(labelling="none"), "its weights are not for the labels"),
        (rules(support="some"), "support of rules of cfg is 'some'"),
        (rules(label_cost="1"), "label_cost of rules of cfg is '1'"),
        (rules(more=1), "rules of cfg has an unknown entry 'more'"),
        (without("settings", "cfg", "rules", "support"), "rules of cfg lacks the entry 'support'"),
        (template(text="U0:%x[0,TAG]"), "looks at places that this kind of model does not have"),
        (template(text="U1:%h[0,TAG]/%m[0,TAG]/%d"), "its templates do not fit each other"),
        (template(text="U0:%m[0,TAG]/%d/%d"), "its templates do not fit each other"),
        (header(kind="chain"), "array"),
    ],
    "constituents": [
        (cfg(labels=["NP", "NP"]), "labels of cfg has the same item twice"),
        (cfg(labels=["S+VP"]), "labels of cfg has 'S\\+VP', which cannot be the label of a constituent"),
        (cfg(labels=[""]), "labels of cfg has '', which cannot be the label of a constituent"),
        (cfg(tags=["NN"]), "word_scores has .* lines, not one for each of 1 tags and one more"),
        (cfg(tags=[1]), "tags of cfg has an item of type int"),
        (cfg(margin=-1), "margin of cfg is -1, not a number from 0 to 100"),
        (cfg(margin=1e9), "margin of cfg is 1000000000.0"),
        (cfg(margin=None), "margin of cfg is null"),
        (cfg(symbols=[]), "its weights are not for the labels"),
        (cfg(more=1), "cfg has an unknown entry 'more'"),
        (without("settings", "cfg", "symbols"), "cfg lacks the entry 'symbols'"),
        (template(text="U0:%x[0,TAG]"), "looks at places that this kind of model does not have"),
        (template(text="U0:%k[0,TAG]"), "its templates do not fit each other"),
        (template(text="U0:%i[0,NEVER]"), "is not valid"),
        (template(text="U0:%i[0,WORD_END]"), "its templates read WORD_END, for which it has no table"),
        (header(kind="tree"), "array"),
    ],
}  # fmt: skip
KEYS = {"entities": "entity_types", "tags": "tags", "crossing-trees": "labels", "constituents": "symbols"}
CASES = [(name, change, fault) for name in OWN for change, fault in EVERY]
CASES += [(name, change, fault) for name in ("entities", "tags") for change, fault in CHAINS]
CASES += [(name, make(key), fault) for name, key in KEYS.items() for make, fault in LABELS]
CASES += [(name, change, fault) for name, cases in OWN.items() for change, fault in cases]


@pytest.mark.parametrize(("name", "change", "fault"), CASES, ids=[f"{name}-{fault[:60]}" for name, _, fault in CASES])
def test_setting_is_refused_and_nothing_changes(components, name, change, fault):
    component, parts = components[name], Parts.of(name)
    before = component.to_bytes()
    change(parts)
    with pytest.raises(
        ValueError, match=rf"^\[M610\] The serialized component '\w+' is not a valid model: [^\n{{]*({fault})"
    ):
        load(component, parts.to_bytes())
    assert component.to_bytes() == before


@pytest.mark.parametrize("name", OWN)
def test_files_as_they_were_saved_are_loaded(components, name):
    parts = Parts.of(name)
    load(components[name], parts.to_bytes())
    parts.header["templates"][0]["weight"] = 1  # whole numbers are numbers
    load(components[name], parts.to_bytes())


def test_entries_that_came_later_may_be_missing(components):
    parts = Parts.of("words")
    for name in ("known", "user_words_role", "user_words_weight"):
        parts.cfg.pop(name, None)
    load(components["words"], parts.to_bytes())
    assert components["words"].cfg["known"] == {}
    assert components["words"].user_words.role == "hint"
    parts = Parts.of("entities")
    del parts.header["kind"], parts.header["settings"]["learned"]
    load(components["entities"], parts.to_bytes())


def test_user_words_that_are_too_long_today_are_left_out(components):
    parts = Parts.of("words")
    parts.cfg["user_words"] = ["北" * 65, "北京"]
    assert list(load(components["words"], parts.to_bytes()).user_words) == ["北京"]


@pytest.mark.parametrize("found", [None, 7, {}, "MTLTagger", "x" * 10**6])
def test_model_of_another_component_is_named_in_one_short_line(components, found):
    parts = Parts.of("entities")
    parts.header["settings"]["component"] = found
    with pytest.raises(ValueError, match=r"^\[M604\] ") as info:
        load(components["entities"], parts.to_bytes())
    assert len(str(info.value)) < 300
