"""The part of calque.core that is written in C++; _native.pyi has its types."""

from __future__ import annotations

from .. import _native as _package  # which loads the library
from .._calque import core as _core  # type: ignore[attr-defined]

globals().update({name: value for name, value in vars(_core).items() if not name.startswith("__")})

from .docs import CLASSES as _classes  # noqa: E402

for _name, _text in _classes.items():
    getattr(_core, _name).__doc__ = _text
