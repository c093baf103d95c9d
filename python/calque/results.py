"""What the methods of models return: small objects with texts, tokens, scores and arrays."""

from __future__ import annotations

import html
import json
import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from . import _calque
from ._pages import frame

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Matrix = npt.NDArray[np.float32]
    Probabilities = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Translation:
    """A translation of a text. `str(translation)` is its text."""

    source: str
    text: str
    source_tokens: list[str]
    tokens: list[str]
    score: float  # of the search, with the length penalty
    log_probability: float
    # Pairs of a source word and a word of the text, by index; with alignment=True.
    alignment: list[tuple[int, int]] | None = None
    # [tokens, source_tokens], the mean over the heads of a layer; with attention=True.
    attention: Matrix | None = None
    # The next best translations, best first; with n_best above 1.
    alternatives: tuple[Translation, ...] = ()

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        rows = "".join(
            f'<tr><td style="text-align:left">{html.escape(each.text)}</td><td>{each.score:.3f}</td></tr>'
            for each in (self, *self.alternatives))
        page = f"<p>{html.escape(self.source)}</p><table>{rows}</table>"
        if self.attention is not None and self.tokens and self.source_tokens:
            page += str(_calque.attention_svg(self.source_tokens, self.tokens,
                                              self.attention.ravel().tolist()))
        return page


@dataclass(frozen=True)
class Generation:
    """A text that a language model has written after a prompt."""

    prompt: str
    text: str  # without the prompt
    tokens: list[str]
    finish: str  # "end" (of the text), "stop" (a stop string) or "length"
    log_probability: float

    def __str__(self) -> str:
        return self.prompt + self.text


@dataclass(frozen=True, eq=False)
class Classification:
    """The most probable label of a text, a word or an image, and the probabilities of all."""

    label: str
    probability: float
    labels: list[str] = field(repr=False)
    probabilities: Probabilities = field(repr=False)  # [labels]

    def top(self, count: int) -> list[tuple[str, float]]:
        """The most probable labels with their probabilities, most probable first."""
        order = (-self.probabilities).argsort(kind="stable")[:count]
        return [(self.labels[i], float(self.probabilities[i])) for i in order]


@dataclass(frozen=True)
class Filling:
    """A text with the most probable token at each [MASK]."""

    text: str
    tokens: list[list[tuple[str, float]]]  # of each [MASK]: tokens and probabilities, best first

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, eq=False)
class Score:
    """The log-probability of a text or of a translation, and of each of its tokens, </s> included."""

    log_probability: float
    of_tokens: Matrix = field(repr=False)  # [tokens]

    @property
    def tokens(self) -> int:
        return len(self.of_tokens)


@dataclass(frozen=True)
class Alignment:
    """The words of a text and of its translation, and which belong together."""

    source: list[str]
    target: list[str]
    links: list[tuple[int, int]]  # pairs of a source word and a target word, by index

    def __str__(self) -> str:
        return " ".join(f"{i}-{j}" for i, j in self.links)


class Explanation:
    """How a model computes an output: the page of `calque explain`, and its numbers."""

    def __init__(self, explained: Any) -> None:
        self._explained = explained

    @property
    def input(self) -> str:
        """The text, or the file of the image."""
        return str(self._explained.input)

    @property
    def html(self) -> str:
        """A self-contained page."""
        return str(self._explained.page())

    @property
    def data(self) -> dict[str, Any]:
        """Tokens, logits, attention and the rest, as in `calque explain --json`."""
        numbers: dict[str, Any] = json.loads(self._explained.json())
        return numbers

    @property
    def svg(self) -> str:
        """A figure of the cross-attention of a translation."""
        return str(self._explained.svg())

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the page, or for a path that ends in .svg the figure, in .json the numbers."""
        text = os.fspath(path)
        content = (self.svg if text.endswith(".svg") else
                   str(self._explained.json()) if text.endswith(".json") else self.html)
        with open(path, "w", encoding="utf-8") as file:
            file.write(content)

    def _repr_html_(self) -> str:
        return frame(self.html)
