"""Trains Transformers on ordinary CPUs, and uses what was trained.

    import calque

    run = calque.train("toy.yaml")
    model = calque.load(run)
    print(model.translate("the old king sleeps"))

`calque.core` has the tensors and the autograd beneath. The command `calque` does the same from a
shell.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from ._native import Error, __version__, set_threads, threads

if TYPE_CHECKING:
    from . import core
    from .classifiers import ImageClassifier, Tagger, TextClassifier
    from .conversion import average, formats, import_model
    from .ctranslate2 import ScoringResult, TranslationResult
    from .encoders import MaskedModel, WordVectors
    from .figure import Figure
    from .generator import LanguageModel
    from .loading import load
    from .results import (Alignment, Classification, Explanation, Filling, Generation, Score,
                          Translation)
    from .run import Run, Sample, plot
    from .serving import Server, serve
    from .training import plan, train
    from .translator import Translator

# Where each name is defined; the module is imported when the name is first used.
_HOMES = {
    "core": ("op",),
    "classifiers": ("ImageClassifier", "Tagger", "TextClassifier"),
    "conversion": ("average", "formats", "import_model"),
    "ctranslate2": ("ScoringResult", "TranslationResult"),
    "encoders": ("MaskedModel", "WordVectors"),
    "figure": ("Figure",),
    "generator": ("LanguageModel",),
    "loading": ("load",),
    "results": ("Alignment", "Classification", "Explanation", "Filling", "Generation", "Score",
                "Translation"),
    "run": ("Run", "Sample", "plot"),
    "serving": ("Server", "serve"),
    "training": ("plan", "train"),
    "translator": ("Translator",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = ["Error", "__version__", "core", "set_threads", "threads", *_HOME_OF]


def __getattr__(name: str) -> Any:
    if name == "core":
        return importlib.import_module(".core", __name__)
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module 'calque' has no attribute {name!r}")
    value = getattr(importlib.import_module("." + home, __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
