"""Trains Transformers on ordinary CPUs, and uses what was trained."""

from __future__ import annotations

from ._native import Error, __version__

__all__ = ["Error", "__version__"]
