"""Lines of a text file from a stranger: UTF-8, none of them enormous, faults named with their line."""

from collections.abc import Iterator
from pathlib import Path

from spacy_mtl.errors import Errors
from spacy_mtl.settings import brief, is_path, shown

#: Largest number of characters in a line.
LONGEST_LINE = 1000


def read_lines(path: str | Path) -> Iterator[tuple[int, str]]:
    """The lines of a file and their numbers, without line breaks, be they LF, CR LF or CR.

    Raises ValueError: M801 it cannot be read, M802 a line is too long, M960 ``path`` is none.
    """
    if not is_path(path):
        raise ValueError(Errors.M960.format(setting="path", expected="the path of a file", value=shown(path)))
    try:
        with Path(path).open(encoding="utf-8-sig") as file:
            number = 0
            while line := file.readline(LONGEST_LINE + 2):
                number += 1
                if len(line.rstrip("\n")) > LONGEST_LINE:
                    raise ValueError(Errors.M802.format(path=brief(path, 300), line=number, most=LONGEST_LINE))
                yield number, line.rstrip("\n")
    except UnicodeDecodeError:
        raise ValueError(Errors.M801.format(path=brief(path, 300), reason="it is not UTF-8 text")) from None
    except UnicodeEncodeError:
        raise ValueError(Errors.M801.format(path=brief(path, 300), reason="no file can have such a name")) from None
    except OSError as error:
        raise ValueError(Errors.M801.format(path=brief(path, 300), reason=error.strerror or error)) from None
