"""The checks of blocks find what is wrong with one."""

import pytest

from .blocks import blocks_of
from .test_blocks import Page, folder  # noqa: F401 (a fixture)

TRAIN = "python -m spacy train configs/ner.cfg --output out"
#: By name: the language of a block, its text, and what the complaint says.
WRONG = {
    "python that fails": ("python", "1 / 0", "division by zero"),
    "an assertion": ("python", "assert 1 > 2", "^$"),
    "an unknown language": ("", "anything", "no check for blocks of language ''"),
    "an unknown program": ("bash", "rm my.train", "no check knows this program"),
    "an unknown command": ("bash", "python -m spacy mtl evaluated model my.test", "No such command 'evaluated'"),
    "an unknown option": (
        "bash",
        "python -m spacy mtl evaluate DIR my.test --columnz ORTH",
        "No such option: --columnz",
    ),
    "an unknown option of a long command": (
        "bash",
        "python -m spacy package DIR packages --builds none",
        "No such option: --builds",
    ),
    "a setting that the config does not have": (
        "bash",
        f"{TRAIN} --components.ner.trainer.D 3",
        "trainer.D is no setting",
    ),
    "the same where nothing is run": (
        "bash",
        f"{TRAIN} --components.ner.trainer.D 3 --paths.train DIR/my.train",
        "trainer.D is no setting",
    ),
    "a value that cannot be": ("bash", f"{TRAIN} --components.ner.trainer.p 0.5 --paths.train DIR/my.train", "M303"),
    "a file that is not there": ("bash", f"{TRAIN} --paths.train mine.train", "M501"),
    "a second command": (
        "bash",
        "cd venv && python -m spacy mtl config configs/ner.cfg x.cfg --set nothing=1",
        "nothing=1",
    ),
    "a workflow that is not there": ("bash", "python -m spacy project run nothing", "^nothing"),
    "a variable that is not there": (
        "bash",
        "python -m spacy project run segment . --vars.wordz DIR",
        "no such variables",
    ),
    "an extra that is not there": ("bash", 'pip install ".[nothing]"', "nothing"),
    "a package that is not ours": ("bash", "pip install spacy-mtl", "^spacy-mtl"),
    "an option of a benchmark": (
        "bash",
        "python -m benchmarks.ner train --corpora DIR --nothing 3",
        "No such option: --nothing",
    ),
    "a mode of a benchmark": ("bash", "python -m benchmarks.ner nothing --corpora DIR", "No such command 'nothing'"),
    "a target": ("bash", "make nothing", "'make', 'nothing'"),
    "a test": ("bash", "python -m pytest tests/nothing", "tests/nothing"),
    "a trainer": ("ini", '[components.ner.trainer]\n@mtl_trainers = "spacy_mtl.Nothing.v1"', "E893"),
    "a setting of a trainer": (
        "ini",
        '[components.ner.trainer]\n@mtl_trainers = "spacy_mtl.EG.v1"\np = 2.0',
        "unexpected argument: 'p'",
    ),
    "a setting of a component": (
        "ini",
        '[components.ner]\nfactory = "mtl_ner"\nnothing = 1',
        "unexpected argument: 'nothing'",
    ),
    "a setting of a reader": (
        "ini",
        '[corpora.train]\n@readers = "spacy_mtl.ConlluCorpus.v1"\ncolumns = ["ORTH"]',
        "unexpected argument: 'columns'",
    ),
    "a setting of training": ("ini", "[training]\nnothing = 1", "no settings of"),
    "a template": ("templates", "U0:%x[0,LOWER", "M103"),
    "an attribute": ("templates", "U0:%x[0,NOTHING]", "M110"),
    "a place": ("templates", "U0:%x[0,TAG]\nU1:%h[0,TAG]", "M129"),
    "an entity": ("conll", "Bogotá LOC", "M508"),
    "a head": ("conllu", "1\tBogotá\t_\t_\t_\t_\t7\troot\t_\t_", "M552"),
    "a group of entry points": ("toml", '[project.entry-points.spacy_nothing]\nname = "module:name"', "spacy_nothing"),
    "JSON": ("json", "{'a': 1}", "Expecting property name"),
}


def page(text: str, folder) -> None:  # noqa: F811
    """Check all blocks of a page with this text."""
    one = Page(folder, "a page")
    for block in blocks_of("a page", text):
        one.check(block)


def fenced(language: str, text: str) -> str:
    return f"Some words.\n\n```{language}\n{text}\n```\n"


@pytest.mark.parametrize("name", WRONG)
@pytest.mark.filterwarnings("ignore")
def test_a_fault_is_found(name, folder):  # noqa: F811
    language, text, complaint = WRONG[name]
    with pytest.raises(Exception, match=complaint):
        page(fenced(language, text), folder)


def test_what_is_printed_is_compared(folder):  # noqa: F811
    printed = fenced("python", 'for k in range(3):\n    print(k, "of", 3.5)')
    for shown in ("0 of 3.5\n1 of 3.5\n2 of 3.5", "0 of 3.5\n...", "0 of 9.9"):
        page(printed + fenced("output", shown), folder)
    for shown in ("0 from 3.5", "0 of 3.5\n" * 4):
        with pytest.raises(AssertionError):
            page(printed + fenced("output", shown), folder)


def test_blocks_of_a_page_share_names_and_files(folder):  # noqa: F811
    page(fenced("python", "a = 1") + fenced("python", "assert a == 1"), folder)
    page(fenced('python title="one.py"', "a = 1") + fenced("python", "import one\nassert one.a == 1"), folder)


def test_blocks_in_lists_are_found():
    (block,) = blocks_of("a page", "- an item\n\n    ```python\n    a = 1\n    ```\n")
    assert (block.language, block.text, block.line) == ("python", "a = 1\n", 3)


def test_a_reason_is_read():
    (block,) = blocks_of("a page", "<!-- not run: a drawing -->\n```text\n-->\n```\n")
    assert block.reason == "a drawing"
