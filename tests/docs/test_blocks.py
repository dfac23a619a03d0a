"""Every fenced block of the README and of the site works.

What is done with a block is chosen by its language:

python     run, all blocks of a page one after another, in a folder with assets/, configs/ and the reader's own files (corpora.py)
bash       run in small, or held against the real command line (shell.py)
ini        merged into one of configs/ and made into a pipeline (configs.py)
templates  parsed, and given to a component
conll, conllu, toml, json    read
output     what the block before printed, but for the numbers; "..." leaves lines out

A block with ``title="NAME"`` is also written to a file of that name, for those after it. Any other language fails. What cannot be
checked has ``<!-- not run: REASON -->`` before it.
"""

import contextlib
import io
import json
import re
import sys
import types
from importlib.metadata import entry_points
from pathlib import Path

import catalogue
import pytest
import spacy
from spacy.util import registry

from spacy_mtl.corpora.conll import ConllCorpus
from spacy_mtl.corpora.conllu import ConlluCorpus
from spacy_mtl.templates.arcs.program import check_arc_templates
from spacy_mtl.templates.grammar import parse_templates

from .blocks import NAMES, ROOT, Block, blocks_of, fence_lines
from .configs import check_config
from .corpora import write_samples
from .shell import check_commands

#: drawings, and nothing that could run
MOST_UNCHECKED = 4


class Page:
    """What the blocks of one page share: the module that its Python is, the folder, and what was printed last."""

    def __init__(self, folder: Path, name: str):
        self.folder = folder
        self.module = types.ModuleType(re.sub(r"\W", "_", name))
        self.printed = ""

    def check(self, block: Block) -> None:
        if block.title:
            (self.folder / block.title).write_text(block.text, encoding="utf8")
        check = getattr(self, f"check_{block.language}", None)
        assert check is not None, f"{block}: no check for blocks of language {block.language!r}, see {__file__}"
        if block.language == "output":
            return check(block)
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            check(block)
        self.printed = printed.getvalue()
        return None

    def check_python(self, block: Block) -> None:
        path = (
            block.source or self.folder / f"{self.module.__name__}_{block.line}.py"
        )  # a file, for tracebacks and numba's cache
        if not block.source:
            path.write_text(block.text, encoding="utf8")
        exec(compile(block.text, str(path), "exec"), vars(self.module))

    def check_bash(self, block: Block) -> None:
        check_commands(block.text)

    def check_ini(self, block: Block) -> None:
        check_config(block.text)

    check_cfg = check_ini

    def check_templates(self, block: Block) -> None:
        templates = parse_templates(block.text)
        settings: dict[str, object] = {}
        assert templates
        if any(obs.place in "ijk" for template in templates for obs in template.observations):
            factory = "mtl_constituents"
        elif any(obs.place not in "xvt" for template in templates for obs in template.observations):
            check_arc_templates(templates)
            factory = "mtl_parser"
            labelled = any(template.name.startswith("B") for template in templates)
            settings["labelling"] = "second_pass" if labelled else "none"
        elif any(obs.attr in SEGMENTER for template in templates for obs in template.observations):
            factory = "mtl_segmenter"
        elif any(obs.attr == "USUAL_TAG" for template in templates for obs in template.observations):
            factory = "mtl_tagger"
        else:
            factory = "mtl_ner"
        patterns = {"@mtl_templates": "spacy_mtl.patterns.v1", "patterns": block.text.splitlines()}
        spacy.blank("es").add_pipe(factory, config={"model": {"templates": patterns}, **settings})

    def check_conll(self, block: Block) -> None:
        columns = columns_of(block.text)
        self.read(block, ConllCorpus, columns=columns, given=columns[1:-1])

    def check_conllu(self, block: Block) -> None:
        self.read(block, ConlluCorpus)

    def read(self, block: Block, reader: type, **settings: object) -> None:
        path = self.folder / "block.txt"
        path.write_text(block.text, encoding="utf8")
        assert list(reader(path, **settings)(spacy.blank("xx")))

    def check_json(self, block: Block) -> None:
        for line in block.text.splitlines() if block.text.startswith("{") and "}\n{" in block.text else [block.text]:
            json.loads(line)

    def check_toml(self, block: Block) -> None:
        groups = re.findall(r"^\[project\.entry-points\.(\w+)\]$", block.text, re.M)
        assert groups, f"{block}: only entry points are known here"
        assert set(groups) <= {*entry_points().groups, "spacy_mtl_attributes"}

    def check_output(self, block: Block) -> None:
        """Line by line in the same order; numbers may be others, "..." stands for any lines."""
        printed = iter(without_numbers(self.printed))
        for line in without_numbers(block.text):
            assert line == "..." or line in printed, f"{block}: not printed, or not here: {line!r} of\n{self.printed}"


#: attributes of characters, which only the segmenter reads
SEGMENTER = {"CHAR", "CHAR_CLASS", "SAME_1", "SAME_2", "BREAK", "CHAR_GROUP"}


def columns_of(text: str) -> list[str]:
    """By how many columns there are: words and entities, or tags between them."""
    return {2: ["ORTH", "ENT"], 3: ["ORTH", "TAG", "ENT"]}[len(text.split("\n", 1)[0].split())]


def without_numbers(text: str) -> list[str]:
    """Lines with every number as 0 and every run of blanks as one."""
    return [" ".join(re.sub(r"\d[\d.,]*", "0", line).split()) for line in text.splitlines() if line.strip()]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Where a reader of the page would be: in a clone, with files of their own."""
    for name in ("assets", "configs", "examples"):
        if (ROOT / name).exists():
            (tmp_path / name).symlink_to(ROOT / name)
    write_samples(tmp_path)
    clusters = {"lexeme_cluster": tmp_path / "my-clusters.json"}
    if "es" not in registry.lookups:  # a large package
        monkeypatch.setattr(registry, "lookups", {"es": clusters})
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    registered = set(catalogue.REGISTRY)
    modules = set(sys.modules)
    yield tmp_path
    for name in set(catalogue.REGISTRY) - registered:
        if name[0] == "spacy_mtl":  # what the page has registered; what comes with the package has entry points
            del catalogue.REGISTRY[name]
    for name in set(sys.modules) - modules:
        if str(tmp_path) in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]


@pytest.mark.parametrize("name", [name for name in NAMES if blocks_of(name)])
@pytest.mark.usefixtures("tokenized_as_by_users")
def test_blocks_of_a_page(name, folder, monkeypatch):
    page = Page(folder, name)
    monkeypatch.setitem(sys.modules, page.module.__name__, page.module)
    for block in blocks_of(name):
        if block.reason is None:
            try:
                page.check(block)
            except Exception as error:
                error.add_note(f"in the block at {block}") if hasattr(error, "add_note") else None
                raise


def test_no_block_is_overlooked():
    assert {name: 2 * len(blocks_of(name)) for name in NAMES} == {name: fence_lines(name) for name in NAMES}


def test_few_blocks_are_left_out():
    assert len([block for name in NAMES for block in blocks_of(name) if block.reason]) <= MOST_UNCHECKED
