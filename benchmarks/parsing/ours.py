"""Our parser as a contestant: trained from Docs in memory, each part of it timed."""

from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

from benchmarks.common.measure import Clock, cpu_seconds, forget_peak, peak_megabytes, resident_megabytes
from spacy_mtl.components.parser import MTLParser
from spacy_mtl.corpora.conllu import ConlluCorpus
from spacy_mtl.learning.tree import TreeLearner
from spacy_mtl.roots import ROOT

from .data import HELD_OUT, Data, Tree
from .scores import scores

#: Trainers and their C, the others' settings being the defaults.
TRAINERS = {"MTLStruct": 0.3, "SSVM": 0.1, "EG": 0.1, "MIRA": 0.1}
#: A coarse attribute beside TAG where it is not POS: the first two characters of Danish tags, and none for Dutch, whose TAG is POS.
COARSE = {"danish": "TAG_PREFIX2", "dutch": None}
#: A few sentences with every shape that the kernels are compiled for.
WARM_UP = ((2, 0, 2, 5, 2), (0, 1, 1, 3, 4))


@dataclass(frozen=True)
class Ours:
    """Settings of our parser. order: 2 for pairs of siblings. grandparents: pairs with them, too. morph: read morphology where there is any.

    trainer: one of :data:`TRAINERS`. C: None for that of the trainer.
    patterns: templates to use in place of ``parse.v1``; with labelling "none" no labels are learnt. margin: None for that of the configs, which is
    smaller without pairs.
    """

    trainer: str = "MTLStruct"
    order: int = 1
    projective: bool = True
    passes: int = 10
    C: float | None = None
    p: float = 4 / 3
    average: int = 6
    margin: float | None = None
    megabytes: float | None = 10.0
    labelling: str = "second_pass"
    patterns: tuple[str, ...] = ()
    grandparents: bool = False
    morph: bool = True

    @property
    def name(self) -> str:
        trees = "projective" if self.projective else "non-projective"
        labels = "" if self.labelling == "second_pass" else f", labels: {self.labelling}"
        above = " with grandparents" if self.grandparents else ""
        return f"ours: {self.trainer}, order {self.order}{above}, {trees}{labels}"

    def trainer_config(self) -> dict[str, Any]:
        config: dict[str, Any] = {
            "@mtl_trainers": f"spacy_mtl.{self.trainer}.v1",
            "C": self.C or TRAINERS[self.trainer],
        }
        if self.trainer in ("MTLStruct", "SSVM"):
            config["average"] = self.average
        if self.trainer == "MTLStruct":
            config["p"] = self.p
        if self.trainer == "EG":
            config["mode"] = "online"  # in batches, ten passes are a beginning
        return config

    def template_config(self, data: Data) -> dict[str, Any]:
        if self.patterns:
            return {"@mtl_templates": "spacy_mtl.patterns.v1", "patterns": list(self.patterns)}
        return {
            "@mtl_templates": "spacy_mtl.parse.v1",
            "coarse": COARSE.get(data.name, "auto"),
            "morph": self.morph,
            "siblings": self.order == 2,
            "grandparents": self.grandparents,
            "dependents": self.labelling == "second_pass",  # joint labelling cannot look at the tree
        }

    def pipeline(self, data: Data) -> tuple[Language, MTLParser]:
        """A pipeline with the parser alone, untrained."""
        nlp = spacy.blank(data.treebank.lang)
        model = {
            "@architectures": "spacy_mtl.TemplateTree.v1",
            "templates": self.template_config(data),
            "megabytes": self.megabytes,
        }
        config = {
            "model": model,
            "trainer": self.trainer_config(),
            "projective": self.projective,
            "margin": (4.0 if self.order == 1 and not self.patterns else 5.0) if self.margin is None else self.margin,
        }
        parser = nlp.add_pipe("mtl_parser", config=config | {"labelling": self.labelling})
        assert isinstance(parser, MTLParser)
        return nlp, parser


def examples_of(nlp: Language, data: Data, part: str) -> list[Example]:
    """The sentences of ``data.sentences(part)``, read by our reader: several roots are known as such. Raises RuntimeError where it reads others."""
    found = list(ConlluCorpus(str(data.path(part)), broken="skip", given=["TAG", "POS", "MORPH"])(nlp))
    if not data.has_dev and part in ("train", "dev"):
        cut = len(found) - int(HELD_OUT * len(found))
        found = found[:cut] if part == "train" else found[cut:]
    sentences = data.sentences(part)
    found = found[: len(sentences)]
    if [[token.text for token in example.reference] for example in found] != [sentence.forms for sentence in sentences]:
        raise RuntimeError(f"The reader sees other sentences in {data.path(part)} than the benchmark does.")
    return found


