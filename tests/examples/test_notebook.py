"""The notebook runs from the top to the end, and what is kept in its file is what it says."""

import os
import sys
from pathlib import Path

import pytest

NOTEBOOK = Path(__file__).parents[2] / "examples" / "from_100_sentences.ipynb"
#: The largest file, in bytes.
MOST_BYTES = 1_000_000

pytestmark = pytest.mark.filterwarnings("ignore")  # of the kernel's own packages


@pytest.fixture(scope="module")
def notebook():
    import nbformat

    return nbformat.read(NOTEBOOK, 4)


def outputs(notebook, kind):
    """What cells have shown in one of the forms of a notebook."""
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    return [output["data"][kind] for cell in cells for output in cell.outputs if kind in output.get("data", {})]


def check(notebook):
    assert not [
        output for cell in notebook.cells for output in cell.get("outputs", []) if output.output_type == "error"
    ]
    html = outputs(notebook, "text/html")
    assert len(outputs(notebook, "image/png")) == 1
    assert any('class="entities"' in each for each in html)
    assert any('class="mtl-t"' in each for each in html)
    assert any('class="mtl-x"' in each for each in html)
    assert html[-1].startswith('<iframe title="Report on From 100 sentences"')
    assert "Learning curve" in html[-1]


def test_it_runs(notebook, tmp_path, monkeypatch):
    from nbclient import NotebookClient

    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(NOTEBOOK.parents[1]), *filter(None, sys.path)]))
    (tmp_path / "assets").symlink_to(NOTEBOOK.parents[1] / "assets")
    for cell in notebook.cells:
        cell.pop("outputs", None) if cell.cell_type != "code" else cell.update(outputs=[])
    NotebookClient(notebook, timeout=600, kernel_name="python3", resources={"metadata": {"path": tmp_path}}).execute()
    check(notebook)
    assert (tmp_path / "report.html").stat().st_size > 50_000
    text = "".join(output["text"] for cell in notebook.cells for output in cell.get("outputs", []) if "text" in output)
    assert "100 sentences to learn from" in text
    assert "20 passes: gap" in text


def test_the_file_shows_what_it_makes():
    import nbformat

    kept = nbformat.read(NOTEBOOK, 4)
    nbformat.validate(kept)
    check(kept)
    assert NOTEBOOK.stat().st_size < MOST_BYTES
    text = NOTEBOOK.read_text(encoding="utf8")
    assert str(NOTEBOOK.parents[1]) not in text
    assert "/tmp/" not in text
