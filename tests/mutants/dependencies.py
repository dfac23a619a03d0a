"""What a kernel is made of: its module and all that this imports."""

import ast
import hashlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "spacy_mtl"


@cache
def digest_of(files: frozenset[Path]) -> str:
    texts = (str(path.relative_to(ROOT)).encode() + path.read_bytes() for path in sorted(files))
    return hashlib.sha256(b"\0".join(texts)).hexdigest()[:16]


def files_of(module: str, names: list[str]) -> Iterator[Path]:
    """The files behind ``from module import names``."""
    folder = ROOT.joinpath(*module.split("."))
    for path in (folder.with_suffix(".py"), folder / "__init__.py"):
        if path.exists():
            yield path
    for name in names:
        for path in (folder / f"{name}.py", folder / name / "__init__.py"):
            if path.exists():
                yield path


@cache
def imports_of(path: Path) -> frozenset[Path]:
    """The files of the package that a file imports."""
    package, found = path.relative_to(ROOT).parent.parts, set()
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join([*base, *filter(None, [node.module])])
            if module.partition(".")[0] == PACKAGE.name:
                found.update(files_of(module, [alias.name for alias in node.names]))
    return frozenset(found)


@cache
def closure(path: Path) -> frozenset[Path]:
    """A file and all files of the package that it needs."""
    found, todo = set(), [path]
    while todo:
        file = todo.pop()
        if file not in found:
            found.add(file)
            todo.extend(imports_of(file))
    return frozenset(found)


def state_of_module(path: Path) -> str:
    """A hash of all that a module's kernels are made of; for modules of tests, of the whole package."""
    inside = PACKAGE in path.parents
    return digest_of(closure(path) if inside else frozenset([path, *PACKAGE.rglob("*.py")]))
