"""Segmenters of other packages: jieba, spacy-pkuseg and the perceptron of LTP."""

import logging
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.common.measure import cpu_seconds, forget_peak, peak_megabytes, resident_megabytes

from .data import Data
from .reading import Segmenter, evaluated, one_by_one, piped

#: Passes of LTP's perceptron over the corpus.
LTP_PASSES = 5


def jieba_alone() -> Segmenter:
    """jieba with its own dictionary, in accurate mode, unknown words by its hidden Markov model (its defaults)."""
    import jieba

    jieba.setLogLevel(logging.WARNING)
    jieba.initialize()
    return one_by_one(jieba.cut)


def jieba_in_spacy() -> Segmenter:
    """spaCy's Chinese tokenizer with jieba, which gives Docs."""
    import spacy

    jieba_alone()
    return piped(spacy.blank("zh", config={"nlp": {"tokenizer": {"segmenter": "jieba"}}}))


def pkuseg(model: str) -> Segmenter:
    """spacy-pkuseg with a model that its makers trained. model: its folder."""
    import spacy_pkuseg

    return one_by_one(spacy_pkuseg.pkuseg(model).cut)


def ltp(path: str) -> Segmenter:
    """A saved model of LTP."""
    from ltp_extension import perceptron

    return one_by_one(perceptron.CWSModel.load(path).predict)


def ltp_in_batches(path: str) -> Segmenter:
    """The same, all texts in one call, on one thread."""
    from ltp_extension import perceptron

    model = perceptron.CWSModel.load(path)
    return Segmenter(lambda inputs: model.batch_predict(list(inputs), parallelism=False))


def size_mb(path: Path) -> float:
    files = path.rglob("*") if path.is_dir() else [path]
    return sum(file.stat().st_size for file in files if file.is_file()) / 1e6


def fit_ltp(data: Data, path: str, passes: int = LTP_PASSES) -> float:
    """Train passive-aggressively, save, and say the CPU seconds of training: reading its file is not counted."""
    from ltp_extension import perceptron

    trainer = perceptron.CWSTrainer()
    trainer.algorithm, trainer.epoch = perceptron.Algorithm("Pa"), passes
    trainer.eval_threads, trainer.verbose = 1, False
    with TemporaryDirectory() as folder:
        source = Path(folder, "train.txt")
        source.write_text("".join(" ".join(words) + "\n" for words in data.train()), encoding="utf8")
        trainer.load_train_data(str(source))
    models = []
    seconds = cpu_seconds(lambda: models.append(trainer.train()))
    models[0].save(path)
    return seconds


def run_jieba(data: dict, repeats: int) -> dict[str, Any]:
    """A row; there is nothing to train."""
    import jieba

    row = _begin("jieba") | evaluated(jieba_alone(), Data(**data), repeats) | {"peak_mb": peak_megabytes()}
    return row | {"model_mb": size_mb(Path(jieba.__file__).with_name("dict.txt"))}


def run_pkuseg(data: dict, repeats: int, model: str) -> dict[str, Any]:
    """A row of a model as it came; training one takes hours."""
    row = _begin("spacy-pkuseg") | evaluated(pkuseg(model), Data(**data), repeats) | {"peak_mb": peak_megabytes()}
    return row | {"model_mb": size_mb(Path(model))}


def run_ltp(data: dict, repeats: int) -> dict[str, Any]:
    """A row of a model trained on the same sentences, with the package's own features."""
    the_data, row = Data(**data), _begin("ltp pa")
    with TemporaryDirectory() as folder:
        path = str(Path(folder, "model"))
        row |= {"cpu": fit_ltp(the_data, path), "iterations": LTP_PASSES, "peak_mb": peak_megabytes()}
        return row | {"model_mb": size_mb(Path(path))} | evaluated(ltp(path), the_data, repeats)


def _begin(contestant: str) -> dict[str, Any]:
    forget_peak()
    return {"contestant": contestant, "templates": "its own", "cpu": None, "resident_before_mb": resident_megabytes()}
