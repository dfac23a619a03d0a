"""Texts with entities as Prodigy and Label Studio export them."""

import json

import pytest
import spacy

from spacy_mtl.corpora.annotated.reader import TasksCorpus
from spacy_mtl.corpora.annotated.tasks import read_tasks

TEXT = "Ana vive  en Bogotá."
ANA = {"start": 0, "end": 3, "label": "PER"}
BOGOTA = {"start": 13, "end": 19, "label": "LOC"}
TOKENS = [{"start": a, "end": b} for a, b in [(0, 3), (4, 8), (10, 12), (13, 19), (19, 20)]]


@pytest.fixture
def write(tmp_path):
    def written(tasks, name="tasks.jsonl"):
        path = tmp_path / name
        lines = [each if isinstance(each, str) else json.dumps(each, ensure_ascii=False) for each in tasks]
        path.write_text("\n".join(lines), encoding="utf8")
        return path

    return written


def examples(path, **settings):
    return list(TasksCorpus(path, **settings)(spacy.blank("es")))


def entities(doc):
    return [(ent.text, ent.label_) for ent in doc.ents]


def studio(text, *values, **more):
    result = [{"type": "labels", "value": value} for value in values]
    return {"data": {"text": text}, "annotations": [{"result": result, **more}]}


def place(start, end, text, *labels):
    return {"start": start, "end": end, "text": text, "labels": list(labels)}


def test_accepted_tasks_of_prodigy(write):
    accepted = {"text": TEXT, "spans": [BOGOTA, ANA], "tokens": TOKENS, "answer": "accept"}
    tasks = [accepted, "", {**accepted, "answer": "reject"}, {**accepted, "answer": "ignore"}, {"text": "Nada."}]
    first, second = examples(write(tasks))
    assert entities(first.reference) == [("Ana", "PER"), ("Bogotá", "LOC")]
    assert first.reference.text == first.predicted.text == TEXT
    assert [t.text for t in first.predicted] == ["Ana", "vive", " ", "en", "Bogotá", "."]
    assert not first.predicted.ents
    assert first.predicted[0].ent_iob == 0
    assert (second.reference.text, second.reference.ents) == ("Nada.", ())
    assert second.reference[0].ent_iob_ == "O"
    assert len(examples(write(tasks), limit=1)) == 1


def test_the_last_annotation_of_label_studio(write):
    done = studio(TEXT, place(0, 3, "Ana", "PER"))
    done["annotations"].append(
        {"result": [{"type": "labels", "value": place(13, 19, "Bogotá", "LOC")}, {"type": "choices"}]}
    )
    done["annotations"].append({"result": [], "was_cancelled": True})
    open_task = {"data": {"text": "Hoy llueve."}, "predictions": [{"result": []}]}
    path = write([json.dumps([open_task, done])], "tasks.json")
    (example,) = examples(path)
    assert entities(example.reference) == [("Bogotá", "LOC")]
    assert [where for where, _ in read_tasks(path)] == ["Task 2"]


def test_places_of_a_browser_count_utf16_units(write):
    text = "😀 Ana en 😀 Cali"
    (example,) = examples(write([studio(text, place(3, 6, "Ana", "PER"), place(13, 17, "Cali", "LOC"))]))
    assert entities(example.reference) == [("Ana", "PER"), ("Cali", "LOC")]


def test_spaces_around_an_entity_are_not_part_of_it(write):
    (example,) = examples(
        write([{"text": TEXT, "spans": [{"start": 9, "end": 20, "label": "LOC"}, {**ANA, "end": 4}]}])
    )
    assert entities(example.reference) == [("Ana", "PER"), ("en Bogotá.", "LOC")]


def test_tokens_may_be_spaces(write):
    tokens = [*TOKENS[:2], {"start": 9, "end": 10}, *TOKENS[2:]]
    (example,) = examples(write([{"text": TEXT, "tokens": tokens, "spans": []}]))
    assert [t.text for t in example.reference] == ["Ana", "vive", " ", "en", "Bogotá", "."]
    assert example.reference.text == TEXT


def test_entities_that_cut_a_token_are_unknown(write):
    within = {"start": 13, "end": 16, "label": "LOC"}
    with pytest.warns(UserWarning, match=r"M575.*, 1 in all;.*'Bogotá', line 1"):
        (example,) = examples(write([{"text": TEXT, "spans": [ANA, within]}]))
    assert entities(example.reference) == [("Ana", "PER")]
    assert [t.ent_iob_ for t in example.reference] == ["B", "O", "O", "O", "", "O"]


