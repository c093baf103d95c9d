"""Pages of the engine in a notebook cell."""

from __future__ import annotations

import html


def frame(page: str, height: int = 620) -> str:
    """A page of its own inside a cell: its styles and scripts cannot reach the notebook's."""
    return (f'<iframe srcdoc="{html.escape(page, quote=True)}" sandbox="allow-scripts" '
            f'style="width:100%;height:{height}px;border:0"></iframe>')
