"""Runs as they are on the disk: config, curves, samples and report."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Iterable, NamedTuple

from . import _calque
from ._pages import frame
from .figure import Figure
from .model import run_path

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Columns = dict[str, npt.NDArray[np.float64]]


class Sample(NamedTuple):
    """An example of a validation, and the output of the model at a step."""

    step: int
    input: str
    reference: str
    output: str


class Run:
    """The folder of a run. Everything is read when it is asked for, also while the run trains."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = run_path(path)
        self.ending = ""  # why calque.train() ended: "finished", "patience", "stopped", ...
        _calque.require_run(self.path)

    @property
    def config(self) -> str:
        """The config as YAML, with every key that has an effect."""
        with open(os.path.join(self.path, "config.yaml"), encoding="utf-8") as file:
            return file.read()

    @property
    def metrics(self) -> Any:
        """The training records: a pandas frame or, without pandas, a dict of arrays."""
        return _frame(self._read().train())

    @property
    def validation(self) -> Any:
        """The validation records: a pandas frame or, without pandas, a dict of arrays."""
        return _frame(self._read().valid())

    @property
    def samples(self) -> list[Sample]:
        """The outputs that validations have shown."""
        return [Sample(*each) for each in self._read().samples()]

    def plot(self, columns: Iterable[str] = (), *, over: str = "step", smooth: float = 0,
             log: bool = False) -> Figure:
        """The curves, as `calque plot --svg` draws them; see `calque.plot`."""
        return plot([self], columns, over=over, smooth=smooth, log=log)

    @property
    def report(self) -> str:
        """The page of curves, samples and settings."""
        return str(_calque.report_page([self._read()]))

    def load(self, *, precision: str | None = None) -> Any:
        """Opens the model; see `calque.load`."""
        from .loading import load

        return load(self.path, precision=precision)

    def _read(self) -> Any:
        return _calque.ReportRun(self.path)

    def __fspath__(self) -> str:
        return self.path

    def __repr__(self) -> str:
        return f"<calque.Run {self.path!r}>"

    def __reduce__(self) -> Any:
        return Run, (self.path,)

    def _repr_html_(self) -> str:
        return frame(self.report)


def plot(runs: Iterable[Run | str | os.PathLike[str]], columns: Iterable[str] = (), *,
         over: str = "step", smooth: float = 0, log: bool = False) -> Figure:
    """Draws the curves of runs beside each other.

    columns: the curves to draw, such as ["loss", "bleu"]. over: the x axis: step, epoch, tokens or
    time. smooth: the weight of the past in a moving average of the training curves, from 0 to below
    1. log: logarithmic y axes.
    """
    read = [_calque.ReportRun(run_path(run)) for run in runs]
    return Figure(_calque.figure_svg(read, list(columns), over, smooth, log))


def _frame(columns: Columns) -> Any:
    try:
        import pandas  # type: ignore[import]
    except ImportError:
        return columns
    return pandas.DataFrame(columns)
