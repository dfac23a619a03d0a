"""The Examples of a corpus, each checked as it is read."""

from collections.abc import Callable, Iterable, Iterator

from spacy.training import Example, validate_examples, validate_get_examples


def each_example(get_examples: Callable[[], Iterable[Example]], method: str) -> Iterator[Example]:
    """Stream the examples and check each, so that the corpus is read only once. Raises TypeError as spaCy's components do."""
    examples = get_examples() if callable(get_examples) else None
    if not isinstance(examples, Iterable):
        validate_get_examples(get_examples if examples is None else lambda: examples, method)
    for example in examples or ():
        validate_examples([example], method)
        yield example
