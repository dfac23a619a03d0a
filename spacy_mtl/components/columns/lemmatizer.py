"""mtl_lemmatizer: lemmas by edit scripts, which a chain chooses for each token among those that apply to its form."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from spacy.attrs import LEMMA, ORTH, POS
from spacy.parts_of_speech import NAMES as PARTS
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab
from thinc.api import Model

from spacy_mtl.components.protocol.settings import check_count, check_switches, refuse
from spacy_mtl.distinct import distinct
from spacy_mtl.errors import Errors
from spacy_mtl.learning.counted.known_words import MOST_CELLS
from spacy_mtl.learning.counted.stems import count_stems
from spacy_mtl.learning.gather import Piece, content_key
from spacy_mtl.lemmas.applicable import applicable
from spacy_mtl.lemmas.beginnings import Beginnings, Word, find_beginning, learn_beginnings
from spacy_mtl.lemmas.known import add_lemmas, check_lemmas, count_lemmas, key_of, known_lemma
from spacy_mtl.lemmas.script import EditScript, parse_script, script_of
from spacy_mtl.models.chain.weights import ChainWeights
from spacy_mtl.settings import shown
from spacy_mtl.stored.fault import StoredValueError
from spacy_mtl.stored.values import distinct_texts
from spacy_mtl.structures.chain.build import Constraints
from spacy_mtl.templates.attributes.learned import STEM_TAG, FormTable
from spacy_mtl.templates.attributes.reader import AttributeReader
from spacy_mtl.trainers.base import Trainer

from .pipe import ColumnPipe, aligned, words_of

if TYPE_CHECKING:
    from spacy_mtl.explaining.decision import Decision

#: What treebanks write where a word has no lemma.
_NONE = "_"


class MTLLemmatizer(ColumnPipe):
    """Lemmatizer over a linear chain of edit scripts. Raises ValueError: M419 a setting out of range."""

    counts_as_whole = "the lemmas of words"
    gold_attributes = ("LEMMA",)
    label_key = "scripts"
    decided = ("lemma",)
    no_labels = Errors.M422
    cfg_checks: ClassVar = {"scripts": distinct_texts, "lemmas": check_lemmas, "beginnings": check_lemmas}
    cfg_missing: ClassVar = {"beginnings": {}}
    of_training = (*ColumnPipe.of_training, "_known_scripts", "_forms", "_new_documents", "_new_words", "_new_scripts")

    def __init__(
        self,
        vocab: Vocab,
        model: Model,
        name: str = "mtl_lemmatizer",
        *,
        trainer: Trainer,
        min_forms: int = 2,
        max_scripts: int = 1000,
        overwrite: bool = False,
        scorer: Callable | None = None,
    ):
        super().__init__(vocab, model, name, trainer=trainer, scorer=scorer)
        check_count(name, "min_forms", min_forms)
        check_count(name, "max_scripts", max_scripts)
        if not max_scripts:
            refuse(name, "max_scripts", "at least 1", max_scripts)
        check_switches(name, overwrite=overwrite)
        self.cfg = {"scripts": [], "lemmas": {}, "beginnings": {}}
        self.min_forms = min_forms
        self.max_scripts = max_scripts
        self.overwrite = overwrite

    def _end_training(self) -> None:
        super()._end_training()
        self._known_scripts: dict[tuple[int, int], int] = {}  # of forms and lemmas, all of them string hashes
        self._forms = np.empty(0, np.uint64)  # that the training has
        self._new_documents: set[bytes] = set()  # that learning on has been shown, by their keys
        self._new_words: dict[str, Counter[Word]] = defaultdict(Counter)  # of these, by their forms
        self._new_scripts: dict[str, set[str]] = defaultdict(set)  # the forms of each script of these

    # --- labels ---

    def labels_of(self, doc: Doc) -> set[str]:
        return {self.vocab.strings[number] for number in np.unique(self._scripts(doc)).tolist() if number}

    def _scripts(self, doc: Doc) -> np.ndarray:
        """The string hashes of the scripts of a document's words, uint64[n]; 0 where there is none."""
        return self._of_pairs(doc.to_array([ORTH, LEMMA]).reshape(len(doc), 2))

    def _of_pairs(self, pairs: np.ndarray) -> np.ndarray:
        """The same for forms and lemmas, uint64[n, 2]."""
        strings, known = self.vocab.strings, self._known_scripts
        found = np.zeros(len(pairs), np.uint64)
        for i, (orth, lemma) in enumerate(pairs.tolist()):
            if (orth, lemma) not in known:
                form, text = strings[orth], strings[lemma]
                script = script_of(form, text) if text != _NONE or form == _NONE else None
                known[orth, lemma] = strings.add(script.text) if script else 0
            found[i] = known[orth, lemma]
        return found

    def set_labels(self, labels: Sequence[str]) -> None:
        """Set the edit scripts, each as :attr:`.EditScript.text`. Raises ValueError: M423 for a label that is none."""
        for label in labels:
            try:
                parse_script(label)
            except StoredValueError:
                raise ValueError(Errors.M423.format(name=self.name, label=shown(label))) from None
        super().set_labels(labels)

    def collect_labels(self, references: Iterable[Doc]) -> None:
        """Add the scripts of enough forms to those already given, and remember the lemmas of all words."""
        references = list(references)
        scripts = self._common_scripts(references)
        if not scripts and not self.labels:
            raise ValueError(self.no_labels.format(name=self.name, n=len(references)))
        self.set_labels([*self.labels, *sorted(scripts.difference(self.labels))])
        words = list(self._words_of(references))
        self.cfg["lemmas"] = count_lemmas(word[:3] for word in words)
        self.cfg["beginnings"] = self._beginnings_of(words)
        self.learn_attribute(STEM_TAG, lambda: count_stems(words_of(references)))

    def learn_labels(self, references: Sequence[Doc]) -> None:
        """Remember the lemmas of documents that are new since training went on, and add the scripts with enough forms in all of these.

        No more than there is room for, see ``max_scripts``.
        Where no word of these has a script that is a label, all scripts are added, since there would be nothing to learn from.
        """
        keys = {content_key(doc, (*self.gold_attributes, "POS")): doc for doc in references}
        words = Counter(self._words_of([doc for key, doc in keys.items() if key not in self._new_documents]))
        self._new_documents.update(keys)
        for word, n in words.items():
            self._new_words[word.form][word] += n
            self._new_scripts[word.script].add(word.form)
        for form in {word.form for word in words}:
            self._remember_form(form)
        known, forms = set(self.labels), self._new_scripts
        new = {word.script for word in words} - known
        often = [script for script in new if len(forms[script]) >= self.min_forms]
        if not often and known.isdisjoint(forms):
            often = list(new)
        often.sort(key=lambda script: (-len(forms[script]), script))
        added = often[: max(0, self.max_scripts - len(known))]
        if added:
            self._add_labels(sorted(added))
            for piece in self._gathered.pieces if self._gathered is not None else ():
                piece.outdated = bool((piece.gold < 0).any())  # some of these words may have a label now
            self.restart()

    def _remember_form(self, form: str) -> None:
        """Let the table say of a form what new documents say beside what was known before."""
        words, table, before = self._new_words[form], self.cfg["lemmas"], self._earlier_cfg["lemmas"]
        keys = {key_of(pos, form) for pos in ("", *(word.pos for word in words))}
        own = add_lemmas({key: before[key] for key in keys if key in before}, ((*w[:3], n) for w, n in words.items()))
        for key in keys - own.keys():
            table.pop(key, None)
        table.update(own)

    def check_new(self, example: Example) -> None:
        """Take any document: words whose script is no label are not learnt from."""

    def _common_scripts(self, references: Sequence[Doc]) -> set[str]:
        """The scripts of at least ``min_forms`` forms, the ``max_scripts`` with the most forms at most; all if none has as many."""
        forms: dict[int, set[int]] = defaultdict(set)
        for doc in references:
            orths = doc.to_array(ORTH)
            for orth, script in zip(orths.tolist(), self._scripts(doc).tolist(), strict=True):
                forms[script].add(orth)
        forms.pop(0, None)
        counts = Counter({self.vocab.strings[script]: len(seen) for script, seen in forms.items()})
        common = [script for script, n in sorted(counts.items(), key=lambda each: (-each[1], each[0]))]
        often = [script for script in common if counts[script] >= self.min_forms]
        return set((often or common)[: self.max_scripts])

    def _words_of(self, references: Sequence[Doc]) -> Iterator[Word]:
        """The words that have a lemma."""
        strings = self.vocab.strings
        for doc in references:
            columns: Any = doc.to_array([ORTH, POS, LEMMA]).reshape(len(doc), 3).tolist()
            for (orth, pos, lemma), script in zip(columns, self._scripts(doc).tolist(), strict=True):
                if script:
                    yield Word(strings[orth], PARTS[pos], strings[lemma], strings[script])

    def _beginnings_of(self, words: Iterable[Word]) -> Beginnings:
        return learn_beginnings(words, applicable(self.labels), self.min_forms)

    # --- the chain ---

    def make_reader(self) -> AttributeReader:
        return AttributeReader(self.templates.attributes, self.vocab, learned={STEM_TAG: {}, **self.tables})

    def chain_constraints(self) -> Constraints:
        return replace(Constraints.none(len(self.labels)), edits=np.True_)

    def training_constraints(self) -> Constraints:
        """The scripts that apply to each form of the corpus; of very many forms, some are allowed all scripts in training."""
        forms = self._forms[: MOST_CELLS // max(1, len(self.labels))]
        allowed = applicable(self.labels).table([self.vocab.strings[form] for form in forms.tolist()])
        return replace(self.chain_constraints(), forms=forms, form_labels=allowed)

    def prepare(self, pieces: Sequence[Piece]) -> None:
        """Collect the forms of the corpus; when learning on, decide anew which words are cut behind known lemmas."""
        self._forms = distinct(np.concatenate([piece.given[0] for piece in pieces]))
        if self._new_words:
            self.cfg["lemmas"] = dict(sorted(self.cfg["lemmas"].items()))
            words = chain.from_iterable(self._new_words.values())
            self.cfg["beginnings"] = self._earlier_cfg["beginnings"] | self._beginnings_of(words)

    def check_stored(self, cfg: dict[str, Any], weights: ChainWeights, learned: Mapping[str, FormTable]) -> None:
        super().check_stored(cfg, weights, learned)
        applicable(tuple(cfg["scripts"]))

    def gold_column(self, example: Example) -> np.ndarray:
        """The scripts of words that are aligned one to one."""
        lemmas = aligned(example, example.reference.to_array([LEMMA]), whole=True)
        return self._of_pairs(np.stack([example.predicted.to_array([ORTH]), lemmas], axis=1))

    def decisions(self, doc: Doc) -> "list[Decision]":
        """A decision for each token: what its script makes of it, although words of the training corpus are looked up.

        The runner-up has another lemma, not just another script that makes the same one.
        """
        scripts = applicable(self.labels).scripts

        def lemma(at: int, label: int) -> str:
            form, script = doc[at].text, scripts[label]
            return script.apply(form) if script.applies(form) else form

        return self.explained(doc).label_decisions("lemma", None, lemma)

    def set_annotations(self, docs: Iterable[Doc], scores: Sequence[np.ndarray]) -> None:
        """Write ``token.lemma``. scores: what :meth:`predict` returned.

        A word of the training corpus has the most frequent lemma that it has there, with its part of speech if it was seen with it; any other word
        has what its script makes of it, or where this is no known lemma, the known lemma that it begins with, see :mod:`.lemmas.beginnings`. A word
        that no script applies to is its own lemma.
        """
        if not self.labels:
            return
        docs, scripts = list(docs), applicable(self.labels).scripts
        found: dict[int, dict[tuple[int, int, int], int]] = defaultdict(dict)  # in each vocabulary
        for doc, labels in zip(docs, scores, strict=True):
            strings, known = doc.vocab.strings, found[id(doc.vocab)]
            columns = doc.to_array([ORTH, POS]).reshape(len(doc), 2)
            words = list(zip(*columns.T.tolist(), labels.tolist(), strict=True))
            for orth, pos, label in words:
                if (orth, pos, label) not in known:
                    lemma = self._lemma(strings[orth], PARTS.get(pos, ""), scripts[label])
                    known[orth, pos, label] = strings.add(lemma)
            if words:
                self.write(doc, LEMMA, np.array([known[word] for word in words], np.uint64))
        self.write_confidence(docs, scores)

    def _lemma(self, form: str, pos: str, script: EditScript) -> str:
        known = known_lemma(self.cfg["lemmas"], form, pos)
        if known is not None:
            return known
        lemma, beginnings = script.apply(form) if script.applies(form) else form, self.cfg["beginnings"]
        if key_of(pos, lemma) in beginnings:
            return lemma
        return find_beginning(beginnings, form, pos) or lemma
