"""calque.load: opens a trained run."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Sequence

from . import _calque
from ._native import Error
from .model import Model, run_path

if TYPE_CHECKING:
    from .run import Run


def load(run: str | os.PathLike[str] | Run | Sequence[str | os.PathLike[str]], *,
         precision: str | None = None) -> Any:
    """Opens a trained run, or one of its checkpoints; several translators form an ensemble.

    Returns a `Translator`, `LanguageModel`, `TextClassifier`, `Tagger`, `ImageClassifier`,
    `MaskedModel` or `WordVectors`, as the task of the run says. With precision="int8", products
    are computed with weights rounded to 8 bits; by default the run's config decides.
    """
    if isinstance(run, (list, tuple)):
        if not run:
            raise Error("calque.load needs at least one run")
        folders = [run_path(each) for each in run]
    else:
        folders = [run_path(run)]
    model = class_of_task(_calque.task_of(folders[0]))
    from .translator import Translator

    if model is Translator:
        return Translator(folders, precision=precision)
    if len(folders) > 1:
        raise Error(f"{folders[0]}: only translators form an ensemble")
    return model(folders[0], precision=precision)


def class_of_task(task: str) -> Any:
    """The class of the models of a task, by its name in a config."""
    from . import classifiers, encoders, generator, translator

    classes: dict[str, type[Model]] = {
        "translation": translator.Translator,
        "language-model": generator.LanguageModel,
        "classification": classifiers.TextClassifier,
        "tagging": classifiers.Tagger,
        "images": classifiers.ImageClassifier,
        "masked-lm": encoders.MaskedModel,
        "word2vec": encoders.WordVectors,
    }
    return classes[task]
