"""Reading bracketed trees, and what is refused with file and line."""

import pytest

from spacy_mtl.constituents.brackets import DEEPEST, LONGEST, read_brackets
from spacy_mtl.constituents.tree import Tree, bracketed


def test_trees_over_several_lines_and_several_trees_a_line():
    text = "\n( (S (N a)\n  (V b)))  (X (N c))\n\n(N d)\n".splitlines()
    placed = list(read_brackets(text, "file"))
    assert [line for line, _ in placed] == [2, 3, 5]
    assert [bracketed(tree) for _, tree in placed] == ["( (S (N a) (V b)))", "(X (N c))", "(N d)"]
    assert placed[2].tree == Tree("N", (), "d")


@pytest.mark.parametrize(
    ("text", "line", "fault"),
    [
        ("(S (N a)\n\n", 1, "not closed"),
        ("(N a)\n(N b))", 2, "outside of brackets"),
        ("(N a)\nword", 2, "outside of brackets"),
        ("(S (N a)\n  b)", 2, "beside constituents"),
        ("\n(S b (N a))", 2, "beside constituents"),
        ("(N a b)", 1, "third text"),
        ("(S (N a)\n (V))", 2, "only 'V'"),
        ("(S (N a) ())", 1, "nothing"),
        ("(A " * (DEEPEST + 1), 1, "deeper"),
        ("(S (N a)\n" + "(N b)" * LONGEST, 1, "longer"),
    ],
)
def test_what_is_no_tree_is_refused_with_its_line(text, line, fault):
    with pytest.raises(ValueError, match=rf"M570.*Line {line} of 'trees.mrg'.*{fault}"):
        list(read_brackets(text.splitlines(), "trees.mrg"))


def test_trees_before_a_fault_are_read():
    trees = read_brackets(["(N a)", "(N"], "file")
    assert next(trees).tree.word == "a"
    with pytest.raises(ValueError, match="M570"):
        next(trees)
