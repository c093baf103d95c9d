"""Trained runs over HTTP."""

from __future__ import annotations

import os
import threading
from typing import Any, Iterable, Sequence

from . import _calque
from ._native import Error
from .model import run_path


class Server:
    """A server of runs in a thread of its own. Use it in a `with` block, or call stop()."""

    def __init__(self, server: Any, host: str) -> None:
        self._server = server
        self.port: int = server.port()
        self.url = f"http://{f'[{host}]' if ':' in host else host}:{self.port}"
        self._thread = threading.Thread(target=server.run, args=(False,), daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Finishes the requests that were read, and ends."""
        self._server.stop()
        self._thread.join()

    def wait(self) -> None:
        """Returns when the server has ended; Ctrl-C stops it."""
        try:
            while self._thread.is_alive():
                self._thread.join(0.2)
        except KeyboardInterrupt:
            self.stop()

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def __repr__(self) -> str:
        return f"<calque.Server {self.url}>"

    def _repr_html_(self) -> str:
        return f'<a href="{self.url}" target="_blank">{self.url}</a>'


def serve(runs: Any, port: int = 8080, host: str = "127.0.0.1", *, background: bool = False,
          keys: Iterable[str] = (), precision: str | None = None) -> Server:
    """Serves a run, or several, over HTTP, with the routes and the page of `calque serve`.

    Port 0 takes any free port. Requests must have one of `keys`, if there are any. Returns at once
    with background=True, otherwise when Ctrl-C has stopped the server.
    """
    if not 0 <= port <= 65535:
        raise Error(f"port: must be from 0 to 65535, not {port}")
    several: Sequence[Any] = runs if isinstance(runs, (list, tuple)) else [runs]
    server = Server(_calque.RunServer([run_path(run) for run in several], precision or "",
                                      os.fspath(host), port, list(keys)), host)
    if not background:
        print(server.url, flush=True)
        server.wait()
    return server
