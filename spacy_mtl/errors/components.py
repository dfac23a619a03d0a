"""M4xx and M757 to M759: components."""


class ComponentErrors:
    # fmt: off
    M401 = ("The size of a saved model must be above 0 megabytes, but is {value}. Use null for no limit.")
    M402 = ("'{name}' cannot be trained: the corpus has no examples. Check the path in [corpora.train].")
    M403 = ("'{name}' cannot be trained: none of the {n} training examples has an annotated entity. Check the reader's columns, or give the labels in "
            "[initialize.components.{name}].")
    M404 = ("'{name}' is not trained and has not been initialized: call nlp.initialize() with training examples before nlp.update(), or load a trained component.")
    M406 = ("'{name}' indexes features over the whole corpus, which is read before training, and cannot learn from a stream. Set [training] max_epochs to 0 or more.")
    M407 = ("'{name}': unknown tag scheme '{scheme}'. Choose one of {known}.")
    M408 = ("'{name}' is being trained for the labels {labels}; '{label}' cannot be added now. Add it before training, or after the model has been saved and loaded again.")
    M419 = ("'{name}': {setting} must be {expected}, but is {value}.")
    M420 = ("'{name}' cannot be trained: none of the {n} training examples has an annotated tag. Check the reader's columns: name one of them \"TAG\", and do not "
            "list it as given.")
    M421 = ("'{name}': pos_map maps the tag '{tag}' to '{pos}', which is not a universal part-of-speech tag. Choose one of {known}.")
    M410 = ("'{name}' cannot be trained on documents with another vocabulary. Make the examples with nlp.make_doc or Doc(nlp.vocab, ...) of the same nlp. A component "
            "from another pipeline has its vocabulary if that is loaded with spacy.load(..., vocab=nlp.vocab).")
    M409 = ("'{name}': the cost '{pair}' is not valid. Write 'GOLD>PREDICTED' with an entity label, 'O' or '*' on each side, and a number of at least 0.")
    M411 = ("'{name}': the templates read '{attr}', but characters have only the attributes that follow from the character itself. Use ORTH, CHAR, CHAR_CLASS, SAME_1, "
            "WORD_BEGIN and the like.")
    M412 = ("'{name}' makes a new Doc of words and cannot write its words into an existing one. Call the component itself, or its pipe().")
    M413 = ("'{name}' cannot be trained: none of the {n} training examples contains a word. Check the reader and the path of the corpus.")
    M414 = ("{word} cannot be a word of the user dictionary: words are strings of Unicode characters without white space inside. Split it, or leave it out.")
    M415 = ("Cannot read the user dictionary '{path}': {reason}. Give a UTF-8 file with one word a line.")
    M416 = ("'{name}': unknown tag set '{tags}'. Choose one of {known}.")
    M418 = ("'{name}': known must be at least 1, folds (the parts of the corpus) from 2 to {most} and known_marks at least 0, but known = {known}, "
            "folds = {folds} and known_marks = {known_marks}.")
    M417 = ("'{model}' cannot be turned into a pipeline with a tokenizer: {reason}. Give a pipeline whose first component is a trained mtl_segmenter.")
    M422 = ("'{name}' cannot be trained: none of the {n} training examples has a lemma. Check the corpus and its reader, or give"
            " the labels in [initialize.components.{name}.labels].")
    M423 = ("'{name}': {label} cannot be a label, since labels are edit scripts, such as [\"lower\", \"\", \"\", \"ing\", \"\"]: casing, what the form begins with and what "
            "takes its place, what it ends with and what takes its place. Use what 'spacy init labels' writes.")
    M424 = ("'{name}': {label} cannot be a label, since labels are analyses, such as NOUN|Case=Nom|Number=Sing, or ADP|_ for one without features. Use what "
            "'spacy init labels' writes.")
    M425 = ("'{name}': the template '{template}' scores pairs of labels by an observation, but the chains of '{name}' have label pairs without observations only. Write "
            "it as B alone, or as a template of single labels (U).")
    M427 = ("'{name}' cannot be trained: none of the {n} training examples has a part of speech or morphological features. Check the corpus and its reader, or give the labels "
            "in [initialize.components.{name}].")
    M428 = ("'{name}' cannot be trained: none of the {n} training examples has a sentence border inside. Put several sentences into each document, as ConlluCorpus.v1 does "
            "with group = 10.")
    M426 = ("The character {code} cannot be in a document: the vocabulary knows another text by its hash, which somebody must have made for that. Load the pipeline "
            "again, or process texts from strangers in nlp.memory_zone().")
    M440 = ("'{name}' parses inside given sentences, but the document that begins with '{text}' has {words} words and no sentence boundaries. Put a component "
            "that sets them ('sentencizer' or 'senter') before it, let the corpus reader set them, or raise 'max_unsplit' (now {most}; null for no limit).")
    M441 = "The setting '{setting}' of '{name}' must be {expected}, but it is {value}."
    M442 = ("None of the {sentences} sentences that '{name}' was given has a complete tree (a head inside the sentence and a label for every word), so there is "
            "nothing to learn from. Check that the corpus has heads and labels, and that the input has the same sentence boundaries as the annotation.")
    M443 = "There is no dependency label in the {n} examples that '{name}' was initialized with. Use a corpus with heads and labels, or labelling = \"none\"."
    M444 = ("The templates read '{attr}', but no word of the document that begins with '{text}' has it. Put a component that sets it before this one, or set "
            "it on the document.")
    M445 = ("The corpus has sentences with several roots, but '{name}' is set to roots = \"one\". Set roots to \"several\" or \"auto\".")
    M446 = ("'{name}' cannot write trees of {trees} words to documents of {words} words. Pass the documents that the trees were predicted for, in the same order.")
    M447 = ("The word '{word}...' of {length} characters is too long for the user dictionary, which takes words of up to {most} characters. Split it, or leave it "
            "out.")
    M448 = ("The templates of a model must be a template set, but are a {found}. Give them a block of their own, such as [components.ner.model.templates] with "
            "@mtl_templates = \"spacy_mtl.ner.v1\".")
    M449 = ("The trainer of '{name}' must be a trainer, but is a {found}. Give it a block of its own, such as [components.{name}.trainer] with "
            "@mtl_trainers = \"spacy_mtl.MTLStruct.v1\".")
    M460 = ("'{name}' cannot be trained: none of the {n} training examples has constituents in doc.spans[\"{key}\"]. Check the reader, or the setting 'spans_key'.")
    M461 = ("'{name}': '{label}' cannot be the label of a constituent, since labels must not be empty or the name of a root, contain + or ^, or begin with @ or /. Rename it.")
    M462 = ("None of the {sentences} sentences that '{name}' was given has a tree it can learn from: constituents within the sentence, and at most {longest} words "
            "('max_words'). Check the corpus, and that the input has the same words and sentence boundaries as the annotation.")
    M463 = ("'{name}': the constituents of the document that begins with '{text}' are not a tree: '{span}' ({label}) crosses another one. Correct the annotation.")
    M464 = ("'{name}' cannot learn on from a trained model: its grammar is that of the corpus it was trained on. Call nlp.initialize() with all trees, old and new, and train "
            "again, or list it among the frozen components (in Python: nlp.update(..., exclude=[\"{name}\"])).")
    M465 = ("'{name}' cannot write the constituents of {found} documents, of {words} words at least, to {docs} documents of {lengths} words. Pass the documents that they "
            "were predicted for, in the same order.")
    M470 = ("'{name}' cannot go on from the model in {where}: its setting '{setting}' is {found}, but that of '{name}' is {value}. Give '{name}' the same setting, "
            "or another prior.")
    M471 = ("'{name}' cannot learn on: the template '{template}' is only in {where}, and old and new weights can only be added if their templates are the same. "
            "Use the template set that the model was trained with.")
    M472 = ("'{name}' cannot go on from the model in {where} without its labels {labels}. Add them to the labels in [initialize.components.{name}], or leave those out.")
    M473 = ("'{name}': the weight of the prior must be a number above 0 and at most 1000, but is {value}. 1 keeps the weights of the earlier model as they are.")
    M487 = ("'{name}' cannot go on from {where}, a pipeline without a component of this name. It has: {parts}. Give the folder of the one to go on from, "
            "such as {where}/PART.")
    M757 = ("The setting 'prior' of '{name}' is '{where}', where no saved component is. Give a saved pipeline with a component of this name, or the folder of a saved "
            "component.")
    M759 = ("The model of '{name}' must have the architecture \"{expected}\", but is a '{found}'. Take [components.{name}.model], and what is inside it, out of the config "
            "for the default, or write a block with that architecture.")
    M474 = ("'{name}' has no earlier model whose predictions could be rehearsed: it was initialized anew. Load a trained component and call nlp.resume_training().")
    M475 = ("'{name}' is not trained, so it has no weights, and decides nothing. Train it, or load a trained component.")
    M456 = ("'{name}' was initialized for the labels {known}, but a training document has {labels}. Give nlp.initialize() examples of every label, or list all "
            "labels in [initialize.components.{name}].")
    M457 = ("'{name}' parses inside given sentences, but the training document that begins with '{text}' has {sentences} annotated sentences and no sentence "
            "boundaries in its input. Put a component that sets them ('sentencizer' or 'senter') before it, or let the corpus reader set them.")
    M451 = ("{n} words are seen at least {least} times, but with {labels} labels a model can remember the labels of {most} at most. Set the least number of times ('known_words') "
            "higher, or to 0 for none.")
    M480 = ("The words of the user dictionary cannot be a {value}. Their role is one of {known}.")
    M481 = ("The weight of the user dictionary must be a number from 0 to {most:g}, but is {value}. It matters where the role is \"preference\".")
    M482 = ("The model reads word vectors of {expected} dimensions (its templates V:%v), but the vocabulary of the pipeline has {found}. Load the vectors that it was "
            "trained with: set 'vectors' in [initialize], or copy nlp.vocab.vectors.")
    M483 = ("The templates V:%t read {expected} of doc.tensor, but the document that begins with '{text}' has {found}. Put the component that sets it, such as the tok2vec of "
            "training, before this one; while training, list it in [training] annotating_components.")
    M484 = ("The templates of '{name}' read word vectors (V:%v), but the vocabulary has none. Set 'vectors' in [initialize] to a pipeline with vectors, such as 'spacy init "
            "vectors' makes, or leave these templates out.")
    M485 = ("'{name}' cannot learn on from a trained model, since its templates read vectors (V:%v or V:%t). Train it again on all documents, old and new.")
    M477 = ("'{name}' has no calibration, and the scores that its trainer learns are no log probabilities. Calibrate it on held-out documents: spacy mtl calibrate MODEL DEV "
            "--output OUTPUT, or nlp.get_pipe(\"{name}\").calibrate(examples).")
    M478 = ("'{name}' cannot be calibrated: no sentence of the {n} documents has a gold analysis that the model considers. Give held-out documents with whole "
            "annotation for '{name}'.")
    M479 = ("'{name}' is not trained, so it cannot tell how probable an analysis is. Train it, or load a trained component.")
    M486 = ("The decisions of a model whose templates read vectors (V:%v or V:%t) cannot be explained, since single numbers of a vector mean nothing. Look at the weights of "
            "its templates instead, with 'spacy mtl templates'.")
    M490 = ("There is nothing to learn tokens from: no document has what a CoNLL-U file says beyond words, tags and trees. Set 'keep = true' of the reader, "
            "spacy_mtl.ConlluCorpus.v1, that is in [initialize.tokenizer.corpus], or else of the training corpus.")
    # fmt: on


