"""Every error and warning of the package, with a code as in spaCy: each says what is wrong, where, and what to do.

Codes are grouped by part of the package: M1xx templates, M2xx structures, M3xx trainers, M4xx components,
M5xx corpora and training support, M6xx saved models, M7xx commands.
"""


class _Codes(type):
    """Prefix each message with its code when it is read: ``Errors.M101`` gives ``"[M101] ..."``."""

    def __getattribute__(cls, name: str):
        value = super().__getattribute__(name)
        if name.startswith("M") and name[1:].isdigit():
            return f"[{name}] {value}"
        return value


class Errors(metaclass=_Codes):
    # fmt: off
    # --- M1xx templates ---
    M101 = ("Bad template at {place}: expected a name (U... for a template that scores single labels, B... for one "
            "that scores label pairs), but found {found}.{snippet}")
    M102 = ("Bad template at {place}: expected ':' after the name '{name}', as in {name}:%x[0,ORTH], but found "
            "{found}; names are made of letters, digits, '_' and '-'.{snippet}")
    M103 = ("Bad template at {place}: expected {expected}, as in %x[-1,LOWER]/%x[0,TAG], but found {found}.{snippet}")
    M104 = ("Bad template at {place}: expected an integer offset, as in %x[-1,LOWER], but found {found}.{snippet}")
    M105 = ("Bad template at {place}: the offset {found} is too far from the token; use one between -{limit} and "
            "{limit}.{snippet}")
    M106 = ("Bad template at {place}: expected the name of an attribute, as in %x[0,ORTH], but found {found}; columns "
            "are named here, not numbered.{snippet}")
    M107 = ("Bad template at {place}: the U template '{name}' observes nothing; add at least one observation, as in "
            "U00:%x[0,ORTH].{snippet}")
    M108 = ("Bad template at {place}: constant text {found} is not allowed, since it says nothing about the token; "
            "keep only %x[offset,ATTRIBUTE], joined by '/'.{snippet}")
    M109 = ("Bad template at {place}: expected the end of the template, but found {found}; put a comment on a line of "
            "its own.{snippet}")
    M110 = ("Unknown attribute '{attr}' in template '{template}'. Use a spaCy token attribute ({known}), PREFIXn or SUFFIXn, "
            "CHAR_TYPE, or register a function of that name in the 'mtl_attributes' registry (commands import your file with --code; in Python, import it before spacy.load).")
    M111 = ("Template '{template}' reads the attribute '{attr}', which no input document carries. Provide it on the predicted "
            "Docs: let the corpus reader set it as a given column, or put a component that sets it before '{name}' and list that component in "
            "[training] annotating_components.")
    M112 = ("The function registered as '{attr}' in 'mtl_attributes' returned {got} values for a document of {expected} tokens; it "
            "must return one str, int or bool per token.")
    M113 = ("The function registered as '{attr}' in 'mtl_attributes' returned {value!r}; make it return a str, int or bool.")
    M120 = "The template name '{name}' is used twice ({place}). Give each template a name of its own."
    M121 = "There is no template in {place}. Give at least one, such as U00:%x[0,ORTH]."
    M122 = "The observation cut-off min_count must be an integer of at least 1, but it is {value}."
    M123 = ("spacy_mtl.patterns.v1 takes its templates either from 'patterns' (a list) or from 'path' (a file), but "
            "{got}. Set exactly one of the two.")
    M124 = "Cannot read the template file '{path}': {reason}. Check the setting 'path' of spacy_mtl.patterns.v1."
    M125 = "Template '{template}' reads the attribute '{attr}', but the only columns available are {known}."
    M126 = ("The templates '{first}' and '{second}' observe the same thing ({pattern}). Keep one of the two.")
    M127 = ("The attribute '{attr}' describes the words of the training corpus, which only mtl_segmenter knows. Remove the templates that read it (seg.v1: "
            "dictionary = false), or use mtl_segmenter.")
    M128 = ("Bad template at {place}: expected one of the distances {bins} (the smallest of each bin) for %d, but found {found}.{snippet}")
    M129 = ("Template '{template}' looks at {found}, but '{name}' scores {scores}: use {use}.")
    M130 = ("Template '{template}' {fault}.")
    M131 = ("The setting 'variants' of spacy_mtl.mst.v1 must be one of {known}, but is {value!r}.")
    M132 = ("The attribute '{attr}' is learnt from the training corpus, and only {component} learns it. Remove the templates that read it ({setting}), "
            "or use them with {component}.")

    # --- M2xx structures ---
    M201 = ("The gold label '{current}' after '{previous}' (token {position} of the corpus) is forbidden by the constraints. Correct the annotation, "
            "or allow every sequence (valid_only = false).")
    M202 = ("The cost matrix must be {n} x {n}, finite, not negative, and zero on its diagonal.")
    M203 = ("Sentence borders run from {first} to {last}, but there are {tokens} tokens: they must start at 0, never decrease, and end at the number of tokens.")
    M204 = ("No token of the corpus has a gold label, so there is nothing to learn from.")
    M205 = ("The gold label '{label}' of token {position} of the corpus is not among the labels that its word may have. Count the labels of words again, on this corpus.")

    M220 = ("The lengths of the sequences {got}: they must be whole numbers of at least 1 that sum to the number of positions, {n}.")
    M221 = ("{where}: the kernel of the block '{name}' is a function, which cannot be saved in a file. Pass it again: load(path, functions={{'{name}': function}}).")
    M222 = ("Block '{name}' has {got}, but {n} positions are expected: every block and y have one row for each position of each sequence.")
    M223 = ("Block '{name}' has the value {value} at position {position}. Features must be finite and fit into single precision.")
    M224 = ("The kernel of the block '{name}' is not positive semi-definite: on {n} sampled positions {reason}. Use an inner product, for example with "
            "another width of the kernel.")
    M225 = ("The kernel of the block '{name}' must return one finite number for each pair of positions, shape {expected}, but returned {got}.")
    M226 = ("The block name '{name}' is used twice. Give each block a name of its own; 'transitions' is reserved for label pairs.")
    M227 = ("The setting {setting} of the block '{name}' must be a finite number {least}, but is {value}.")
    M228 = ("Block '{name}' must be a table of numbers, positions x features, with at least one column, but is {got}. Use reshape(-1, 1) for a single feature.")
    M229 = ("Block '{name}' must be a table of integers, positions x columns, each at least 0 (or -1 for no value), with one name per column if names are given, but got {got}.")
    M230 = ("Labels must be all integers or all strings (None in y where gold is missing), one for each position and none listed twice, but got {got}.")
    M231 = ("The label {label!r} in y is not among the labels {known}. Add it to 'labels', or correct y.")
    M232 = ("Block '{name}' of the new arrays: the model was trained with {wanted}, but got {got}.")
    M233 = ("Block '{name}' of the new arrays has {got} columns, but the model was trained with {expected}.")
    M234 = ("Constraints on {n} labels must be arrays of true and false with the shapes ({n},), ({n},), ({n}, {n}), but got {got}.")
    M235 = ("The block '{name}' asks for the unknown kernel {kernel!r}. Choose one of {known}, or give a function K(A, B).")
    M236 = ("No width h makes a share zeros = {zeros} of the kernel values of the block '{name}' zero: too many positions are duplicates of others. "
            "Remove duplicates, set a smaller 'zeros', or give 'h'.")
    M237 = ("The blocks have {n} features in all, but the weights can have at most {most}. Drop features, or hash them into fewer columns.")
    M238 = ("{culprit}: X has {x} positions, y has {y} and the lengths sum to {total}, but all three must be the number of positions in all sequences together.")

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
    M250 = ("'lacks' of a problem names {unknown}, but the groups and abilities of the contract are: {known}. Correct the name.")

    # --- M3xx trainers ---
    M301 = ("{trainer} cannot train a {structure}: the structure does not offer {missing}. Choose a trainer or settings that do not need it, or another structure.")
    M302 = ("{trainer}: {name} must be a finite number above 0, but is {value}.")
    M303 = ("MTLStruct: the exponent p of the block norm must be finite and at least 1, but is {p}. p = 1 selects templates, p = 2 is the structural SVM.")
    M304 = ("MTLStruct: unknown solver '{solver}'. Choose 'dual_ascent' or 'cutting_plane'.")
    M305 = ("{trainer}: {name} must be a whole number of at least {least}, but is {value}.")
    M320 = "{trainer}: {name} must be true or false, but is {value!r}."
    M321 = ("StructReg: 'trainer' must be another trainer, but is a {found}. Give it a block of its own, such as [components.ner.trainer.trainer] with "
            "@mtl_trainers = \"spacy_mtl.Perceptron.v1\".")
    M322 = "StructReg: the wrapped trainer is itself a StructReg, but sentences can be cut only once. Set 'size' of the outer one, and wrap another trainer."
    M323 = "StructReg: the size of a mini-sample must be a finite number of at least 1, but is {size}. Sizes of 3 to 10 are usual."
    M324 = ("StructReg: {trainer} learns online, but its training is not an OnlineTraining, so it cannot learn from pieces of sentences. Derive its training from "
            "spacy_mtl.trainers.shared.passes.OnlineTraining, or choose another trainer.")
    M310 = ("OnlineMKL: the regularizer must be 'l2', 'l21' or 'lq', or a sum such as {{\"l21\": 1.0, \"l2\": 0.1}}, but is {regularizer!r}. Write one of these.")
    M311 = ("OnlineMKL: the exponent q of the regularizer 'lq' must be finite and at least 1, but is {q}. Set q = 1.5 for non-sparse kernel learning.")
    M312 = ("OnlineMKL: unknown {name} '{value}'. Choose one of {known}.")
    M313 = ("OnlineMKL: the schedule 'strongly_convex' needs {missing}. Add it, or choose schedule = \"sqrt\".")
    M306 = ("EG: unknown mode '{mode}'. Choose 'online', 'batch' or 'batch_primal'.")
    M307 = ("EG: eta must be a finite number above 0, null (found while training) or 'safe', but is {eta}.")
    M308 = ("EG: start must be a finite number of at least 0, or null (found before training), but is {start}.")
    M325 = ("L1M3N: unknown algorithm '{algorithm}'. Choose one of {known}.")
    M326 = ("L1M3N: threshold must be at least 0 and below 1, but is {threshold}. It is a fraction of the largest weight.")
    M327 = ("L1M3N: algorithm = 'cutting_plane' solves its linear programs with HiGHS, but highspy cannot be imported ({reason}). Install it with: "
            "pip install highspy, or choose another algorithm.")
    M328 = ("L1M3N: HiGHS found no optimum of the linear program over {cuts} cuts and {weights} weights; it stopped with '{status}'. Choose a smaller C, or "
            "another algorithm.")
    M315 = ("CRF: unknown penalty '{penalty}'. Choose {known}.")
    M316 = ("CRF: unknown algorithm '{algorithm}'. Choose {known}, or null for the one that fits the penalty.")
    M317 = ("CRF: the algorithm '{algorithm}' cannot minimize the penalty '{penalty}'. Choose {fitting}, or null.")
    M318 = ("CRF: eta0 and average are settings of the algorithm 'sgd', but the algorithm is '{method}'. Set algorithm = \"sgd\", or leave them out.")
    M319 = ("CRF: inner_passes must be 1 for the algorithm 'sgd', which learns from sentences as they come, but is {inner_passes}. Use more epochs instead.")
    M350 = "{name} needs a finite radius > 0, but got {radius}. Pass the C or lambda of the trainer, which must be positive."
    M351 = "{name} needs a vector of finite numbers, but got one of shape {shape}. Look for inf or nan in the weights or gradients it came from."
    M352 = "The exponent p of the block norm must be {bound}, but is {p}. Set p = 1 for sparse template weights, p = 2 for a structural SVM."
    M353 = "The start has {got} values for {expected} cuts. Pass at most one alpha per cut; cuts without one start at 0."
    M354 = "Q must have shape (m, s, s) and q shape (s,), with at least one template and one cut, but the shapes are {Q} and {q}. Build both from the same cuts."
    M355 = "Q or q contains inf or nan. Look for cuts made under weights that overflowed."
    M356 = "C must be a finite number above 0, but is {C}. Set C in the trainer's config; 0.01 to 100 are usual."
    M357 = "Unknown conic solver '{solver}'. cvxpy can use {installed} here. Choose one of these, or install the package that provides '{solver}'."
    M358 = ("The solver '{solver}' of cvxpy failed on the subproblem of {m} templates and {s} cuts: {reason}. Choose a solver for "
            "second-order cones, such as CLARABEL, or 'interior_point'.")
    M359 = "Unknown subproblem solver '{solver}'. Use 'interior_point', 'cvxpy', or 'cvxpy:NAME' with the NAME of a conic solver of cvxpy."
    M360 = "Block norms must be a vector of finite numbers of at least 0, but got shape {shape}, or negative or non-finite values. Look for inf or nan in the weights."
    M361 = "The step tau of a proximal operator must be a finite number of at least 0, but is {tau}. Look at the learning rate."
    M362 = "The weights of a regularizer must be finite numbers of at least 0, and its q at least 1, but got {regularizer}."

    # --- M4xx components ---
    M401 = ("The size of a saved model must be above 0 megabytes, but is {value}. Use null for no limit.")
    M402 = ("'{name}' cannot be trained: the corpus has no examples. Check the path in [corpora.train].")
    M403 = ("'{name}' cannot be trained: none of the {n} training examples has an annotated entity. Check the reader's columns, or give the labels in "
            "[initialize.components.{name}].")
    M404 = ("'{name}' has not been initialized: call nlp.initialize() with the training examples before nlp.update(). A loaded or sourced component "
            "cannot be trained further: list it in [training] frozen_components, or add it by its factory to train it anew.")
    M405 = ("A training example was not in the corpus that initialize() was given. Features are indexed once, over that corpus: leave out augmenters, "
            "and keep [training] max_epochs at 0 or more.")
    M406 = ("'{name}' indexes features over the whole corpus, which is read before training, and cannot learn from a stream. Set [training] max_epochs to 0 or more.")
    M407 = ("'{name}': unknown tag scheme '{scheme}'. Choose one of {known}.")
    M408 = ("'{name}' is trained for the labels {labels}; '{label}' cannot be added. Train again with examples of it.")
    M419 = ("'{name}': {setting} must be {expected}, but is {value!r}.")
    M420 = ("'{name}' cannot be trained: none of the {n} training examples has an annotated tag. Check the reader's columns: name one of them \"TAG\", and do not "
            "list it as given.")
    M421 = ("'{name}': pos_map maps the tag '{tag}' to '{pos}', which is not a universal part-of-speech tag. Choose one of {known}.")
    M410 = ("'{name}' cannot be trained on documents with another vocabulary. Make the examples with nlp.make_doc or Doc(nlp.vocab, ...) of the same nlp.")
    M409 = ("'{name}': the cost '{pair}' is not valid. Write 'GOLD>PREDICTED' with an entity label, 'O' or '*' on each side, and a number of at least 0.")
    M411 = ("'{name}': the templates read '{attr}', but characters have only the attributes that follow from the character itself. Use ORTH, CHAR, CHAR_CLASS, SAME_1, "
            "WORD_BEGIN and the like.")
    M412 = ("'{name}' makes a new Doc of words and cannot write its words into an existing one. Call the component itself, or its pipe().")
    M413 = ("'{name}' cannot be trained: none of the {n} training examples contains a word. Check the reader and the path of the corpus.")
    M414 = ("'{word}' cannot be a word of the user dictionary: words are strings without white space inside. Split it, or leave it out.")
    M415 = ("Cannot read the user dictionary '{path}': {reason}. Give a UTF-8 file with one word a line.")
    M416 = ("'{name}': unknown tag set '{tags}'. Choose one of {known}.")
    M418 = ("'{name}': known must be at least 1, folds (the parts of the corpus) at least 2 and known_marks at least 0, but known = {known}, folds = {folds} "
            "and known_marks = {known_marks}.")
    M417 = ("'{model}' cannot be turned into a pipeline with a tokenizer: {reason}. Give a pipeline whose first component is a trained mtl_segmenter.")
    M440 = ("'{name}' parses inside given sentences, but the document that begins with '{text}' has no sentence boundaries. Put a component that sets "
            "them ('sentencizer' or 'senter') before it, or let the corpus reader set them.")
    M441 = "The setting '{setting}' of '{name}' must be {expected}, but it is {value}."
    M442 = ("None of the {sentences} sentences that '{name}' was given has a complete tree (a head inside the sentence and a label for every word), so there is "
            "nothing to learn from. Check that the corpus has heads and labels, and that the input has the same sentence boundaries as the annotation.")
    M443 = "There is no dependency label in the {n} examples that '{name}' was initialized with. Use a corpus with heads and labels, or labelling = \"none\"."
    M444 = ("The templates read '{attr}', but no word of the document that begins with '{text}' has it. Put a component that sets it before the parser, or set "
            "it on the document.")
    M445 = ("The corpus has sentences with several roots, but '{name}' is set to roots = \"one\". Set roots to \"several\" or \"auto\".")
    M446 = ("'{name}' cannot write trees of {trees} words to documents of {words} words. Pass the documents that the trees were predicted for, in the same order.")

    # --- M5xx corpora and training support ---
    M501 = "Cannot read '{path}': {reason}. Check the path (a relative one starts at '{cwd}')."
    M502 = ("Line {line} of '{path}' cannot be decoded as {encoding}: {reason}. Set 'encoding' to the one the file was "
            "written in, for example \"latin-1\".")
    M503 = ("Line {line} of '{path}' has {got} column(s), but {expected} are named ({columns}). Correct the line, or "
            "name the columns the file really has ('_' for one to ignore) and check 'separator'.")
    M504 = "'{path}' contains no sentences. A corpus file has one token per line and an empty line after each sentence."
    M505 = ("The columns {columns} cannot be read: name the word column 'ORTH' exactly once, and every other name at "
            "most once ('_' as often as needed).")
    M506 = "Unknown column '{column}' in {columns}. A ConllCorpus can read {known}, and '_' for a column to ignore."
    M507 = ("'given' names the column '{column}', which is not an input column of {columns}. Add it to 'columns', or "
            "remove it from 'given'.")
    M508 = ("Line {line} of '{path}': '{tag}' is not an entity tag of the scheme '{scheme}'. Expected O, {prefixes}, or "
            "'-' where gold is missing; check which of 'columns' is ENT, and 'scheme'.")
    M509 = "Unknown tag scheme '{scheme}'. Choose one of {known}."
    M510 = ("Line {line} of '{path}': '{pos}' is not a universal part-of-speech tag. Name the column 'TAG' to read tags of "
            "any other set.")
    M511 = "The corpus has no path. Set 'path' of the reader, for example on the command line with --paths.train FILE."
    M512 = "Line {line} of '{path}' has an empty word. Correct the line, or check 'separator' and 'columns'."
    M513 = "Unknown encoding '{encoding}' for '{path}'. Use a name Python knows, such as \"utf8\" or \"latin-1\"."
    M514 = "'{setting}' of the corpus must be {expected}, but it is {value}."
    M515 = ("Unknown language '{lang}' ({reason}). Use a code that spaCy knows, such as \"es\", or \"xx\" for any "
            "language.")
    M516 = "The output '{path}' must end in '.spacy', the only ending that spaCy's own readers look for."
    M517 = ("The training log '{path}' cannot be written: {reason}. Set 'path' of the logger to a file that you may "
            "write, or to null.")
    M520 = "'{path}' contains no words. A segmented text has one sentence per line, with spaces between words."
    M521 = ("The segmentation of '{text}' cannot be scored: the predicted words belong to another text, '{other}'. Predict on the text of the gold "
            "words; only white space may differ.")

    M550 = ("Line {line} of '{path}' (sentence {sentence}) has {got} column(s), but CoNLL-U and CoNLL-X have 10, separated by tabs. Correct the line, or check "
            "that the file is in one of these formats.")
    M551 = ("Line {line} of '{path}' (sentence {sentence}): expected {expected}, but found the id '{id}'. Words are numbered from 1 within their "
            "sentence; ranges (1-2) come before their first word, empty nodes (1.1) after word 1.")
    M552 = ("Line {line} of '{path}' (sentence {sentence}): '{head}' is not a head. Expected 0 for the root, or the id of another word of the sentence, 1 to {n}.")
    M553 = ("Line {line} of '{path}' (sentence {sentence}): the heads above the word '{word}' form a cycle. Correct the tree: every word must reach a root.")
    M554 = ("Line {line} of '{path}' (sentence {sentence}): no word is the root. Give at least one word of the sentence the head 0, or every word the head '_' "
            "if there is no gold tree.")
    M555 = ("Line {line} of '{path}' (sentence {sentence}): the word '{word}' has no head, but other words of the sentence do. Give every word a head, or "
            "every word the head '_' if there is no gold tree.")
    M556 = "Sentence {sentence} of the document has no root. Give at least one word of each sentence the head 0."
    M557 = ("Line {line} of '{path}' (sentence {sentence}): the word '{word}' is labelled ROOT, but has the head {head}. This label is reserved for roots: use "
            "another label, or give the word the head 0.")
    M558 = "'{setting}' of the corpus cannot be '{value}'. Choose one of {known}."
    M559 = "Line {line} of '{path}' (sentence {sentence}) has an empty word. Give it a form, or '_' if the form is unknown."

    # --- M6xx saved models ---
    M601 = ("{where} is not a model file of spacy_mtl. Check the path, or train again.")
    M602 = ("{where} was written in format {found}, but this version of spacy_mtl reads format {expected}. Install the version it was trained with, or train again.")
    M603 = ("{where} is damaged: its checksum or its shapes do not match. Copy it again from its source, or train again.")
    M604 = ("{where} holds the model of a {found}, not of a {expected}. Check the path.")
    M605 = ("{where} cannot be read: {reason}. Check the path, or train again.")

    # --- M7xx commands ---
    M701 = ("The pipeline '{model}' cannot be loaded: {reason}.")
    M702 = ("The pipeline '{model}' has no component with template weights; its components are {names}.")
    M703 = ("The component '{component}' of '{model}' has no template weights; components that have them: {names}.")
    M704 = ("Cannot write '{path}': {reason}.")
    M705 = ("'{path}' is not a corpus in spaCy's binary format. Give a complete .spacy file; spacy mtl convert makes one from columns, segmented texts or trees.")
    M706 = ("There are no documents in {paths}. Give at least one to evaluate on.")
    M707 = ("Drawing needs matplotlib, which is not installed. Install it with: pip install \"spacy-mtl[report]\"")
    M708 = ("Cannot draw '{path}': the file must end in .png or .svg. Give it one of these endings.")
    M709 = ("The config '{path}' cannot be read: {reason}. Check the path, or check the file with: python -m spacy debug config {path}")
    M710 = ("Unknown {kind} '{name}'. Choose one of {known}; 'spacy_mtl.' and '.v1' may be left out.")
    M711 = ("'{name}' is not a setting of {trainer}, nor of any other trainer. {trainer} takes {known}.")
    M712 = ("The config '{path}' has no component{component} with a trainer; components that have one: {names}.")
    M713 = ("Cannot read the setting '{text}'. Write NAME=VALUE, as in p=1.3333.")
    M714 = ("The given column '{column}' cannot be set on the documents. Choose from {known}.")
    M715 = ("Cannot read '{path}': {reason}. Give directories written by \"spacy train\", and scores written by \"spacy mtl evaluate\".")
    M716 = ("{trainer} does not take these settings: {reason}. Correct the values of --set, or the trainer's block of the config.")
    M717 = ("The file '{path}' of --code cannot be imported: {reason}. Correct it, or give another.")
    M718 = ("The config '{path}' has several components with a trainer: {names}. Name the one to change with --component.")
    # fmt: on


