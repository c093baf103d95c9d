"""What all opened models share."""

from __future__ import annotations

import html
import os
from typing import TYPE_CHECKING, Any, Iterable

from . import _calque
from ._native import Error

if TYPE_CHECKING:
    from .serving import Server


class Model:
    """A trained run in use. `calque.load` returns the class of its task."""

    _opens: Any  # the class in C++, called with the path and the precision

    def __init__(self, run: str | os.PathLike[str], *, precision: str | None = None) -> None:
        path = run_path(run)
        self._hold(path, precision, self._opens(path, precision or ""))

    def _hold(self, path: str, precision: str | None, opened: Any) -> None:
        self._path = path
        self._precision = precision or ""
        self._opened = opened
        self._about: dict[str, Any] = opened.about()

    @property
    def run(self) -> str:
        """The folder of the run."""
        return str(self._about["run"])

    @property
    def checkpoint(self) -> str:
        """The folder of the weights."""
        return str(self._about["checkpoint"])

    @property
    def step(self) -> int:
        """The step of training that the weights are of."""
        return int(self._about["step"])

    @property
    def parameters(self) -> int:
        """The number of parameters."""
        return int(self._about["parameters"])

    @property
    def config(self) -> str:
        """The config of the run as YAML, with every key that has an effect."""
        return str(self._about["config"])

    def __repr__(self) -> str:
        precision = f", precision={self._precision!r}" if self._precision else ""
        return f"<calque.{type(self).__name__} {self._path!r}, step {self.step}{precision}>"

    def _repr_html_(self) -> str:
        about = {"model": type(self).__name__, "checkpoint": self.checkpoint, "step": f"{self.step:,}",
                 "parameters": f"{self.parameters:,}", "precision": self._precision}
        rows = "".join(f'<tr><th style="text-align:left">{name}</th>'
                       f'<td style="text-align:left">{html.escape(value)}</td></tr>'
                       for name, value in about.items() if value)
        return (f"<table>{rows}</table><details><summary>config</summary>"
                f"<pre>{html.escape(self.config)}</pre></details>")

    def __reduce__(self) -> Any:
        return type(self)._open, (self._path, self._precision)

    @classmethod
    def _open(cls, run: str, precision: str) -> Model:
        from .loading import load

        model: Model = load(run, precision=precision or None)
        return model

    def export(
        self, format: str, out: str | os.PathLike[str], *, type: str = "", int8: bool = False
    ) -> str:
        """Writes the model in the format of another engine to the new folder `out`.

        `type` is how weights are stored: float32 or int8 in ctranslate2; float32, float16,
        bfloat16, q8_0 or q4_0 in gguf. `int8=True` is `type="int8"`. Returns a remark, or an empty
        string. `calque.formats()` lists the formats.
        """
        return str(
            _calque.export_run(self._path, format, os.fspath(out), "int8" if int8 else type)
        )

    def quantize(self, out: str | os.PathLike[str]) -> Model:
        """Writes a run with the weights in int8 to the new folder `out`, and opens it."""
        from .loading import load

        _calque.quantize_run(self._path, os.fspath(out))
        model: Model = load(out)
        return model

    def serve(self, port: int = 8080, host: str = "127.0.0.1", *, background: bool = False,
              keys: Iterable[str] = ()) -> Server:
        """Serves the model over HTTP, as `calque serve` does; see `calque.serve`."""
        from .serving import serve

        return serve(self._path, port, host, background=background, keys=keys,
                     precision=self._precision or None)


def run_path(run: object) -> str:
    """The path of a run, which may be a Run or a Model."""
    path: Any = getattr(run, "_path", run)  # of a Model
    try:
        text = os.fspath(path)
    except TypeError:
        raise TypeError(f"a run is the path of its folder, not {type(run).__name__}") from None
    if isinstance(text, bytes):
        text = os.fsdecode(text)
    if "\0" in text:
        raise Error("the path of a run cannot contain a NUL")
    return str(text)
