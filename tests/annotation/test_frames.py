"""Frames of pandas, through Spark and Ray Data as the recipe says."""

import shutil
import sys

import pytest

from spacy_mtl.annotation.frames import annotate_frame, annotate_frames, spark_schema_of
from spacy_mtl.annotation.model import load_once
from tests.docs.blocks import blocks_of

pandas = pytest.importorskip("pandas")


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    """A model that needs no code of a test, so that processes of Spark and Ray can load it."""
    import spacy

    nlp = spacy.blank("es")
    nlp.add_pipe("sentencizer")
    path = tmp_path_factory.mktemp("plain") / "model"
    nlp.to_disk(path)
    return str(path)


def frame_of(*texts):
    return pandas.DataFrame({"id": range(len(texts)), "text": list(texts)}, index=range(5, 5 + len(texts)))


def test_a_frame_gets_columns_and_loses_no_row(plain):
    frame = frame_of("Ana llegó. Luego.", None, "", "x" * 1_000_001)
    found = annotate_frame(frame, plain)
    assert list(found.columns) == ["id", "text", "words", "starts", "sents", "error"]
    assert list(found.index) == [5, 6, 7, 8]
    assert found["words"].iloc[0] == ["Ana", "llegó", ".", "Luego", "."]
    assert found["sents"].iloc[0] == [0, 3]
    assert found["words"].iloc[2] == []
    assert list(frame.columns) == ["id", "text"]
    assert [value and value[:6] for value in found["error"]] == [None, "[M921]", None, "[M922]"]
    assert found["words"].iloc[1] is None


def test_frames_are_annotated_one_by_one(plain):
    found = annotate_frames((frame_of(text) for text in ("uno", "dos tres")), plain)
    assert [frame["words"].iloc[0] for frame in found] == [["uno"], ["dos", "tres"]]


def test_the_model_is_loaded_once(plain):
    load_once.cache_clear()
    list(annotate_frames([frame_of("uno")] * 3, plain))
    assert (load_once.cache_info().misses, load_once.cache_info().hits) == (1, 2)


def test_texts_that_are_missing(plain):
    values = ["uno", None, float("nan"), pandas.NA, pandas.NaT, 1.5]
    frame = pandas.DataFrame({"text": pandas.Series(values, dtype=object)})
    *missing, number = annotate_frame(frame, plain)["error"][1:]
    option = "If another column has the texts, name it with the argument text."
    assert set(missing) == {f"[M921] There is no text in 'text': its value is missing. {option}"}
    assert number == f"[M921] There is no text in 'text': its value is of type float. {option}"


def test_columns_of_one_name(plain):
    frame = pandas.DataFrame([[1, 2, "uno"]], columns=["a", "a", "text"])
    assert annotate_frame(frame, plain)["words"].iloc[0] == ["uno"]
    frame.columns = ["a", "text", "text"]
    with pytest.raises(
        ValueError, match=r"M932. A frame has 2 columns 'text' of texts; its columns are a, text, text."
    ):
        annotate_frame(frame, plain)


def test_names_of_columns_that_are_no_strings(plain):
    frame = pandas.DataFrame([["uno"]], columns=[0])
    with pytest.raises(ValueError, match=r"M932. A frame has no column '0' of texts; its columns are 0"):
        annotate_frame(frame, plain, "0")


def test_a_schema_of_spark(plain):
    types = pytest.importorskip("pyspark.sql.types")
    part = types.StructType([types.StructField("n", types.DecimalType(10, 2))])
    schema = types.StructType([types.StructField("my `id`", types.LongType()), types.StructField("part", part)])
    assert spark_schema_of(plain, schema) == spark_schema_of(
        plain, "`my ``id``` bigint, `part` struct<n:decimal(10,2)>"
    )
    with pytest.raises(ValueError, match=r"M900.*but is of type list"):
        spark_schema_of(plain, ["id string"])


def test_frames_that_cannot_be(plain):
    with pytest.raises(ValueError, match=r"M932.*'texto'.*id, text"):
        annotate_frame(frame_of("uno"), plain, "texto")
    with pytest.raises(ValueError, match=r"M925.*'words'"):
        annotate_frame(frame_of("uno").assign(words=1), plain)
    with pytest.raises(ValueError, match=r"M701"):
        annotate_frame(frame_of("uno"), "no-such-model")


def recipe(about, plain, folder, **names):
    """Run the block of the recipe that has ``about`` in it, with the model and the folders that its names stand for."""
    (block,) = [block.text for block in blocks_of("docs/recipes/clusters.md") if about in block.text]
    for name, meant in {'"DIR"': plain, '"texts/"': str(folder / "texts"), '"out/"': str(folder / "out")}.items():
        assert name in block
        block = block.replace(name, repr(meant))
    exec(compile(block, "the recipe", "exec"), names)


@pytest.mark.filterwarnings("ignore:PySpark does not yet:FutureWarning")
def test_spark(plain, monkeypatch, tmp_path):
    sql = pytest.importorskip("pyspark.sql")
    if shutil.which("java") is None:
        pytest.skip("Spark needs Java, which is not installed")
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    assert spark_schema_of(plain, "id string, text string") == (
        "id string, text string, words array<string>, starts array<int>, sents array<int>, error string"
    )
    texts = pandas.DataFrame({"id": [f"d{i}" for i in range(40)], "text": [f"Ana {i}. Fin." for i in range(40)]})
    (tmp_path / "texts").mkdir()
    for part in range(2):
        texts[part::2].to_json(tmp_path / f"texts/{part}.json", orient="records", lines=True)
    builder = sql.SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
    spark = builder.config("spark.sql.shuffle.partitions", "2").getOrCreate()
    try:
        recipe("mapInPandas", plain, tmp_path, spark=spark)
    finally:
        spark.stop()
    found = pandas.concat(pandas.read_json(path, lines=True) for path in (tmp_path / "out").glob("*.json"))
    assert sorted(found["id"]) == sorted(texts["id"])
    assert all(row.words == ["Ana", row.text[4:-6], ".", "Fin", "."] for row in found.itertuples())
    assert all(row.sents == [0, 3] for row in found.itertuples())
    assert "error" not in found  # Spark leaves out what is null


def test_ray_data(plain, cluster, tmp_path):
    data = pytest.importorskip("ray.data")
    data.DataContext.get_current().enable_progress_bars = False
    (tmp_path / "texts").mkdir()
    texts = pandas.DataFrame({"id": range(30), "text": [f"Ana {i}" for i in range(30)]})
    for part in range(3):
        texts[part::3].to_parquet(tmp_path / f"texts/{part}.parquet")
    recipe("read_parquet", plain, tmp_path)
    found = pandas.read_parquet(tmp_path / "out")
    assert sorted(found["id"]) == list(range(30))
    assert all(list(row.words) == ["Ana", str(row.id)] for row in found.itertuples())
    assert found["error"].isna().all()
