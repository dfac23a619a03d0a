"""The figures of the documentation are those of the rows."""

import pytest

from benchmarks.common.rows import Row
from benchmarks.tables import TABLES, rendered
from benchmarks.tables.checks import NEEDED, faulty, read_results
from benchmarks.tables.headline import Duel
from benchmarks.tables.regions import PAGES, ROOT, figure_tables, filled, pages, regions
from benchmarks.tables.table import NOTE, Column, Line, NoRowsError, Table, without_file

REGIONS = [
    (path, name)
    for path in pages()
    for name in regions(path.read_text(encoding="utf8"))
    if name in TABLES or path.relative_to(ROOT).as_posix() in PAGES
]


@pytest.fixture(scope="module")
def results():
    return read_results()


@pytest.mark.parametrize(("path", "name"), REGIONS, ids=[name for _, name in REGIONS])
def test_a_table_is_made_from_its_rows(path, name, results):
    text = regions(path.read_text(encoding="utf8"))[name]
    assert text == TABLES[name].render(results), "run python -m benchmarks.tables"
    assert text.count("\n|") >= 2  # a heading, a rule, a line


def test_every_table_is_on_a_page():
    assert {name for _, name in REGIONS} == set(TABLES)
    assert len(REGIONS) == len(TABLES)


def test_every_row_says_where_it_comes_from(results):
    assert results
    assert faulty(results) == []


@pytest.mark.parametrize("page", PAGES)
def test_no_table_of_figures_is_written_by_hand(page):
    assert list(figure_tables((ROOT / page).read_text(encoding="utf8"))) == []


# --- on made-up rows ---


def made_up(**values) -> Row:
    origin = {
        "commit": "a" * 40,
        "time": "2026-01-01",
        "command": "python -m benchmarks.ner train --json x.jsonl --p 1",
    }
    return {"who": "ours", **origin, **values}


TABLE = Table(
    "made-up",
    "ner",
    ("corpus", ""),
    (Column("CPU s", "cpu", best="min"), Column("times", "cpu", per_first=True), Column("F1", "f1", "{:.2f}", "max")),
    {"esp": (Line("ours", {"who": "ours"}), Line("theirs", {"who": "theirs"}))},
)
ROWS = [
    made_up(cpu=2.0, f1=81.0),
    made_up(cpu=9.0, f1=82.0),
    made_up(cpu=1.0, f1=83.0),
    made_up(who="theirs", cpu=20.0, f1=80.5),
]


def test_repeats_count_by_their_median_and_the_best_is_bold():
    assert TABLE.render({"ner": ROWS}).splitlines() == [
        "| corpus |  | CPU s | times | F1 |",
        "| --- | --- | ---: | ---: | ---: |",
        "| esp | ours | **2.0** | 1.0 | **82.00** |",
        "|  | theirs | 20.0 | 10.0 | 80.50 |",
        "",
        "Measured at commit `aaaaaaa` by `python -m benchmarks.ner train --p 1`.",
    ]


def test_the_newest_commit_counts_column_by_column():
    columns = tuple(Column(f"{size}", "cpu", where={"size": size}) for size in (1, 2))
    table = Table("made-up", "ner", ("", ""), columns, {"": (Line("ours", {"who": "ours"}),)})
    rows = [
        made_up(size=1, cpu=1.0),
        made_up(size=2, cpu=2.0),
        made_up(size=2, cpu=3.0, commit="b" * 40, time="2026-02-01"),
    ]
    text = table.render({"ner": rows})
    assert "| ours | 1.0 | 3.0 |" in text.splitlines()
    assert "`aaaaaaa`" in text
    assert "`bbbbbbb`" in text


def test_only_the_newest_commit_counts():
    newer = made_up(cpu=3.0, f1=84.0, commit="b" * 40, time="2026-02-01")
    text = TABLE.render({"ner": [newer, *ROWS]})
    assert "| esp | ours | **3.0** | 1.0 | **84.00** |" in text
    assert "`bbbbbbb`" in text


def test_a_line_or_a_column_without_rows_is_refused():
    with pytest.raises(NoRowsError, match=r"no row of ner\.jsonl has .*theirs"):
        TABLE.render({"ner": ROWS[:3]})
    with pytest.raises(NoRowsError, match="no row of"):
        TABLE.render({})
    with pytest.raises(NoRowsError, match="'F1'"):
        TABLE.render({"ner": [{**row, "f1": None} for row in ROWS]})


@pytest.mark.parametrize(
    "changes",
    [
        {"commit": None},
        {"dirty": True},
        {"command": None},
        {"versions": {"python": "3.11"}},
        {"machine": {}},
        {"seed": None},
        {"time": None},
        {"model": "/home/me/models/x"},
        {"command": "python -m benchmarks.ner train --corpora /home/me/corpora"},
    ],
)
def test_rows_that_lack_something_are_named(changes):
    versions = dict.fromkeys(NEEDED, "1.0")
    good = made_up(seed=0, dirty=False, versions=versions, machine={"processor": "one", "cores": 2})
    (fault,) = faulty({"ner": [good, {**good, **changes}]})
    assert fault.startswith("ner.jsonl, row 2: ")


