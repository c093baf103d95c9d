"""Figures as SVG, which notebooks show."""

from __future__ import annotations

import os


class Figure:
    """An SVG picture: shown by notebooks, written by save()."""

    def __init__(self, svg: str) -> None:
        self.svg = svg

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the figure to a file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.svg)

    def __str__(self) -> str:
        return self.svg

    def _repr_svg_(self) -> str:
        return self.svg
