"""The lines of a text file, whatever its encoding and line endings."""

import codecs
import re
from collections.abc import Iterator
from pathlib import Path

from spacy_mtl.errors import Errors

_NEWLINE = re.compile(r"\r\n|\r|\n")


def text_lines(path: Path, encoding: str) -> Iterator[str]:
    """Stream the lines of a text file, each ending in "\\n" whatever the file's line endings; a byte-order mark is skipped.

    Raises ValueError where the file cannot be read (M501), for an unknown encoding (M513), and for bytes that cannot be decoded (M502).
    """
    try:
        # "utf-8-sig" reads UTF-8 with or without a byte-order mark
        encoding = "utf-8-sig" if codecs.lookup(encoding).name == "utf-8" else encoding
    except (LookupError, ValueError):  # ValueError: a name that none can have
        raise ValueError(Errors.M513.format(encoding=encoding, path=path)) from None
    try:
        with path.open(encoding=encoding) as lines:
            yield from lines if encoding == "utf-8-sig" else map(_whole, lines)
    except LookupError:  # a codec that is not for text, such as "zip"
        raise ValueError(Errors.M513.format(encoding=encoding, path=path)) from None
    except UnicodeError as error:
        raise ValueError(_undecodable(path, encoding, error)) from None
    except OSError as error:
        raise ValueError(Errors.M501.format(path=path, reason=error.strerror, cwd=Path.cwd())) from None


def _whole(line: str) -> str:
    """A line without half characters, which some encodings ("utf-7", "unicode_escape") can write. Raises UnicodeEncodeError."""
    if not line.isascii():
        line.encode("utf8")
    return line


def _undecodable(path: Path, encoding: str, error: UnicodeError) -> str:
    """The message for bytes that cannot be decoded. Files are decoded in chunks, so the whole file is decoded again to find the line."""
    line, reason = 1, str(error)
    try:
        path.read_bytes().decode(encoding).encode("utf8")
    except UnicodeEncodeError as found:
        line = 1 + len(_NEWLINE.findall(found.object[: found.start]))
        reason = f"half a character, U+{ord(found.object[found.start]):04X}"
    except UnicodeDecodeError as found:
        read = found.object[: found.start].decode(encoding, errors="replace")
        line = 1 + len(_NEWLINE.findall(read))
        reason = f"{found.reason} at byte 0x{found.object[found.start]:02x}"
    except UnicodeError:  # without a place
        pass
    return Errors.M502.format(line=line, path=path, encoding=encoding.removesuffix("-sig"), reason=reason)
