"""Corpora that are gone through several times without ever being in memory as a whole."""

from collections.abc import Callable, Iterable, Iterator
from typing import Generic, TypeAlias, TypeVar

Item = TypeVar("Item")
Made = TypeVar("Made")


class Stream(Generic[Item]):
    """What is read anew each time it is gone through.

    read: begins from the first item whenever it is called, with the same items. size: tells how many there are; if not given, they are counted
    when they are gone through, or for the purpose if that has not been done yet.
    """

    def __init__(self, read: Callable[[], Iterable[Item]], size: Callable[[], int] | None = None):
        self._read = read
        self._size = size
        self._found: int | None = None

    def __iter__(self) -> Iterator[Item]:
        n = 0
        for item in self._read():
            yield item
            n += 1
        self._found = n

    def __bool__(self) -> bool:
        return any(True for _ in self)

    def __len__(self) -> int:
        if self._found is None:
            self._found = self._size() if self._size is not None else sum(1 for _ in self)
        return self._found


#: What can be gone through several times.
Corpus: TypeAlias = list[Item] | Stream[Item]


def to_go_through(items: Iterable[Item]) -> Corpus[Item]:
    """The items so that they can be gone through several times: as a list, but a stream as it is."""
    return items if isinstance(items, Stream) else list(items)


def made_of(make: Callable[[Item], Made], items: Corpus[Item]) -> Corpus[Made]:
    """What is made of each item: a list of a list, a stream of a stream."""
    return Stream(lambda: map(make, items), lambda: len(items)) if isinstance(items, Stream) else list(map(make, items))
