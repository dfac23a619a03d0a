import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc


@Language.factory(
    "toy_columns",
    assigns=["token.tag", "token.pos", "token.morph", "token.lemma", "token.dep", "token.head", "token.is_sent_start"],
)
class ToyColumns:
    """Annotates every word by its form: lemmas in capitals, and trees in which words hang on the first of their sentence.

    ``columns`` says which of lemma, tag, pos, morph and dep it sets; sentences end after full stops where the Doc has no borders.
    """

    def __init__(self, nlp, name, columns="lemma tag pos morph dep", universal=False):
        self.columns = columns.split()
        self.universal = universal

    @property
    def labels(self):
        return ("NOUN", "PUNCT") if self.universal else ("N", "P")

    def __call__(self, doc: Doc) -> Doc:
        given = doc.has_annotation("SENT_START")
        for token in doc:
            point = token.text == "."
            if not given:
                token.is_sent_start = token.i == 0 or doc[token.i - 1].text == "."
            if "lemma" in self.columns:
                token.lemma_ = token.text.upper()
            if "tag" in self.columns:
                token.tag_ = self.labels[point]
            if "pos" in self.columns:
                token.pos_ = "PUNCT" if point else "NOUN"
            if "morph" in self.columns:
                token.set_morph("Length=" + str(len(token.text)))
        if "dep" in self.columns:
            starts = [sentence.start for sentence in doc.sents for _ in sentence]
            deps = ["ROOT" if start == i else "dep" for i, start in enumerate(starts)]
            marks = [start == i for i, start in enumerate(starts)]
            parsed = Doc(doc.vocab, [t.text for t in doc], heads=starts, deps=deps, sent_starts=marks)
            doc.from_array(["HEAD", "DEP", "SENT_START"], parsed.to_array(["HEAD", "DEP", "SENT_START"]))
        return doc


@pytest.fixture
def make_toy():
    """A Spanish pipeline with a toy component that sets these columns and declares no others."""

    def make(columns="lemma tag pos morph dep", universal=False, borders=True):
        nlp = spacy.blank("es")
        nlp.add_pipe("toy_columns", config={"columns": columns, "universal": universal})
        found = [f"token.{name}" for name in [*columns.split(), *(["head"] if "dep" in columns else [])]]
        nlp.get_pipe_meta("toy_columns").assigns = [*found, *(["token.is_sent_start"] if borders else [])]
        return nlp

    return make
