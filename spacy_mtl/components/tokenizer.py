"""spacy_mtl.Segmenter.v1: a trained mtl_segmenter as the tokenizer of a pipeline."""

import warnings
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from spacy import util
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab
from tqdm import tqdm

from spacy_mtl.errors import Errors, Warnings
from spacy_mtl.files import write_atomically
from spacy_mtl.models import store
from spacy_mtl.models.chain.model import current_weights, template_chain
from spacy_mtl.registry import registry
from spacy_mtl.segmentation.user_words.matches import Match
from spacy_mtl.segmentation.user_words.words import UserWords
from spacy_mtl.templates.presets import seg, tp1
from spacy_mtl.trainers.mtlstruct.trainer import MTLStruct

from .segmenter import MTLSegmenter
from .segmenter_scorer import score_words

#: Passes of :meth:`SegmenterTokenizer.learn`.
PASSES = 12
#: With a larger share of words that begin inside a Latin word or a number, these are cut like other text.
MANY_IN_RUNS = 0.005


@registry.tokenizers("spacy_mtl.Segmenter.v1")
def create_tokenizer() -> Callable[[Language], "SegmenterTokenizer"]:
    """Make a tokenizer that segments text into words.

    Its model comes from a trained pipeline, through ``spacy mtl tokenizer`` or ``path`` in [initialize.tokenizer]. Within ``spacy_mtl.Multiword.v1``
    it learns from the same corpus.
    """
    return lambda nlp: SegmenterTokenizer(nlp.vocab)


class SegmenterTokenizer:
    """Turns text into a Doc of words with the model of an mtl_segmenter. Without a model, every character becomes a word, with a warning (M432)."""

    def __init__(self, vocab: Vocab):
        self.vocab = vocab
        # templates and trainer only matter in training; prediction needs only the model file
        self.segmenter = MTLSegmenter(vocab, template_chain(tp1()), "tokenizer", trainer=MTLStruct())
        self._warned = False

    @property
    def user_words(self) -> UserWords:
        """The user's dictionary, which can be changed at any time."""
        return self.segmenter.user_words

    def matches(self, text: str) -> list[Match]:
        """Where the user's words occur in a text, which of them it is cut into if they are law, and what the others give way to."""
        return self.segmenter.matches(text)

    def __call__(self, text: str) -> Doc:
        """Make a Doc of words, whose text is the given text unchanged."""
        self._warn_without_model()
        return self.segmenter.doc(text)

    def pipe(self, texts: Iterable[str], batch_size: int = 1000) -> Iterator[Doc]:
        """Make a Doc of each text, in order."""
        self._warn_without_model()
        for batch in util.minibatch(texts, size=batch_size):
            yield from self.segmenter.docs(list(batch))

    def score(self, examples: Iterable[Example], **kwargs: Any) -> dict[str, Any]:
        """token_acc, and precision, recall and F1 of words, which spaCy's own tokenizer also reports in ``nlp.evaluate``."""
        return score_words(examples, **kwargs)

    def _warn_without_model(self) -> None:
        if not self._warned and not current_weights(self.segmenter.model).is_trained:
            self._warned = True
            warnings.warn(Warnings.M432, stacklevel=3)

    def initialize(
        self,
        get_examples: Callable[[], Iterable[Example]] | None = None,
        *,
        nlp: Language | None = None,
        path: str | Path | None = None,
        user_words: str | Path | None = None,
        user_words_role: str | None = None,
        user_words_weight: float | None = None,
        pkuseg_model: str | None = None,
        pkuseg_user_dict: str | None = None,
    ) -> None:
        """Load a trained model.

        path: the model file of an mtl_segmenter (``PIPELINE/COMPONENT/model``) or of another such tokenizer (``PIPELINE/tokenizer``). user_words:
        a file of words for the user dictionary. user_words_role, user_words_weight: of :class:`.UserWords`; None for those of the model.
        pkuseg_model, pkuseg_user_dict: have no effect; spaCy has them in every config of Chinese. Raises ValueError: M601-M605 for the model, M414
        and M415 for the dictionary, M480 and M481 for its role and weight.
        """
        self.user_words.become(user_words_role, user_words_weight)  # what is wrong is refused before a model is loaded
        if path is not None:
            self.from_disk(path)
            self.user_words.become(user_words_role, user_words_weight)
        if user_words is not None:
            self.user_words.read(user_words)

    def learn(self, references: Iterable[Doc], passes: int = PASSES) -> None:
        """Learn from Docs of words, with templates ``seg.v1`` and the trainer of ``configs/segmenter.cfg``.

        Latin words and numbers stay whole unless they do not in these Docs. User words stay. Raises ValueError (M413) if there is no word.
        """
        given = list(references)
        references = [reference for reference in given if len(reference)]
        if not references:
            raise ValueError(Errors.M413.format(name="tokenizer", n=len(given)))
        trainer = MTLStruct(p=4 / 3, C=1.0, average=4)
        keep_runs = self.segmenter.words_in_runs(references) < MANY_IN_RUNS
        segmenter = MTLSegmenter(self.vocab, template_chain(seg()), "tokenizer", trainer=trainer, keep_runs=keep_runs)
        examples = [Example(Doc(self.vocab, words=[reference.text]), reference) for reference in references]
        segmenter.initialize(lambda: examples)
        for _ in tqdm(range(passes), desc="words", leave=False, disable=None):
            segmenter.update(examples)
        segmenter.user_words = self.user_words
        self.from_bytes(segmenter._model_bytes())

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        """The model file as bytes. exclude: has no effect, since there is only one part."""
        return self.segmenter._model_bytes()

    def from_bytes(self, bytes_data: bytes, *, exclude: Iterable[str] = ()) -> "SegmenterTokenizer":
        """Load what :meth:`to_bytes` returned, or the model file of an mtl_segmenter. Raises ValueError: M601-M604."""
        self.segmenter._load_model(bytes_data, "The serialized tokenizer")
        self._meet_words()
        return self

    def to_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> None:
        """Write the model file, completely or not at all."""
        write_atomically(path, self.segmenter._model_bytes())

    def from_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> "SegmenterTokenizer":
        """Load what :meth:`to_disk` wrote. Raises ValueError naming the file: M601-M605."""
        self.segmenter._load_model(store.read(Path(path)), str(path))
        self._meet_words()
        return self

    def _meet_words(self) -> None:
        """Add the words of the model's dictionary to the vocabulary, before the first text arrives.

        Making a new lexeme takes longer than segmenting the text around it, and most texts consist mostly of these words.
        """
        if not self.vocab.in_memory_zone:  # type: ignore[attr-defined]
            words = self.segmenter.cfg["lexicon"].split()
            for word in (*words, *set("".join(words))):
                self.vocab[word]
        # new characters make tables grow, which would otherwise happen again in most texts
        self.segmenter.meet_characters(self.segmenter.cfg["lexicon"])


