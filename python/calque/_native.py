"""Loads the part of the package that is written in C++."""

from __future__ import annotations

import os

# As the command line does: threads of OpenMP that wait for work do not spin for long. It takes effect
# if no other module has loaded OpenMP.
if "OMP_WAIT_POLICY" not in os.environ:
    os.environ.setdefault("GOMP_SPINCOUNT", "1000")

from ._calque import Error, __version__, set_threads, threads  # noqa: E402

__all__ = ["Error", "__version__", "set_threads", "threads"]
