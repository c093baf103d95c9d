"""Models from and for other engines, and the mean of several checkpoints."""

from __future__ import annotations

import os
from typing import Iterable

from . import _calque
from .model import run_path
from .run import Run


def formats() -> list[str]:
    """The formats that Model.export() writes."""
    names: list[str] = _calque.formats()
    return names


def import_model(place: str | os.PathLike[str], run: str | os.PathLike[str]) -> Run:
    """Makes the new run `run` of another engine's model, a folder or a file."""
    _calque.import_run(os.fspath(place), os.fspath(run))
    return Run(run)


def average(runs: Iterable[str | os.PathLike[str]], out: str | os.PathLike[str]) -> Run:
    """Makes the new run `out` with the mean of the weights of several runs or checkpoints."""
    _calque.average_runs([run_path(run) for run in runs], os.fspath(out))
    return Run(out)