def with_tokenizer(nlp: Language) -> Language:
    """A copy of a pipeline whose first component, a trained mtl_segmenter, has become the tokenizer; the other components stay.

    Raises ValueError, with the reason, where this is not possible.
    """
    name, segmenter = nlp.pipeline[0] if nlp.pipeline else ("", None)
    if not isinstance(segmenter, MTLSegmenter):
        raise ValueError(f"its first component is {repr(name) if name else 'missing'}, not an mtl_segmenter")
    if not current_weights(segmenter.model).is_trained:
        raise ValueError(f"'{name}' has not been trained")
    new = util.load_model_from_config(_without(nlp.config.copy(), name), validate=False)
    # spaCy matches names in ``exclude`` up to the first dot, so "config" stands for config.cfg
    new.from_bytes(nlp.to_bytes(exclude=["tokenizer", "config", name]))
    tokenizer: Any = new.tokenizer
    tokenizer.from_bytes(segmenter._model_bytes())
    return new


def _without(config: Any, name: str) -> Any:
    """The config of a pipeline without this component, and with our tokenizer."""
    config["nlp"]["tokenizer"] = {"@tokenizers": "spacy_mtl.Segmenter.v1"}
    config["nlp"]["pipeline"] = [pipe for pipe in config["nlp"]["pipeline"] if pipe != name]
    config["components"].pop(name)
    config["initialize"]["tokenizer"] = {}
    config["initialize"].get("components", {}).pop(name, None)
    for setting in ("frozen_components", "annotating_components"):
        config["training"][setting] = [pipe for pipe in config["training"].get(setting, []) if pipe != name]
    return config
