"""Encoders: masked language models, embeddings of sentences, and vectors of words."""

from __future__ import annotations

import os
from functools import cached_property
from typing import TYPE_CHECKING, Any, Iterable

from . import _calque
from ._texts import blocks, check_text, texts_of
from .model import Model, run_path
from .results import Filling

if TYPE_CHECKING:
    from .results import Matrix

_TEXTS_AT_ONCE = 256  # as `calque embed`


class SentenceEncoder(Model):
    """A model that embeds sentences."""

    @cached_property
    def _encoder(self) -> Any:
        return _calque.OpenSentenceEncoder(self._path, self._precision)

    def embed(self, texts: str | Iterable[str]) -> Any:
        """The embedding of a text [d_model], or of each text [texts, d_model]."""
        import numpy as np

        if isinstance(texts, str):
            return self._encoder.embed([check_text(texts, "the text")])[0]
        parts = [self._encoder.embed(block) for _, block in blocks(texts_of(texts), _TEXTS_AT_ONCE)]
        return np.concatenate(parts) if parts else self._encoder.embed([])


class MaskedModel(SentenceEncoder):
    """A trained encoder that predicts masked tokens, and embeds sentences."""

    _opens = _calque.OpenMaskedModel

    def fill(self, text: str, *, alternatives: int = 5) -> Filling:
        """Predicts the token at each [MASK] of a text."""
        if alternatives < 1:
            raise _calque.Error(f"alternatives: must be at least 1, not {alternatives}")
        return Filling(*self._opened.fill(check_text(text, "the text"), alternatives))


class WordVectors(Model):
    """Trained word vectors."""

    def __init__(self, run: str | os.PathLike[str], *, precision: str | None = None) -> None:
        if precision not in (None, "float32"):
            raise _calque.Error("precision: word vectors have float32 alone")
        path = run_path(run)
        self._hold(path, None, _calque.OpenWords(path))

    @cached_property
    def words(self) -> list[str]:
        """The symbols of the vocabulary, in the order of the vectors."""
        symbols: list[str] = self._opened.words()
        return symbols

    @cached_property
    def vectors(self) -> Matrix:
        """[words, d_model]."""
        table: Matrix = self._opened.vectors()
        return table

    def __getitem__(self, word: str) -> Any:
        try:
            return self.vectors[self.words.index(word)]
        except ValueError:
            raise KeyError(word) from None

    def nearest(self, word: str, count: int = 10) -> list[tuple[str, float]]:
        """The words nearest to a word, with the cosines of their vectors, nearest first."""
        near: list[tuple[str, float]] = self._opened.nearest(check_text(word, "the word"), count)
        return near

    def analogy(self, a: str, b: str, c: str, count: int = 10) -> list[tuple[str, float]]:
        """The answers to: `a` is to `b` as `c` is to what?"""
        words = [check_text(word, "the word") for word in (a, b, c)]
        answers: list[tuple[str, float]] = self._opened.analogy(*words, count)
        return answers
