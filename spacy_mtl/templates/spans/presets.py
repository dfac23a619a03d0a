"""Templates for constituents of tagged sentences, after the features of Hall, Durrett and Klein (2014)."""

from spacy_mtl.registry import mtl_templates
from spacy_mtl.templates.grammar import TemplateSet

_TEXTS = """
U00:%i[0,TAG]
U01:%j[0,TAG]
U02:%i[-1,TAG]
U03:%j[1,TAG]
U04:%i[0,LOWER]
U05:%j[0,LOWER]
U06:%i[-1,LOWER]
U07:%j[1,LOWER]
U08:%i[0,SUFFIX3]
U09:%j[0,SUFFIX3]
U10:%d
U11:%i[0,TAG]/%d
U12:%j[0,TAG]/%d
U13:%i[-1,TAG]/%d
U14:%j[1,TAG]/%d
U15:%i[0,LOWER]/%d
U16:%j[0,LOWER]/%d
U17:%i[0,TAG]/%j[0,TAG]
U18:%i[-1,TAG]/%j[1,TAG]
U19:%i[-1,TAG]/%i[0,TAG]
U20:%j[0,TAG]/%j[1,TAG]
U21:%i[0,TAG]/%j[1,TAG]
U22:%i[-1,TAG]/%j[0,TAG]
U23:%i[0,TAG]/%i[1,TAG]
U24:%j[-1,TAG]/%j[0,TAG]
U25:%i[-1,TAG]/%i[0,TAG]/%j[0,TAG]/%j[1,TAG]
U26:%i[0,TAG]/%i[1,TAG]/%i[2,TAG]
U27:%i[-2,TAG]/%i[-1,TAG]/%i[0,TAG]
U28:%j[0,TAG]/%j[1,TAG]/%j[2,TAG]
U29:%i[-1,LOWER]/%i[0,TAG]
U30:%i[0,LOWER]/%j[1,TAG]
U31:%i[-1,TAG]/%j[0,LOWER]
U32:%i[-1,LOWER]/%j[0,TAG]
U33:%j[0,TAG]/%j[1,LOWER]
U34:%i[-1,LOWER]/%j[1,TAG]
B00
B01:%k[-1,TAG]
B02:%k[0,TAG]
B03:%k[-1,TAG]/%k[0,TAG]
B04:%i[0,TAG]/%k[0,TAG]
B05:%k[0,TAG]/%j[0,TAG]
"""


@mtl_templates("spacy_mtl.constituents.v1")
def constituents_v1(min_count: int = 1) -> TemplateSet:
    """35 templates of spans and 6 of rules: words, tags and lengths at and around the borders of a span, and tags at its split."""
    return TemplateSet.from_texts(_TEXTS.splitlines(), min_count)
