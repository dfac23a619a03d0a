import pickle
import subprocess
import sys

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from spacy_mtl.templates.grammar import (
    MOST_OBSERVATIONS,
    Observation,
    Template,
    TemplateSet,
    parse_template,
    parse_templates,
)
from spacy_mtl.templates.scanner import Scanner

OBSERVATIONS = st.builds(
    Observation,
    offset=st.integers(-100, 100),
    attr=st.from_regex(r"[A-Za-z_][A-Za-z0-9_.-]{0,8}", fullmatch=True),
)
NAMES = st.from_regex(r"[A-Za-z0-9_-]{0,6}", fullmatch=True)
NODES = st.builds(Template, NAMES.map("U{}".format), st.lists(OBSERVATIONS, min_size=1, max_size=5).map(tuple))
EDGES = st.builds(Template, NAMES.map("B{}".format), st.lists(OBSERVATIONS, max_size=3).map(tuple))
TEMPLATES = NODES | EDGES
SETS = st.builds(
    TemplateSet,
    st.lists(
        TEMPLATES, min_size=1, max_size=6, unique_by=(lambda t: t.name, lambda t: (t.is_edge, t.observations))
    ).map(tuple),
    st.integers(1, 9),
)


def error_of(function, *args) -> str:
    with pytest.raises(ValueError, match=r"^\[M\d+\] ") as info:
        function(*args)
    return str(info.value)


# --- one template ---


@given(TEMPLATES)
def test_text_parses_back_to_the_template(template):
    assert parse_template(template.text) == template


@given(TEMPLATES, st.data())
def test_spaces_between_signs_change_nothing(template, data):
    signs = [template.name]
    for i, obs in enumerate(template.observations):
        signs += ["/" if i else ":", "%x", "[", str(obs.offset), ",", obs.attr, "]"]
    spaces = [data.draw(st.sampled_from(["", " ", "\t", "  \t"])) for _ in range(len(signs) + 1)]
    text = spaces[0] + "".join(sign + space for sign, space in zip(signs, spaces[1:], strict=True))
    assert parse_template(text) == template


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("B", Template("B", ())),
        ("B00", Template("B00", ())),
        ("B01:%x[0,ORTH]", Template("B01", (Observation(0, "ORTH"),))),
        ("U03:%x[-1,LOWER]/%x[0,TAG]", Template("U03", (Observation(-1, "LOWER"), Observation(0, "TAG")))),
        ("U_é-1:%x[+1,PREFIX3]", Template("U_é-1", (Observation(1, "PREFIX3"),))),
        ("U:%x[-0,my_pkg.title.v1]", Template("U", (Observation(0, "my_pkg.title.v1"),))),
        ("U:%x[007,A]/%x[-100,A]/%x[100,A]", Template("U", tuple(Observation(i, "A") for i in (7, -100, 100)))),
    ],
)
def test_reads(text, expected):
    assert parse_template(text) == expected


@pytest.mark.parametrize(("text", "is_edge"), [("U0:%x[0,B]", False), ("B", True), ("B1:%x[0,U]", True)])
def test_kind_is_the_first_letter_of_the_name(text, is_edge):
    assert parse_template(text).is_edge is is_edge