class Warnings(metaclass=_Codes):
    # fmt: off
    # --- M3xx trainers ---
    M330 = ("{trainer}: pass {n} diverged (its loss is not a number, or far above that of zero weights). Training stops, and {kept} is kept. Choose a smaller "
            "learning rate or C.")

    # --- M4xx components ---
    M431 = ("'{name}' received {n} training documents that an earlier pass had left out, so training starts again on the larger corpus. It never "
            "finishes with a batcher that leaves out different documents in each pass: use one that keeps all of them.")
    M430 = ("The templates of this model read {attr}, but the documents do not have it, so predictions will be worse than the scores in training. "
            "Put a component that sets {attr} before this one, or train without it.")
    M432 = ("The tokenizer spacy_mtl.Segmenter.v1 has no model, so every character becomes a word. Load a trained one: set 'path' in "
            "[initialize.tokenizer] to a pipeline with mtl_segmenter, or make one with: python -m spacy mtl tokenizer MODEL OUTPUT")
    M433 = ("The limit of {megabytes} megabytes leaves the parser {kept} of the {rows} observations that have weights (the filter over tags takes {filter:.2f} "
            "megabytes), too few to parse well. Set 'megabytes' of its model higher, or to null for no limit.")

    # --- M5xx corpora ---
    M560 = ("{n} sentence(s) of '{path}' were left out because their heads do not form a tree. The first: {reason}")
    # fmt: on