def test_tables_by_hand_are_found():
    figures = "| | s | F1 |\n|---|---|---|\n| ours | 5.8 | **81.6** |\n"
    words = "| name | default |\n|---|---|\n| `p` | 1 |\n| `C = 1` | a weight of 1 |\n"
    assert list(figure_tables(f"A text.\n\n{words}\n{figures}")) == ["| | s | F1 |"]
    region = f"<!-- table: made-up -->\n{figures}<!-- end -->\n"
    assert list(figure_tables(region + words)) == []
    assert regions(region) == {"made-up": figures}
    assert filled(f"before {region} after", str.upper) == f"before {region.replace(figures, 'MADE-UP')} after"


def test_an_unknown_table_is_refused_where_all_figures_come_from_rows():
    with pytest.raises(ValueError, match="There is no table nothing; benchmarks/tables has headline"):
        rendered("README.md", "nothing", {})
    assert rendered("docs/trainers/index.md", "nothing", {}) is None
    region = "<!-- table: nothing -->\nas it is\n<!-- end -->"
    assert filled(region, lambda name: None) == region


def test_a_table_of_one_group_has_no_column_for_it():
    table = Table("one", "ner", ("esp", "who"), TABLE.columns[:1], {"": TABLE.groups["esp"]})
    assert table.render({"ner": ROWS}).splitlines()[:3] == [
        "| esp: who | CPU s |",
        "| --- | ---: |",
        "| ours | **2.0** |",
    ]


def test_the_file_of_rows_leaves_the_command():
    assert without_file("python -m x --json a.jsonl") == "python -m x"


def test_of_a_rival_without_a_search_there_are_seconds_and_no_score():
    from dataclasses import replace

    columns = (*TABLE.columns[:2], replace(TABLE.columns[2], score=True))
    ours, theirs = TABLE.groups["esp"]
    searched = replace(TABLE, columns=columns)
    unsearched = replace(searched, groups={"esp": (ours, replace(theirs, unsearched=True))})
    text = unsearched.render({"ner": ROWS})
    assert searched.render({"ner": ROWS}) == TABLE.render({"ner": ROWS})
    assert "|  | theirs | 20.0 | 10.0 |  |" in text.splitlines()
    assert "| esp | ours | **2.0** | 1.0 | 82.00 |" in text.splitlines()  # of what is not shown nothing can be the best
    assert NOTE in text
    assert NOTE not in TABLE.render({"ner": ROWS})


def test_the_headline_takes_the_rival_that_is_best_on_dev():
    where = {"mode": "test", "corpus": "esp"}
    made = {"p": None, "p_ahead": 0.0001, "difference_ahead": 5.0, "cpu_all": 10.0, "time": "1", "commit": "a"}
    rows = [
        {**where, **made, "shown": "MTLStruct p=1", "p": 1.0, "f1_dev": 70.0, "f1_test": 75.0},
        {**where, **made, "shown": "MTLStruct p=1.333", "p": 4 / 3, "f1_dev": 69.0, "f1_test": 74.0},
        {**where, **made, "shown": "CRF l2", "f1_dev": 60.0, "f1_test": 71.0},
        {**where, **made, "shown": "MIRA", "f1_dev": 65.0, "f1_test": 70.0},
    ]
    duel = Duel("entities", "Spanish", "mtlstruct", {"shown": "MTLStruct p=1"}, where, "F1")
    assert duel.cells({"mtlstruct": rows}) == [
        "entities", "Spanish", "F1 75.0", "10", "MIRA", "70.0", "10", "+5.0", "0.0001",
    ]  # fmt: skip
    older = {
        **rows[3],
        "f1_dev": 68.0,
        "commit": "b",
    }  # what ours was not measured beside is not taken where there is something that was
    assert duel.cells({"mtlstruct": [older, *rows]})[5] == "70.0"
    level = [row | {"p_ahead": 0.2} for row in rows]
    assert duel.cells({"mtlstruct": level})[-2:] == ["+5.0, level", "0.2000"]
    with pytest.raises(NoRowsError, match="no rows of mtlstruct"):
        duel.cells({"mtlstruct": rows[:1]})
    heads = [{**rows[2], "contestant": "MTLStruct, p = 4/3"}]
    with pytest.raises(NoRowsError, match="no rows of mtlstruct"):
        duel.cells({"mtlstruct": [rows[0], *heads]})


def test_figures_of_the_paper_on_words_stand_beside_the_same_method_and_templates():
    from benchmarks.tables.mtlstruct_words import PUBLISHED, paper

    ours = {"templates": "tp2.v1", "shown": "MTLStruct p=1"}
    assert [paper(PUBLISHED, k)(ours) for k in range(4)] == [94.0, 93.6, 93.8, 96.2]
    assert paper(PUBLISHED, 2)(ours | {"shown": "crfsuite l2"}) == 92.7
    assert paper(PUBLISHED, 2)(ours | {"shown": "OnlineMKL last", "templates": "tp1.v1"}) == 89.6
    assert paper(PUBLISHED, 2)(ours | {"shown": "MIRA"}) is None