@pytest.mark.parametrize(
    ("text", "code", "column", "phrase"),
    [
        ("", "M101", 1, "expected a name (U... for a template that scores single labels, B..."),
        ("  \t ", "M101", 1, "but found the end"),
        ("03:%x[0,TAG]", "M101", 1, "but found '03:%x[0,TAG]'"),
        ("  u03:%x[0,TAG]", "M101", 3, "expected a name"),
        ("# word", "M101", 1, "but found '#'"),
        ("U00 %x[0,TAG]", "M102", 5, "expected ':' after the name 'U00', as in U00:%x[0,ORTH], but found '%'"),
        ("U00%x[0,TAG]", "M102", 4, "expected ':'"),
        ("U0+1:%x[0,TAG]", "M102", 3, "names are made of letters, digits, '_' and '-'"),
        ("B 01", "M102", 3, "but found '0'"),
        ("U0:%y[0,TAG]", "M103", 4, "expected '%x[offset,ATTRIBUTE]', as in %x[-1,LOWER]/%x[0,TAG], but found '%y["),
        ("U0:%X[0,TAG]", "M103", 4, "expected '%x[offset,ATTRIBUTE]'"),
        ("U0:%x(0,TAG)", "M103", 6, "expected '[' after '%x'"),
        ("U0:%x", "M103", 6, "but found the end"),
        ("U0:%x[0 TAG]", "M103", 9, "expected ',' after the offset"),
        ("U0:%x[0,TAG", "M103", 12, "expected ']' after the attribute"),
        ("U0:%x[0,TAG,LOWER]", "M103", 12, "expected ']' after the attribute"),
        ("U0:%x[0,TAG]/", "M103", 14, "expected '%x[offset,ATTRIBUTE]'"),
        ("U0:%x[0,TAG]%x[1,TAG]", "M103", 13, "expected '/' between two observations"),
        ("B:", "M103", 3, "expected '%x[offset,ATTRIBUTE]'"),
        ("U0:%x[one,TAG]", "M104", 7, "expected an integer offset, as in %x[-1,LOWER], but found 'one'"),
        ("U0:%x[0.5,TAG]", "M104", 7, "but found '0.5'"),
        ("U0:%x[0,TAG]/%x[--1,TAG]", "M104", 17, "but found '--1'"),
        ("U0:%x[TAG]", "M104", 7, "but found 'TAG'"),
        ("U0:%x[,TAG]", "M104", 7, "but found ','"),
        ("U0:%x[", "M104", 7, "but found the end"),
        ("U0:%x[٣,TAG]", "M104", 7, "but found '٣'"),
        ("U0:%x[101,TAG]", "M105", 7, "the offset '101' is too far from the token; use one between -100 and 100"),
        ("U0:%x[-101,TAG]", "M105", 7, "the offset '-101' is too far"),
        ("U0:%x[-" + 5000 * "9" + ",TAG]", "M105", 7, "is too far"),
        ("U0:%x[0]", "M106", 8, "expected the name of an attribute, as in %x[0,ORTH], but found ']'"),
        ("U0:%x[0", "M106", 8, "but found the end"),
        ("U0:%x[0,]", "M106", 9, "but found ']'"),
        ("U0:%x[0,", "M106", 9, "but found the end"),
        ("U0:%x[0,1]", "M106", 9, "but found '1'; columns are named here, not numbered"),
        ("\tU0:\t%x[0, 1]", "M106", 12, "but found '1'"),
        ("U0:%x[0,TAG!]", "M106", 9, "but found 'TAG!'"),
        ("U00", "M107", 4, "the U template 'U00' observes nothing; add at least one observation"),
        (" U00 : ", "M107", 7, "the U template 'U00' observes nothing"),
        ("U0:word=%x[0,ORTH]", "M108", 4, "constant text 'word=' is not allowed"),
        ("U0:word", "M108", 4, "constant text 'word' is not allowed"),
        ("U0:%x[0,ORTH]-%x[1,ORTH]", "M108", 14, "constant text '-' is not allowed"),
        ("U0:%x[0,ORTH]/tag: %x[1,ORTH]", "M108", 15, "constant text 'tag:' is not allowed"),
        ("U0:%x[0,ORTH]//%x[1,ORTH]", "M108", 15, "keep only %x[offset,ATTRIBUTE], joined by '/'"),
        ("U0:%x[0,ORTH] # the word", "M109", 15, "expected the end of the template, but found '# the word'"),
        ("B1:%x[0,ORTH]]", "M109", 14, "but found ']'"),
    ],
)
def test_fault_is_shown_at_its_column(text, code, column, phrase):
    message = error_of(parse_template, text)
    sentence, _, caret = message.split("\n")
    assert sentence.startswith(f"[{code}] Bad template at column {column}: ")
    assert phrase in sentence
    assert caret.index("^") == 4 + column - 1


def test_fault_far_into_a_long_template_is_shown_with_what_surrounds_it():
    text = "U0:" + "/".join(f"%x[{i},ORTH]" for i in range(60)) + "/%x[a,ORTH]"
    sentence, shown, caret = error_of(parse_template, text).split("\n")
    assert f"column {text.index('a,ORTH') + 1}:" in sentence
    assert shown[caret.index("^") :] == "a,ORTH]"
    assert len(shown) < 80


