"""The site is built without a warning, needs nothing from elsewhere, and has its formulas as MathML."""

import importlib.util
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET

import pytest

from .blocks import ROOT


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """All pages by their path."""
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", folder],
        cwd=ROOT, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"}, capture_output=True, encoding="utf8", check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr
    return {
        path.relative_to(folder).as_posix(): path.read_text(encoding="utf8") for path in sorted(folder.rglob("*.html"))
    }


def test_every_page_is_there(site):
    pages = [path.relative_to(ROOT / "docs").with_suffix("") for path in (ROOT / "docs").rglob("*.md")]
    names = {(page.parent if page.name == "index" else page).as_posix() for page in pages}
    assert {"index.html" if name == "." else f"{name}/index.html" for name in names} <= set(site)


def test_nothing_is_loaded_from_elsewhere(site):
    for name, text in site.items():
        loaded = re.findall(r"<(?:script|img|iframe|source)\b[^>]*\bsrc=[\"']?([^\"'\s>]+)", text)
        loaded += re.findall(r"<link\b[^>]*\bhref=[\"']?([^\"'\s>]+)", text)
        assert loaded, name
        assert [url for url in loaded if re.match(r"(?:https?:)?//", url)] == [], name


def test_formulas_are_mathml(site):
    assert all('class="arithmatex"' not in text for text in site.values())
    formulas = [formula for text in site.values() for formula in re.findall(r"<math\b.*?</math>", text, re.S)]
    assert len(formulas) > 50
    assert all(ET.fromstring(formula).tag.endswith("}math") for formula in formulas)


def test_docstrings_are_markdown(site):
    """Roles, examples and tables of docstrings do not show their marks."""
    api = [text for name, text in site.items() if name.startswith("api/")]
    assert len(api) >= 7
    for text in api:
        prose = re.sub(r"<pre.*?</pre>", "", text, flags=re.S)
        assert re.findall(r":\w+:`|&gt;&gt;&gt;|====", prose) == []


@pytest.fixture(scope="module")
def hook():
    spec = importlib.util.spec_from_file_location("mathml", ROOT / "docs" / "hooks" / "mathml.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_limits_go_below_in_display_alone(hook):
    latex = r"\min_w \lVert w \rVert"
    assert "<munder>" in hook.to_mathml(latex, "block")
    assert "<munder>" not in hook.to_mathml(latex, "inline")
    assert 'stretchy="false"' in hook.to_mathml(latex, "block")


def test_an_unknown_command_is_a_warning(hook, caplog):
    page = type("Page", (), {"file": type("File", (), {"src_uri": "some.md"})})
    assert "<math" in hook.on_page_content(r'<span class="arithmatex">\(x_1\)</span>', page=page)
    assert not caplog.records
    hook.on_page_content(r'<span class="arithmatex">\(\nonsense x\)</span>', page=page)
    assert "some.md" in caplog.text