class ComponentWarnings:
    # fmt: off
    M430 = ("The templates of this model read {attr}, but the documents do not have it, so predictions will be worse than the scores in training. "
            "Put a component that sets {attr} before this one, or train without it.")
    M432 = ("The tokenizer spacy_mtl.Segmenter.v1 has no model, so every character becomes a word. Load a trained one: set 'path' in "
            "[initialize.tokenizer] to a pipeline with mtl_segmenter, or make one with: python -m spacy mtl tokenizer MODEL OUTPUT")
    M433 = ("The limit of {megabytes} megabytes leaves {kept} of the {rows} observations that have weights{others}, too few "
            "to predict well. Set 'megabytes' of its model higher, or to null for no limit.")
    M434 = ("'{name}' predicts {column}, but the reader of [{section}] gives it ('given'), and what is given stays, so the scores are those of the gold "
            "annotation. Take {column} out of 'given' of [{section}], or set overwrite = true.")
    M435 = ("'{name}' predicts sentence borders, but the reader of [{section}] gives them, and what is given stays, so the scores are those of the gold annotation. Set "
            "borders = false there, or overwrite = true in [components.{name}].")
    M455 = ("'{name}' keeps receiving training documents that it has not seen before, and indexes its features again for them; it now remembers {n}. If an "
            "augmenter makes them, leave it out: each pass would add to the corpus. Otherwise give all documents to nlp.initialize().")
    M476 = ("A sentence of {longest} words is longer than the {most} that '{name}' parses at once, so it is parsed in pieces and its decisions are not explained. Check "
            "what sets the sentence boundaries, or raise 'max_words'.")
    M458 = ("'{name}' has no calibration while it is trained, so documents get no probabilities and 'threshold' does nothing. Once it is saved, it refuses texts until it is "
            "calibrated: put spacy_mtl.calibrate.v1 into [training.before_to_disk], or run 'spacy mtl calibrate'.")
    M488 = ("How sure '{name}' should be of other texts is a guess: {wrong} of its decisions about the held-out documents ({kind}: {n}) are wrong, and none of those that "
            "could have been right. Calibrate it on more documents.")
    M758 = ("The config gives '{name}' {settings}, but its model was trained otherwise and predicts as it was trained. Take that out of the config, or train again.")
    M459 = ("'{name}' is saved untrained, so what is loaded from there will predict nothing. Train it before it is saved, or remove it from the pipeline.")
    M453 = ("A sentence of {longest} words is longer than the {most} that '{name}' takes, so it gets no constituents. Check what sets the sentence boundaries, or raise "
            "'max_words' (the time grows with its cube).")
    M450 = ("A sentence of {longest} words is longer than the {most} that '{name}' parses at once, so it is parsed in pieces, whose trees are joined. Check what "
            "sets the sentence boundaries, or raise 'max_words' (the time grows with its cube; null for no limit).")
    # fmt: on
