import pytest

from spacy_mtl.templates.presets import ner


def test_clusters_and_lists_add_templates_over_their_tables():
    plain = ner(tag=False)
    assert len(ner(tag=False, clusters=True).node) == len(plain.node) + 25
    assert len(ner(tag=False, lists=True).node) == len(plain.node) + 10
    both = ner(tag=False, clusters=["CLUSTER", "CLUSTER_news"], lists=["LIST_a"])
    read = set(both.attributes) - set(plain.attributes)
    names = {"CLUSTER", "CLUSTER4", "CLUSTER8", "CLUSTER12"}
    assert read == {"LIST_a"} | names | {f"{name}_news" for name in names}


@pytest.mark.parametrize(
    "settings",
    [{"clusters": "CLUSTER"}, {"clusters": ["CLUSTER4"]}, {"clusters": ["LIST_a"]}, {"lists": ["CLUSTER"]}, {"lists": 1},
     {"lists": ["LIST_a", "LIST_a"]}],
)  # fmt: skip
def test_other_names_are_refused(settings):
    with pytest.raises(ValueError, match="M133"):
        ner(**settings)