def test_reading_never_copies_the_rest_of_a_long_template(monkeypatch):
    copied = []
    rest = Scanner.rest.fget
    monkeypatch.setattr(Scanner, "rest", property(lambda scan: copied.append(len(rest(scan))) or rest(scan)))
    text = "U0:" + " / ".join(f"%x[0,A{i}]" for i in range(MOST_OBSERVATIONS))
    assert len(parse_template(text).observations) == MOST_OBSERVATIONS
    assert sum(copied) <= len(text)


def test_template_of_too_many_observations_is_refused():
    """Where they are read, and where a set is made in code."""
    most = "U0:" + "/".join(["%x[0,A]"] * MOST_OBSERVATIONS)
    assert TemplateSet.from_texts([most]).texts() == [most]
    message = error_of(parse_template, most + "/%x[0,A]")
    assert message.startswith(
        f"[M134] Bad template at column {len(most) + 1}: a template makes at most {MOST_OBSERVATIONS} observations, "
    )
    made = Template("U0", (Observation(0, "A"),) * (MOST_OBSERVATIONS + 1))
    assert error_of(TemplateSet, (Template("B"), made)).startswith("[M134] Bad template at template 'U0', column ")


def test_fault_names_the_place():
    message = error_of(parse_template, "U0", "words.txt, line 7")
    assert message.startswith("[M107] Bad template at words.txt, line 7, column 3: ")


@given(st.text(alphabet="UB0%x[]-,/: A1\t#", max_size=25))
@example("U0:%x[0,A]/%x[1,A]")
def test_any_text_is_read_or_refused_with_a_code(text):
    try:
        template = parse_template(text)
    except ValueError as error:
        assert str(error).startswith("[M10")  # noqa: PT017 - both outcomes are right
    else:
        assert parse_template(template.text) == template


# --- lines ---


def test_blank_lines_and_comments_are_skipped():
    lines = ["# words", "", "U0:%x[0,ORTH]\n", "  # labels", " \t ", "B\r\n"]
    assert [template.name for template in parse_templates(lines)] == ["U0", "B"]


def test_one_text_is_split_into_lines():
    assert parse_templates("U0:%x[0,ORTH]\n\nB") == parse_templates(["U0:%x[0,ORTH]", "B"])


def test_same_observations_under_two_names_can_be_read():
    assert len(parse_templates(["U0:%x[0,ORTH]", "U1:%x[0,ORTH]"])) == 2


@pytest.mark.parametrize(("where", "place"), [("", "line 3"), ("words.txt", "words.txt, line 3")])
def test_fault_names_the_line(where, place):
    message = error_of(parse_templates, ["# words", "", "U0:%x[0,1]"], where)
    assert message.startswith(f"[M106] Bad template at {place}, column 9: ")


def test_repeated_name_is_refused():
    message = error_of(parse_templates, ["U0:%x[0,ORTH]", "B", "U0:%x[1,ORTH]"], "words.txt")
    assert message.startswith("[M120] The template name 'U0' is used twice (at words.txt, line 3).")


@pytest.mark.parametrize("lines", [[], ["", "# nothing"]])
def test_no_template_is_refused(lines):
    assert error_of(parse_templates, lines, "words.txt").startswith("[M121] There is no template in words.txt.")
    assert error_of(parse_templates, lines).startswith("[M121] There is no template in the template set.")


# --- sets ---


@given(SETS)
def test_set_is_rebuilt_from_its_texts(templates):
    assert TemplateSet.from_texts(templates.texts(), templates.min_count) == templates
    assert pickle.loads(pickle.dumps(templates)) == templates


@given(SETS)
def test_node_and_edge_split_the_set_in_order(templates):
    assert sorted([*templates.node, *templates.edge], key=templates.templates.index) == list(templates.templates)
    assert all(not template.is_edge for template in templates.node)
    assert all(template.is_edge for template in templates.edge)


def test_attributes_are_distinct_and_in_order_of_first_use():
    templates = TemplateSet.from_texts(["U0:%x[0,TAG]/%x[1,LOWER]", "B:%x[0,ORTH]", "U1:%x[2,LOWER]/%x[0,TAG]"])
    assert templates.attributes == ("TAG", "LOWER", "ORTH")
    assert TemplateSet.from_texts(["B"]).attributes == ()


