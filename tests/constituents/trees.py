"""Small random trees."""

from spacy_mtl.constituents.tree import Tree


def random_tree(rng, n: int, labels=("S", "NP", "VP", "X-Y"), tags=("N", "V", ",")) -> Tree:
    """A tree of n words, with unary chains, and constituents of several children; no label over itself."""
    if n == 1:
        tree = Tree(str(rng.choice(tags)), (), f"w{rng.integers(9)}")
    else:
        k = int(rng.integers(2, min(n, 5) + 1))
        sizes = [1 + int(more) for more in rng.multinomial(n - k, [1 / k] * k)]
        tree = Tree(str(rng.choice(labels)), tuple(random_tree(rng, size, labels, tags) for size in sizes))
    while rng.random() < 0.3:
        tree = Tree(str(rng.choice([label for label in labels if label != tree.label])), (tree,))
    return tree
