from typing import ClassVar

import numpy as np
import pytest

from spacy_mtl.tables import brown
from spacy_mtl.tables.brown import brown_text, read_brown
from spacy_mtl.tables.clusters import ClusterTable
from spacy_mtl.tables.lines import LONGEST_LINE
from spacy_mtl.tables.lookups import read_lookups


@pytest.fixture(name="write")
def _write(tmp_path):
    def write(content):
        path = tmp_path / "paths.tsv"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def test_every_form_has_the_path_that_it_was_given_with():
    rng = np.random.default_rng(0)
    given = {f"w{k}x": format(int(rng.integers(1, 1 << 12)), "b") for k in range(2000)}
    table = ClusterTable.of(given.items())
    assert {form: table.path(form) for form in given} == given
    assert [table.path(f"v{k}x") for k in range(2000)] == [None] * 2000


def test_of_forms_with_the_same_key_the_first_stays():
    table = ClusterTable.of([("a", "0"), ("b", "1"), ("a", "11")])
    assert (len(table), table.path("a"), table.path("b")) == (2, "0", "1")


def test_forms_are_looked_for_in_lower_case_with_a_capital_and_without_digits():
    table = ClusterTable.of([("Madrid", "00"), ("river", "01"), ("0-0", "10"), ("RIVER", "11"), ("a0", "011")])
    assert [table.path(form) for form in ("MADRID", "River", "RIVER", "3-1", "A7", "madrid", "")] == [
        "00", "01", "11", "10", "011", "00", None,
    ]  # fmt: skip


def test_forms_are_found_together_as_each_is_alone():
    known = ["Madrid", "river", "0-0", "RIVER", "a0", "ΟΔΌΣ", "i\u0307x", "I\u0307x", "ßeta", "Sseta"]
    table = ClusterTable.of((form, format(k, "04b")) for k, form in enumerate(known))
    forms = ["MADRID", "River", "RIVER", "3-1", "A7", "", "none", "οδός", "ΟΔΌΣ", "İX", "ßETA", "SSeta", "madrid"]

    def variants(form):  # one after another, with the first that the table has
        lower = form.lower()
        return form, lower, form[:1].upper() + lower[1:], "".join("0" if c.isdecimal() else c for c in lower)

    expected = [next((known.index(each) for each in variants(form) if each in known), -1) for form in forms]
    assert table.numbers_of(forms).tolist() == expected
    assert [table.path(form) for form in forms] == [None if k < 0 else table.paths[k] for k in expected]
    assert len({*expected}) > 6


def test_an_empty_table_has_no_form_and_no_forms_are_found_in_any():
    assert ClusterTable.of([]).numbers_of(["a", ""]).tolist() == [-1, -1]
    assert ClusterTable.of([("a", "0")]).numbers_of([]).tolist() == []


def test_only_the_first_forms_are_kept():
    table = ClusterTable.of([("a", "0"), ("b", "1"), ("c", "1")], most=2)
    assert [table.path(form) for form in "abc"] == ["0", "1", None]


def test_a_file_is_read_the_most_frequent_words_first(write):
    path = write("0\trare\t1\n10\ta b\t5\n11\tcommon\t50\r\n")
    table = read_brown(path, min_count=2)
    assert [table.path(word) for word in ("rare", "a b", "common")] == [None, "10", "11"]
    assert [read_brown(path, most=1).path(word) for word in ("a b", "common")] == [None, "11"]


def test_of_a_large_file_so_many_words_may_be_kept(write, monkeypatch):
    path = write("0\trare\t1\n10\ta b\t5\n11\tcommon\t50\n")
    monkeypatch.setattr(brown, "MOST_FORMS", 2)
    with pytest.raises(ValueError, match=r"^\[M805\]"):
        read_brown(path)
    assert len(read_brown(path, most=2)) == 2


def test_what_is_written_is_read(write):
    entries = [("00", "a", 3), ("01", "ü", 2)]
    table = read_brown(write(brown_text(entries)))
    assert [table.path(word) for _, word, _ in entries] == ["00", "01"]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("0\ta\t1\n2\tb\t1\n", "M803"),
        ("0\ta\n", "M803"),
        ("0\t\t1\n", "M803"),
        ("0\ta\tmany\n", "M803"),
        ("\n", "M803"),
        ("a 0.1 0.2\n", "M803"),
        ("", "M804"),
        (b"0\t\xff\t1\n", "M801"),
        ("0" * (LONGEST_LINE + 1), "M802"),
        ("0" * 65 + "\ta\t1\n", "M803"),
    ],
)
def test_files_of_another_format_are_refused(write, content, expected):
    with pytest.raises(ValueError, match=rf"{expected}.*paths\.tsv"):
        read_brown(write(content))


def test_a_fault_is_named_with_its_line(write):
    with pytest.raises(ValueError, match="line 2"):
        read_brown(write("0\ta\t1\nfault\n"))


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(ValueError, match=r"M801.*nothing\.tsv"):
        read_brown(tmp_path / "nothing.tsv")


@pytest.mark.parametrize("settings", [{"most": 0}, {"most": 1.5}, {"min_count": -1}, {"min_count": "2"}])
def test_limits_are_whole_numbers(write, settings):
    with pytest.raises(ValueError, match="M960"):
        read_brown(write("0\ta\t1\n"), **settings)


@pytest.fixture(name="lookups")
def _lookups(monkeypatch):
    """Register tables of a language that there is not."""
    import spacy_mtl.tables.lookups as module

    tables = {}

    class Registry:
        lookups: ClassVar = {"qq": {name: name for name in ("lexeme_cluster", "strange", "empty")}}

    monkeypatch.setattr(module, "spacy_registry", Registry)
    monkeypatch.setattr(module, "load_language_data", tables.get)
    return tables


def test_numbers_of_lookups_are_paths_from_the_lowest_bit_on(lookups):
    lookups["lexeme_cluster"] = {"a": 1, "b": 6, "c": 0}
    table = read_lookups("qq")
    assert [table.path(form) for form in "abcd"] == ["100", "011", "000", None]
    assert read_lookups("qq", most=1).path("b") is None


@pytest.mark.parametrize("values", [{"a": "0110"}, {"a": -1}, {"a": 1 << 64}, {"a": 0.5}, {}, ["a"], {"a": True}])
def test_tables_without_clusters_are_refused(lookups, values):
    lookups["strange"] = values
    with pytest.raises(ValueError, match="M808"):
        read_lookups("qq", "strange")


def test_missing_tables_and_a_missing_package_are_told_apart(lookups, monkeypatch):
    monkeypatch.setattr("spacy_mtl.tables.lookups.find_spec", lambda name: None)
    with pytest.raises(ValueError, match="M806"):
        read_lookups("rr")
    monkeypatch.setattr("spacy_mtl.tables.lookups.find_spec", lambda name: name)
    with pytest.raises(ValueError, match="M807"):
        read_lookups("rr")
    with pytest.raises(ValueError, match="M807"):
        read_lookups("qq", "lexeme_prob")