@pytest.mark.parametrize(
    ("task", "fault"),
    [
        ("{", "no JSON"),
        ("[1]", "no object"),
        ("[" * 100_000, "nested too deep"),
        ('{"text": 1' + "0" * 5000 + "}", "limit"),
        (r'{"text": "a\ud800"}', "half a character"),
        ({"text": TEXT, "spans": [{"start": 8, "end": 10, "label": "PER"}]}, "only space from 8 to 10"),
        ({"text": 3}, "'text' must be a text"),
        ({"text": TEXT, "spans": 3}, "'spans' must be a list of objects"),
        ({"text": TEXT, "spans": [3]}, "'spans' must be a list of objects"),
        ({"text": TEXT, "spans": [{**ANA, "label": ""}]}, "'label' must be a text"),
        ({"text": TEXT, "spans": [{**ANA, "end": 99}]}, "20 characters, but goes from 0 to 99"),
        ({"text": TEXT, "spans": [{**ANA, "start": 3}]}, "goes from 3 to 3"),
        ({"text": TEXT, "spans": [{**ANA, "start": True}]}, "goes from True to 3"),
        ({"text": TEXT, "spans": [ANA, {**BOGOTA, "start": 2}]}, "'Ana' and 'a vive  en Bogotá' overlap"),
        ({"text": TEXT, "spans": [], "tokens": TOKENS[:-1]}, "the last one ends at 19 of 20"),
        ({"text": TEXT, "spans": [], "tokens": [TOKENS[0], TOKENS[2]]}, "one begins at 10"),
        ({"text": TEXT, "spans": [], "tokens": [TOKENS[1], TOKENS[0]]}, "one begins at 4"),
        ({"data": [TEXT]}, "'data' must be an object"),
        (studio(TEXT, place(0, 3, "Ana", "PER", "LOC")), "a list of one label"),
        (studio(TEXT, place(0, 3, "Eva", "PER")), "the text from 0 to 3 is not Eva"),
        (studio(TEXT, {"labels": ["PER"]}), "goes from None to None"),
    ],
)
def test_what_is_wrong_with_a_task_is_said_with_its_line(write, task, fault):
    with pytest.raises(ValueError, match=rf"M573.*Line 2 of.*tasks.jsonl.*{fault}"):
        examples(write([{"text": TEXT}, task]))


@pytest.mark.parametrize(
    ("key", "entity"),
    [
        ("label", [0, 3, "PER"]),
        ("entities", {"id": 1, "label": "PER", "start_offset": 0, "end_offset": 3}),
        ("ents", ANA),
        ("found", ANA),
        ("entities", {"start": 0, "end": 3, "text": "Ana"}),
        ("annotations", {"start": 0, "end": 3, "tag": "PER"}),
    ],
)
def test_entities_under_another_key_are_not_passed_over(write, key, entity):
    """They would be gold without entities."""
    with pytest.raises(ValueError, match=rf"M573.*Line 2 of.*it has entities under '{key}', where 'spans' is read"):
        examples(write([{"text": TEXT, "spans": [ANA]}, {"text": TEXT, key: [entity]}]))


def test_a_file_without_any_spans_is_refused(write):
    with pytest.raises(ValueError, match=r"M573.*no task has 'spans'.*the first has 'text', 'label'"):
        examples(write([{"text": TEXT, "label": []}, {"text": TEXT}]))


def test_lists_of_other_things_are_no_entities(write):
    more = {
        "tokens": TOKENS,
        "options": [{"id": 1, "text": "x"}],
        "parts": [{"start": 0, "end": 20}],
        "sents": [{"id": "s1", "start": 0, "end": 20, "text": TEXT}],
        "versions": [[0, 3, "x"]],
        "_hash": 3,
    }
    first, second = examples(write([{"text": TEXT, "spans": [ANA]}, {"text": TEXT, **more}]))
    assert (entities(first.reference), entities(second.reference)) == ([("Ana", "PER")], [])


def test_lists_have_tasks(write):
    with pytest.raises(ValueError, match=r"M573.*Task 1 of.*no object"):
        examples(write(["[1]"], "tasks.json"))
    with pytest.raises(ValueError, match=r"M573.*a list of tasks;"):
        examples(write(["{}"], "tasks.json"))


@pytest.mark.parametrize(
    "tasks", [[], [{"text": " "}], [{"text": TEXT, "answer": "ignore"}], [{"data": {"text": TEXT}}]]
)
def test_a_file_without_annotations(write, tasks):
    with pytest.raises(ValueError, match=r"M574.*tasks\.jsonl"):
        examples(write(tasks))


def test_files_that_cannot_be_read(write, tmp_path):
    with pytest.raises(ValueError, match="M501"):
        TasksCorpus(tmp_path / "none.jsonl")
    path = tmp_path / "old.jsonl"
    path.write_bytes('{"text": "Bogotá", "spans": []}'.encode("latin-1"))
    with pytest.raises(ValueError, match="M502"):
        examples(path)
    assert examples(path, encoding="latin-1")[0].reference.text == "Bogotá"
