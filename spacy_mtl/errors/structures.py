"""M2xx: structures."""


class StructureErrors:
    # fmt: off
    M201 = ("The gold label '{current}' after '{previous}' (token {position} of the corpus) is forbidden by the constraints. Correct the annotation, "
            "or allow it in the constraints (mtl_ner allows every sequence with valid_only = false).")
    M202 = ("The cost matrix must be {n} x {n}, finite, not negative, and zero on its diagonal.")
    M203 = ("Sentence borders run from {first} to {last}, but there are {tokens} tokens: they must start at 0, never decrease, and end at the number of tokens.")
    M204 = ("No token of the corpus has a gold label, so there is nothing to learn from.")
    M205 = ("The gold label '{label}' of token {position} of the corpus is not among the labels that its word may have. Count the labels of words again, on this corpus.")
    M220 = ("The lengths of the sequences {got}: they must be whole numbers of at least 1 that sum to the number of positions, {n}.")
    M221 = ("{where}: the kernel of the block '{name}' is a function, which cannot be saved in a file. Pass it again: load(path, functions={{'{name}': function}}).")
    M222 = ("Block '{name}' has {got}, but {n} positions are expected: every block and y have one row for each position of each sequence.")
    M223 = ("Block '{name}' has the value {value} at position {position}. Features must be finite and at most 1e12: scale "
            "them, to a standard deviation of 1 for instance.")
    M224 = ("The kernel of the block '{name}' is not positive semi-definite: on {n} sampled positions {reason}. Use an inner product, for example with "
            "another width of the kernel.")
    M225 = ("The kernel of the block '{name}' must return one finite number for each pair of positions, shape {expected}, but returned {got}.")
    M226 = ("The block name '{name}' is used twice. Give each block a name of its own; 'transitions' is reserved for label pairs.")
    M227 = ("The setting {setting} of the block '{name}' must be {least}, but is {value}.")
    M228 = ("Block '{name}' must be a table of numbers, positions x features, with at least one column, but is {got}. Use reshape(-1, 1) for a single feature.")
    M229 = ("Block '{name}' must be a table of integers, positions x columns, each at least 0 (or -1 for no value), with one name per column if names are given, but got {got}.")
    M230 = ("Labels must be all integers or all strings (None in y where gold is missing), one for each position and none listed twice, but got {got}.")
    M231 = ("The label {label!r} in y is not among the labels {known}. Add it to 'labels', or correct y.")
    M232 = ("Block '{name}' of the new arrays: the model was trained with {wanted}, but got {got}.")
    M233 = ("Block '{name}' of the new arrays has {got} columns, but the model was trained with {expected}.")
    M234 = ("Constraints on {n} labels must be arrays of true and false with the shapes ({n},), ({n},), ({n}, {n}), but got {got}.")
    M235 = ("The block '{name}' asks for the unknown kernel {kernel}. Choose one of {known}, or give a function K(A, B).")
    M236 = ("No width h makes a share zeros = {zeros} of the kernel values of the block '{name}' zero: too many positions are duplicates of others. "
            "Remove duplicates, set a smaller 'zeros', or give 'h'.")
    M237 = ("The blocks have {n} features in all, but the weights can have at most {most}. Drop features, or hash them into fewer columns.")
    M238 = ("{culprit}: X has {x} positions, y has {y} and the lengths sum to {total}, but all three must be the number of positions in all sequences together.")
    M239 = ("'{setting}' of problem_from_arrays must be {expected}, but is {value}.")
    M240 = ("The kernel {kernel} of the block '{name}' does not have the setting {setting}, which is {value}. Leave it out, or choose a kernel that has it.")
    M241 = ("The gold heads of sentence {sentence} are not a tree: {heads}. Heads must be 0 (the root) or positions of words in the sentence, and every word must reach the root; "
            "correct the annotation.")
    M242 = ("The gold tree of sentence {sentence} has {roots} roots, but exactly one is required. Correct the annotation, or allow several roots (single_root = false).")
    M243 = ("Sentence borders and arcs do not match: the borders cover {words} words (each sentence needs at least one), but arcs are listed for {arcs} words.")
    M244 = ("The gold arc of word {position} of the corpus (head {head}), or its pair with a sibling or grandparent, is not among the arcs. Keep all gold arcs and pairs "
            "when arcs are dropped for training.")
    M245 = ("The costs of wrong heads and labels must be {n} finite numbers of at least 0, one for each word.")
    M246 = ("Pairs with grandparents are listed, but grandparents is False. Set grandparents = True, or list sibling pairs only.")
    M247 = ("The gold labels must be integers of at least 0 and below {n}, one for each of the {words} words.")
    M248 = ("Word {position} of the corpus (in sentence {sentence}) has no gold head (-1). A training problem needs complete trees: leave out partly annotated sentences.")
    M249 = ("Sentence {sentence} has a crossing gold tree and no projective tree among its arcs: there is nothing to decode. Keep more of its arcs, leave it out, "
            "or allow crossing trees (projective = false).")
    M251 = ("The rules of a grammar must be different triples of symbols (parent, left, right), at least 0 and below {n}, and some symbol must be a possible root.")
    M252 = ("The grammar has no derivation of sentence {sentence} within its mask. Allow more symbols of its words and spans, or add the rules that are missing.")
    M253 = ("The gold tree of sentence {sentence} is not in its forest: one of its symbols or rules is not in the grammar, or not allowed by the mask. Allow all of "
            "gold when parts are left out for training.")
    M254 = ("The costs must be {n} finite numbers of at least 0, one for each part of the forest, and 0 for those of gold.")
    M255 = ("Feature rows are needed for {spans} spans and {splits} splits, one line each, but got {got}.")
    M256 = ("The mask of sentence {sentence} must have true or false for each start, end and symbol, bool[n, n + 1, {symbols}] for n words, but is {got}.")
    M257 = ("Feature rows of {kind} must be whole numbers, a line for each of them and a column for each template: -1 for no feature, or one of the template's rows of the "
            "weights. Here {got}.")
    M258 = ("There are {trees} gold trees for {sentences} sentences. Give one for each sentence.")
    M260 = ("Offsets must be numbers of at most {most} with the shapes {expected}, one for each label and each label pair. Make them with the model and the documents "
            "of the problem.")
    M250 = ("'lacks' of a problem names {unknown}, but the groups and abilities of the contract are: {known}. Correct the name.")
    # fmt: on