def tree_of(doc: Doc, root: str) -> Tree:
    """The tree of a parsed Doc of one sentence, all that is labelled ROOT a root."""
    heads = [0 if token.dep_ == ROOT or token.head.i == token.i else token.head.i + 1 for token in doc]
    return Tree(heads, [token.dep_ if head else root for token, head in zip(doc, heads, strict=True)])


def warm_up(data: Data, ours: Ours) -> float:
    """Train, predict and save once on a sentence, so that no kernel is compiled or loaded while we measure. CPU seconds."""

    def made(nlp: Language, heads: tuple[int, ...]) -> Example:
        words = [f"w{i}" for i in range(len(heads))]
        tags, pos, morphs = ["AA"] * len(words), ["NOUN"] * len(words), ["Case=Nom"] * len(words)
        given = Doc(
            nlp.vocab, words, tags=tags, pos=pos, morphs=morphs, sent_starts=[True] + [False] * (len(words) - 1)
        )
        absolute = [head - 1 if head else i for i, head in enumerate(heads)]
        deps = [ROOT if not head else "a" if i % 2 else "b" for i, head in enumerate(heads)]
        return Example(given, Doc(nlp.vocab, words, tags=tags, pos=pos, morphs=morphs, heads=absolute, deps=deps))

    def run() -> None:
        nlp, parser = replace(ours, passes=2).pipeline(data)
        examples = [made(nlp, heads) for heads in WARM_UP]
        nlp.initialize(lambda: examples)
        for _ in range(2):
            nlp.update(examples)
        nlp.evaluate(examples)
        parser.to_bytes()

    return cpu_seconds(run)


def compile_kernels(data: dict, ours: dict) -> dict[str, float]:
    """CPU seconds of the first training of a process: compiling, or loading what is cached."""
    return {"cpu": warm_up(Data(**data), Ours(**ours))}


def learn(nlp: Language, parser: MTLParser, ours: Ours, examples: list[Example]) -> dict[str, float]:
    """Train, and say where the CPU seconds went."""
    clock = Clock()
    with clock("cpu"), clock.method(TreeLearner, "_problems", "cpu_extraction"):
        with clock("cpu_initialize"):
            nlp.initialize(lambda: examples)
        with clock("cpu_update"):
            for _ in range(ours.passes):
                nlp.update(examples)
        with clock("cpu_export"):
            parser.predict([examples[0].predicted])
    return dict(clock.seconds)


def scores_of(nlp: Language, data: Data, part: str) -> dict[str, float]:
    """The scores of a part, the part's name at the end of the keys."""
    docs = [example.predicted for example in examples_of(nlp, data, part)]
    trees = [tree_of(doc, data.treebank.root) for doc in nlp.pipe(docs, batch_size=1000)]
    return {f"{key}_{part}": value for key, value in scores(data.sentences(part), trees).items()}


def one_training(data: Data, ours: Ours, part: str, folder: str) -> tuple[Language, dict[str, Any]]:
    """Train on a part and write the pipeline."""
    nlp, parser = ours.pipeline(data)
    examples = examples_of(nlp, data, part)
    forget_peak()
    row: dict[str, Any] = {"resident_before_mb": resident_megabytes()}
    row |= learn(nlp, parser, ours, examples)
    row["peak_mb"] = peak_megabytes()
    report = parser.report
    if report is not None:
        row |= {"primal": report.primal, "gap": report.gap, "live_templates": report.live_templates}
    nlp.to_disk(folder)
    row["model_mb"] = (Path(folder) / "mtl_parser" / "model").stat().st_size / 1e6
    return nlp, row


def train(data: dict, ours: dict) -> dict[str, Any]:
    """A row of everything there is to know about one training.

    Where a treebank has no dev part, the scores of dev are of a training that held a tenth out; all else is of the training on all.
    """
    the_data, settings = Data(**data), Ours(**ours)
    warm_up(the_data, settings)
    row: dict[str, Any] = {"contestant": settings.name}
    with TemporaryDirectory() as folder:
        nlp, found = one_training(the_data, settings, "train" if the_data.has_dev else "all", folder)
        row |= found | scores_of(nlp, the_data, "test")
        if not the_data.has_dev:
            del nlp
            nlp, found = one_training(the_data, settings, "train", folder)
            row["cpu_choosing"] = found["cpu"]
        return row | scores_of(nlp, the_data, "dev")


def saved(data: Data, ours: Ours, folder: str) -> Language:
    """Train ours, write the pipeline and load it, as users do."""
    warm_up(data, ours)
    one_training(data, ours, "train", folder)
    return spacy.load(folder)
