"""M7xx: commands."""


class CommandErrors:
    # fmt: off
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
    M719 = ("Compiled kernels cannot be kept in '{path}': {reason}. Set NUMBA_CACHE_DIR to a folder that can be written, here and where the pipelines are to run.")
    M720 = ("'{name}' is not a component that can be warmed up. Choose from {known}, or give no name for all of them.")
    M725 = ("'{name}' is not a setting of [{section}], which takes {known}.")
    M726 = ("Cannot set '{name}': the config has no section [{section}]. Beside it there are {known}.")
    M727 = ("'{name}' is not a component of this package. Choose from {known}, separated by commas.")
    M728 = ("'{name}' cannot be trained on '{path}', which has {seen}. {hint}.")
    M729 = ("'{dev}' does not go with '{train}': one has {found}, the other {expected}. Give two files of the same format and columns.")
    M740 = ("'{path}': a document of {n} characters is longer than the pipeline's max_length, {most}. Choose smaller documents than a {documents} with --documents.")
    M741 = ("The output '{path}' is also an input. Give another name.")
    M742 = ("Unknown {setting} '{value}'. Choose one of {known}.")
    M743 = ("Note: no component of the pipeline sets sentence borders, so that each document is one sentence. Put a senter or sentencizer first.")
    M731 = ("The config '{path}' makes no pipeline, or no corpus: {reason}. Correct it; 'spacy mtl init-config' writes one for a corpus.")
    M730 = ("Warning: {columns} is given, and predicted by the pipeline. A component that does not overwrite keeps what is given, so its scores are those "
            "of the gold annotation. Leave {columns} out of --given.")
    # fmt: on
