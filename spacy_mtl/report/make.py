"""Make a report of a trained pipeline on a corpus with gold."""

import platform
from collections.abc import Sequence
from importlib.metadata import version

from spacy.language import Language
from spacy.training import Example

from spacy_mtl.components.confidence.pipe import ConfidentPipe
from spacy_mtl.components.confidence.untold import untold
from spacy_mtl.components.protocol.annotated import docs_before
from spacy_mtl.errors import Errors
from spacy_mtl.settings import of_the_name

from .data import ReportData, Step
from .gather import Gathering, Tell
from .page import Report

PACKAGES = ("spacy-mtl", "spacy", "thinc", "numpy", "scipy", "numba")


def make_report(
    nlp: Language,
    examples: Sequence[Example],
    *,
    train: list[Example] | None = None,
    curve: bool = False,
    components: Sequence[str] | None = None,
    steps: Sequence[Step] = (),
    source: str = "",
    tell: Tell | None = None,
) -> Report:
    """A report on this package's components of a pipeline.

    examples: documents with gold that training has not seen, the predicted ones as they come to the pipeline; they stay as they are. train: the
    training corpus, for the names of features, and for a learning ``curve``, for which components are trained anew several times. components: names
    of those to report on, None for all. steps: rows of the training table. source: where the pipeline comes from. tell: told what is being done.

    Raises ValueError: M788 no such component, M475 an untrained one, M789 no documents with words.
    """
    tell = tell or (lambda _: None)
    chosen = reportable(nlp, components)
    numbered = [(k, each) for k, each in enumerate(examples, start=1) if len(each.predicted) and len(each.reference)]
    examples = [example for _, example in numbered]
    if not examples:
        raise ValueError(Errors.M789)
    found = []
    with untold(nlp) as without_threshold:
        for name in chosen:
            tell(f"{name}: predicting")
            inputs = docs_before(nlp, name, [example.predicted for example in examples])
            gathering = Gathering(nlp, name, inputs, numbered, train, tell)
            if name in without_threshold:
                gathering.missing.append("The component has no calibration, so its threshold leaves nothing out here.")
            found.append(gathering.report(examples if curve else None))
    data = ReportData(
        title=source.encode("utf8", "replace").decode() or str(nlp.meta.get("name") or "pipeline"),
        language=str(nlp.lang),
        source=source.encode("utf8", "replace").decode(),
        documents=len(examples),
        words=sum(len(example.reference) for example in examples),
        components=found,
        steps=steps,
        versions=_versions(nlp),
        config=nlp.config.to_str(),
    )
    return Report(data)


def reportable(nlp: Language, components: Sequence[str] | None = None) -> list[str]:
    """The names of the trained components that a report is made of. Raises ValueError: M788 no such component, M475 an untrained one."""
    if isinstance(components, str):
        components = [components]
    able = [name for name, pipe in nlp.pipeline if isinstance(pipe, ConfidentPipe)]
    chosen = able if components is None else list(dict.fromkeys(components))
    unknown = [name for name in chosen if name not in able]
    if unknown or not chosen:
        raise ValueError(Errors.M788.format(named=of_the_name(*unknown), names=", ".join(able) or "none"))
    for name in chosen:
        if not nlp.get_pipe(name).is_trained:  # type: ignore[attr-defined]
            raise ValueError(Errors.M475.format(name=name))
    return chosen


def _versions(nlp: Language) -> list[tuple[str, str]]:
    own = [("pipeline", str(nlp.meta.get("version", "")))]
    return own + [(name, version(name)) for name in PACKAGES] + [("Python", platform.python_version())]
