"""Settings that suit a corpus, with the reason of each."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from spacy.parts_of_speech import IDS as POS_IDS

from spacy_mtl.corpora.conllu import GIVEN
from spacy_mtl.errors import Errors
from spacy_mtl.morphology.parts import UNIVERSAL
from spacy_mtl.roots import FEW_CROSSING

from .found import Survey
from .unfit import hint, seen

#: The components in the order of a pipeline, and the formats that each can be trained on.
KINDS = {
    "segmenter": ("segmented", "columns", "binary"),
    "senter": ("trees",),
    "tagger": ("columns", "trees", "bracketed", "binary"),
    "morphologizer": ("trees",),
    "lemmatizer": ("trees",),
    "parser": ("trees",),
    "constituents": ("bracketed",),
    "ner": ("columns", "binary"),
}
#: The columns of a treebank that components set.
PREDICTED = {"tagger": ("TAG", "POS"), "morphologizer": ("POS", "MORPH"), "lemmatizer": ("LEMMA",)}
#: Sentences of a document from which borders are learnt.
GROUPED = 10
#: A smaller share of words with a case means that word order, not case, tells subject from object.
MUCH_CASE = 0.2
#: From this many words on, the segmenter does better with a smaller C.
MANY_WORDS = 500_000
#: Below this many sentences, templates of grandparents are not worth their time.
MANY_TREES = 1000
#: Share of the sentences of documents that are learnt from by themselves, too.
SINGLES = 0.4
#: Where fewer words than these begin an entity, and most of the entities differ, a recognizer finds few of others: then a miss costs more.
SPARSE, DIFFERENT, DEAR = 0.05, 0.5, {"*>O": 2.0}
_SURE = 0.99


@dataclass(frozen=True)
class Choice:
    """A setting of a config and why it is chosen; without a reason, it is what the file says."""

    section: str
    key: str
    value: Any
    reason: str = ""


def check_pipeline(components: Sequence[str], train: Survey) -> list[str]:
    """The components in the order of a pipeline. Raises ValueError: M727 for an unknown one, M728 for one that the corpus cannot train."""
    unknown = [name for name in components if name not in KINDS]
    if unknown or not components:
        raise ValueError(Errors.M727.format(name=", ".join(unknown), known=", ".join(KINDS)))
    for name in components:
        needs = {
            "segmenter": train.words > 0,
            "senter": train.sentences > 1,
            "tagger": bool(train.tags),
            "morphologizer": train.upos or train.features > 0,
            "lemmatizer": train.lemmas,
            "parser": train.arcs > 0,
            "constituents": train.brackets > 0,
            "ner": bool(train.entities),
        }
        if train.kind not in KINDS[name] or not needs[name]:
            raise ValueError(
                Errors.M728.format(name=name, path=train.path, seen=seen(name, train), hint=hint(name, train))
            )
    return [name for name in KINDS if name in components]


def propose(pipeline: Sequence[str], train: Survey, tags: bool | None = None, group: int | None = None) -> list[Choice]:
    """Settings for a pipeline trained on a corpus. tags: whether entities are to be found with the help of tags. group: sentences per Doc."""
    choices = _reader(pipeline, train, tags, group)
    if "segmenter" in pipeline and train.words >= MANY_WORDS:
        reason = "weight of the losses against the norm: a larger value fits the training data more closely; smaller for a large corpus"
        choices.append(Choice("components.segmenter.trainer", "C", 0.3, reason))
    if "tagger" in pipeline:
        choices.append(Choice("components.tagger", "pos_map", pos_map(train)))
    if "parser" in pipeline:
        choices += _parser(pipeline, train)
    if "ner" in pipeline:
        choices += [_ner_tags(pipeline, train, tags), *_ner_costs(train)]
    return choices


def _reader(pipeline: Sequence[str], train: Survey, tags: bool | None, group: int | None) -> list[Choice]:
    section = "corpora.train"
    choices = [Choice(section, key, value) for key, value in train.reader.items()]
    if train.kind == "columns":
        choices.append(Choice(section, "columns", train.columns))
        choices.append(_given(pipeline, train, bool(tags)))
        choices += _group(pipeline, train, group)
    if train.kind in ("trees", "bracketed") and group is not None:
        choices.append(Choice(section, "group", group))
    if train.kind == "bracketed" and "constituents" not in pipeline:
        choices.append(Choice(section, "given", [], "columns that are input: none"))
    if train.kind == "trees" and (set(pipeline) - {"parser"}):
        given = given_columns(pipeline)
        reason = "columns that are input for the pipeline, whose components learn from those of the corpus"
        choices.append(Choice(section, "given", given, reason if given else "columns that are input: none"))
    if train.kind == "trees" and "senter" in pipeline and group is None:
        reason = "sentences per document: the senter learns from the borders between them"
        choices.append(Choice(section, "group", GROUPED, reason))
    return choices


def given_columns(pipeline: Sequence[str], predicted: bool = True) -> list[str]:
    """Columns of a treebank that components read in training.

    predicted: whether those that the pipeline predicts itself are among them, which it is given in training alone.
    """
    read: tuple[str, ...] = GIVEN if "parser" in pipeline else GIVEN[:3] if "lemmatizer" in pipeline else ()
    own = {column for name in pipeline for column in PREDICTED.get(name, ())}
    if "morphologizer" in pipeline and "tagger" not in pipeline:  # nothing sets TAG in use
        read = tuple(column for column in read if column != "TAG")
    return [column for column in read if predicted or column not in own]


def _given(pipeline: Sequence[str], train: Survey, tags: bool) -> Choice:
    if tags and "TAG" in train.columns:
        return Choice("corpora.train", "given", ["TAG"], "columns that are input, which templates read")
    return Choice(
        "corpora.train", "given", [], "columns that are input for the pipeline: none, so that it needs nothing but text"
    )


def _group(pipeline: Sequence[str], train: Survey, group: int | None) -> list[Choice]:
    section = "corpora.train"
    about = "sentences per document, the context of DOC_... and RUN_... attributes; 0 keeps the documents of the file"
    if group is None and "ner" in pipeline and 1 < train.documents < train.sentences:
        also = "share of sentences that are learnt from once more by themselves, so that the model is good at single sentences, too"
        documents = Choice(section, "group", 0, f"{about}: {train.documents:,} are marked")
        return [documents, Choice(section, "singles", SINGLES, also)]
    reason = f"{about} (-DOCSTART-)" + ("" if train.documents else ", but none are marked")
    return [Choice(section, "group", 1 if group is None else group, reason)]


def _ner_tags(pipeline: Sequence[str], train: Survey, tags: bool | None) -> Choice:
    section = "components.ner.model.templates"
    if tags:
        return Choice(
            section, "tag", True, "read part-of-speech tags; texts then need them in prediction, too (from a tagger)"
        )
    known = "the corpus has tags, but plain text has none" if train.tags else "the corpus has no tags"
    return Choice(section, "tag", False, f"whether to read part-of-speech tags: {known}")


def _ner_costs(train: Survey) -> list[Choice]:
    """Dearer misses where entities are sparse and rarely repeated: chosen on the development parts of small parts of four corpora."""
    n, different = train.entities.total(), sum(map(len, train.phrases.values()))
    if n >= SPARSE * train.words or different <= DIFFERENT * n:
        return []
    reason = (
        'training loss of wrong tags where it is not 1, by "GOLD>PREDICTED": here a miss costs more, since most entities of other texts\n'
        f"would be missed ({n:,} entities in {train.words:,} words, {different:,} of them different); see spacy mtl bias, too"
    )
    return [Choice("components.ner", "costs", dict(DEAR), reason)]


def _parser(pipeline: Sequence[str], train: Survey) -> list[Choice]:
    few = train.crossing < FEW_CROSSING
    reason = (
        "true finds projective trees only, false lets arcs cross, null decides by how many arcs cross in the training corpus\n"
        f"(here {train.crossing:.1%})"
    )
    choices = [Choice("components.parser", "projective", few, reason)]
    section = "components.parser.model.templates"
    about = "attributes that templates read"
    if not train.tags:
        choices += _without_tags(section)
    elif "morphologizer" in pipeline:
        choices += _behind_morphologizer(section, "tagger" in pipeline)
    elif "tagger" in pipeline:
        choices.append(Choice(section, "tag", "TAG", f"{about}; the tagger sets TAG and POS, and no other"))
        choices.append(Choice(section, "coarse", "POS" if pos_map(train) and train.coarse else None))
        choices.append(Choice(section, "morph", False, "whether to read morphology: no component sets it"))
    elif train.case >= MUCH_CASE:
        share = f"{train.case:.0%} of words have a case"
        choices.append(Choice(section, "morph", True, f"read morphology: {share}, which tells subjects from objects"))
    if not PREDICTED.keys().isdisjoint(pipeline):
        choices.append(
            Choice(section, "lemma", False, "whether to read lemmas: in training, no component has set them yet")
        )
    if train.trees < MANY_TREES:
        about = (
            "templates that look at two arcs at once: those of adjacent modifiers, and of a word and its head's head"
        )
        reason = f"{about}\n(few sentences do without the latter)"
        choices.append(Choice(section, "grandparents", False, reason))
    return choices


def _without_tags(section: str) -> list[Choice]:
    """What a parser reads of a treebank that has neither tags of its own nor parts of speech."""
    reason = "attributes that templates read: the treebank has no tags, whose place endings of words take"
    return [Choice(section, "tag", None, reason), Choice(section, "coarse", None)]


def _behind_morphologizer(section: str, has_tagger: bool) -> list[Choice]:
    """What a parser reads behind a morphologizer, which sets POS and MORPH."""
    if has_tagger:
        return [Choice(section, "tag", "TAG", "attributes that templates read, all of them predicted before")]
    tag = Choice(
        section, "tag", "POS", "attributes that templates read: the morphologizer sets POS and MORPH, nothing sets TAG"
    )
    return [tag, Choice(section, "coarse", None)]


def absent_scores(train: Survey) -> list[str]:
    """Scores of a morphologizer for columns that a treebank does not have."""
    there = {"pos_acc": train.upos, "morph_acc": train.features > 0}
    return [score for score, is_there in there.items() if train.kind == "trees" and not is_there]


def pos_map(train: Survey) -> dict[str, str]:
    """The universal part of speech of each tag, where the corpus tells: for tags that are universal, or nearly always have the same one."""
    tags = sorted(train.tags)
    if set(tags) <= set(POS_IDS):
        return {tag: tag for tag in tags if tag in UNIVERSAL}
    found = {}
    for tag in tags:
        counts = train.pos_of.get(tag, Counter())
        for pos, count in counts.most_common(1):
            if pos in UNIVERSAL and count >= _SURE * counts.total():
                found[tag] = pos
    return found