def test_without_drops_every_template_that_reads_the_attribute():
    templates = TemplateSet.from_texts(["U0:%x[0,ORTH]", "U1:%x[0,ORTH]/%x[-1,TAG]", "B", "B1:%x[0,TAG]"], 3)
    assert templates.without("TAG") == TemplateSet.from_texts(["U0:%x[0,ORTH]", "B"], 3)
    assert templates.without("SHAPE") == templates


def test_without_leaves_no_empty_set():
    assert "[M121]" in error_of(TemplateSet.from_texts(["U0:%x[0,TAG]"]).without, "TAG")


@pytest.mark.parametrize(
    ("texts", "start"),
    [
        (["U0:%x[0,ORTH]", "B", "U1:%x[0,ORTH]"], "The templates 'U0' and 'U1' observe the same thing (%x[0,ORTH])."),
        (["B1:%x[0,A]/%x[1,A]", "B2:%x[0,A]/%x[1,A]"], "The templates 'B1' and 'B2' observe the same"),
        (["B", "B1"], "The templates 'B' and 'B1' observe the same thing (the label pair alone)."),
    ],
)
def test_two_templates_of_one_kind_that_observe_the_same_are_refused(texts, start):
    assert error_of(TemplateSet.from_texts, texts).startswith(f"[M126] {start}")


def test_the_same_observations_in_another_order_are_another_template():
    texts = ["U0:%x[0,ORTH]/%x[1,TAG]", "U1:%x[1,TAG]/%x[0,ORTH]", "U2:%x[0,ORTH]/%x[0,ORTH]", "U3:%x[0,ORTH]"]
    assert TemplateSet.from_texts(texts).texts() == texts


def test_label_and_label_pair_may_observe_the_same():
    assert len(TemplateSet.from_texts(["U0:%x[0,ORTH]", "B0:%x[0,ORTH]", "B1:%x[1,ORTH]"]).templates) == 3


def test_list_of_templates_becomes_a_tuple():
    templates = TemplateSet([Template("B")])
    assert templates == TemplateSet((Template("B"),))
    assert hash(templates) == hash(TemplateSet((Template("B"),)))


def test_cut_off_of_labels_is_checked_as_well():
    for value, code in ((0, "M122"), (1.5, "M122"), (1 << 40, "M133")):
        with pytest.raises(ValueError, match=rf"\[{code}\].*label_min_count"):
            TemplateSet((Template("B"),), label_min_count=value)


@pytest.mark.parametrize(
    ("templates", "min_count", "start"),
    [
        ((), 1, "[M121] There is no template in the template set."),
        ((Template("B"), Template("B")), 1, "[M120] The template name 'B' is used twice (in the template set)."),
        (
            (Template("B"),),
            0,
            "[M122] The observation cut-off min_count must be an integer of at least 1, but it is 0.",
        ),
        ((Template("B"),), 1.5, "[M122] The observation cut-off min_count must be an integer of at least 1, "),
        ((Template("word", (Observation(0, "ORTH"),)),), 1, "[M101] Bad template at template 'word', column 1: "),
        ((Template("U0"),), 1, "[M107] Bad template at template 'U0', column 3: "),
        ((Template("U0", (Observation(101, "ORTH"),)),), 1, "[M105] Bad template at template 'U0', column 7: "),
    ],
)
def test_set_that_breaks_a_rule_is_refused(templates, min_count, start):
    assert error_of(TemplateSet, templates, min_count).startswith(start)


def test_grammar_needs_no_compiler():
    code = "import sys, spacy_mtl.templates.grammar; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_template_that_is_known_is_not_read_again():
    one, two = parse_template("U7:%x[0,ORTH]"), parse_template("U7:%x[0,ORTH]", "line 3")
    assert one is not two
    assert one.observations is two.observations
    for place in ("line 1", "line 2"):  # what cannot be read has its own place each time
        with pytest.raises(ValueError, match=place):
            parse_template("U7:%x[0,ORTH", place)
    long = "U7:" + "/".join(["%x[0,ORTH]"] * 40)
    assert parse_template(long) == parse_template(long)
    assert (
        parse_template(long).observations is not parse_template(long).observations
    )  # texts of any length do not stay in memory
