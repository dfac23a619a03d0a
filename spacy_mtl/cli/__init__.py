"""``python -m spacy mtl ...``: this package's commands, added to spaCy's own command line.

This module is loaded whenever any spaCy command runs, so nothing heavy is imported until one of our commands is called.
"""

import typer
from spacy.cli import app

from spacy_mtl.compiling.progress import show_on_stderr

from .annotate import annotate_cli
from .choosing.bias import bias_cli
from .choosing.prune import prune_cli
from .choosing.suggest import suggest_cli
from .choosing.tune import tune_cli
from .cluster.train import train_cli
from .config import config_cli
from .convert import convert_cli
from .evaluate import evaluate_cli
from .init_config import init_config_cli
from .insight.calibrate import calibrate_cli
from .insight.explain import explain_cli
from .insight.features import features_cli
from .insight.names import names_cli
from .insight.report import report_cli
from .shared.messages import interruptible
from .summary import summary_cli
from .tables.clusters import clusters_cli
from .tables.lists import lists_cli
from .templates import templates_cli
from .tokenizer import tokenizer_cli
from .treebanks.evaluate_ud import evaluate_ud_cli
from .treebanks.init_ud import init_ud_cli
from .treebanks.jackknife import jackknife_cli
from .validate import validate_cli
from .warmup import warmup_cli

mtl = typer.Typer(
    name="mtl",
    help="Structured prediction with feature templates: make configs, convert corpora, evaluate pipelines, inspect what was learnt.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
mtl.command("annotate")(annotate_cli)
mtl.command("bias")(bias_cli)
mtl.command("calibrate")(calibrate_cli)
mtl.command("clusters")(clusters_cli)
mtl.command("config")(config_cli)
mtl.command("convert")(convert_cli)
mtl.command("evaluate")(evaluate_cli)
mtl.command("evaluate-ud")(evaluate_ud_cli)
mtl.command("explain")(explain_cli)
mtl.command("features")(features_cli)
mtl.command("init-config")(init_config_cli)
mtl.command("init-ud")(init_ud_cli)
mtl.command("jackknife")(jackknife_cli)
mtl.command("lists")(lists_cli)
mtl.command("names")(names_cli)
mtl.command("prune")(prune_cli)
mtl.command("report")(report_cli)
mtl.command("suggest")(suggest_cli)
mtl.command("summary")(summary_cli)
mtl.command("templates")(templates_cli)
mtl.command("tokenizer")(tokenizer_cli)
mtl.command("train", context_settings={"allow_extra_args": True, "ignore_unknown_options": True})(train_cli)
mtl.command("tune")(tune_cli)
mtl.command("validate")(validate_cli)
mtl.command("warmup")(warmup_cli)
for command in mtl.registered_commands:
    if command.callback is not None:
        command.callback = interruptible(command.callback)
app.add_typer(mtl)
show_on_stderr()  # commands of spaCy compile kernels, too

__all__ = ["mtl"]
