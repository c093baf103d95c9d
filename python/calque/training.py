"""calque.train: trains the model of a config, or resumes its training."""

from __future__ import annotations

import json
import os
from typing import Any, Callable, Iterable, Mapping

from . import _calque
from ._native import Error
from .data import write_data
from .model import run_path
from .run import Run


def train(config: Mapping[str, Any] | str | os.PathLike[str], *,
          run: str | os.PathLike[str] | None = None,
          settings: Mapping[str, Any] | Iterable[str] = (), fresh: bool = False,
          on_step: Callable[[dict[str, Any]], object] | None = None,
          on_validation: Callable[[dict[str, Any]], object] | None = None,
          quiet: bool = False) -> Run:
    """Trains the model of a config; the same call again resumes the run.

    config: the path of a YAML file, or its content as a dict. In a dict, data.train, data.validation
        and data.test may be data: an iterable of pairs of texts for translation, of (text, label)
        for classification, of texts for language models. It is written to the folder of the run.
    run: the folder of the run; by default runs/NAME for a config NAME.yaml.
    settings: keys that override the config, such as {"training.seed": 2}.
    fresh: starts over in a new folder beside the run.
    on_step, on_validation: get the record of each step and of each validation, as a dict with the
        names of metrics.jsonl. If one returns False, training saves a checkpoint and ends.
    quiet: prints no lines.

    Ctrl-C saves a checkpoint, and then raises KeyboardInterrupt. Returns the run; its `ending` says
    why training ended.
    """
    opened = _open(config, run, _settings(settings), fresh)
    ending, step = opened.train(None if quiet else _print, _continues(on_step),
                                _continues(on_validation))
    trained = Run(opened.run)
    trained.ending = ending
    return trained


def plan(config: Mapping[str, Any] | str | os.PathLike[str], *,
         run: str | os.PathLike[str] | None = None,
         settings: Mapping[str, Any] | Iterable[str] = ()) -> str:
    """The model's size, memory and time, as `calque train --dry-run` prints them."""
    return str(_open(config, run, _settings(settings), False).plan())


def _open(config: Mapping[str, Any] | str | os.PathLike[str],
          run: str | os.PathLike[str] | None, settings: list[str], fresh: bool) -> Any:
    folder = "" if run is None else run_path(run)
    if not isinstance(config, Mapping):
        return _calque.config_of_file(os.fspath(config), settings, folder, fresh)
    if not folder:
        raise Error("train: a config that is a dict needs `run`, the folder to train in")
    folder = _calque.run_folder(folder, fresh)
    trained = os.path.isdir(os.path.join(folder, "checkpoints"))
    text = json.dumps(write_data(dict(config), folder, trained), default=_not_yaml)
    return _calque.config_of_text(text, settings, folder)


def _settings(settings: Mapping[str, Any] | Iterable[str]) -> list[str]:
    if isinstance(settings, str):
        raise TypeError("settings must be a dict or a list of KEY=VALUE, not a str")
    if isinstance(settings, Mapping):
        return [f"{key}={json.dumps(value, default=_not_yaml)}" if not isinstance(value, str)
                else f"{key}={value}" for key, value in settings.items()]
    return list(settings)


def _not_yaml(value: object) -> Any:
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if hasattr(value, "item"):  # a number of NumPy
        return value.item()
    raise Error(f"a config has texts, numbers, lists and dicts, not {type(value).__name__}")


def _print(line: str) -> None:
    print(line, flush=True)


def _continues(function: Callable[[dict[str, Any]], object] | None
               ) -> Callable[[str], bool] | None:
    if function is None:
        return None
    called = function
    return lambda record: called(json.loads(record)) is not False
