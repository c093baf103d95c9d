"""Classifiers of texts, of words and of images."""

from __future__ import annotations

import os
from functools import cached_property
from typing import Any, Iterable

from . import _calque
from ._texts import blocks, check_text, shown_progress, texts_of
from .encoders import SentenceEncoder
from .model import Model
from .results import Classification, Explanation

_ROWS_AT_ONCE = 256  # as the command line


class _Labelled(Model):
    """A model that names classes."""

    @cached_property
    def labels(self) -> list[str]:
        """The names of the classes."""
        names: list[str] = self._opened.labels()
        return names


class TextClassifier(_Labelled, SentenceEncoder):
    """A trained classifier of texts, or of pairs of texts."""

    _opens = _calque.OpenTextClassifier

    def classify(self, texts: Any, *, progress: bool | None = None) -> Any:
        """The class of a text, or of each text of an iterable. A pair of texts is a tuple."""
        one = isinstance(texts, (str, tuple))
        rows = [_row(texts, "the text")] if one else [
            _row(text, f"text {i}") for i, text in enumerate(texts)]
        results = [_classification(self.labels, each[0])
                   for each in _classified(self._opened, rows, progress)]
        return results[0] if one else results


class Tagger(_Labelled):
    """A trained tagger: the tag of each word of a sentence."""

    _opens = _calque.OpenTextClassifier

    def tag(self, sentences: Any, *, progress: bool | None = None) -> Any:
        """The words of a sentence with their tags, [(word, Classification), ...].

        White space separates the words of a string; a list of words is a sentence too, so several
        sentences are a list of strings or a list of lists.
        """
        one = isinstance(sentences, str)
        rows = [words_of(each, f"sentence {i}")
                for i, each in enumerate([sentences] if one else sentences)]
        results = [[(word, _classification(self.labels, probabilities))
                    for word, probabilities in zip(words, each)]
                   for words, each in zip(rows, _classified(self._opened, rows, progress))]
        return results[0] if one else results


class ImageClassifier(_Labelled):
    """A trained Vision Transformer."""

    _opens = _calque.OpenImageClassifier

    def classify(self, images: Any, *, progress: bool | None = None) -> Any:
        """The class of a PNG or JPEG file, or of each file of an iterable."""
        one = isinstance(images, (str, os.PathLike))
        paths = [os.fspath(each) for each in ([images] if one else images)]
        results = []
        with shown_progress(len(paths), progress, "images") as show:
            for i, path in enumerate(paths):
                results.append(_classification(self.labels, self._opened.classify(path)[0]))
                if show is not None:
                    show(i + 1)
        return results[0] if one else results

    def explain(self, image: str | os.PathLike[str]) -> Explanation:
        """The probabilities of the classes, and which patches the model attends to."""
        return Explanation(self._opened.explain(os.fspath(image)))


def words_of(sentence: str | Iterable[str], what: str) -> list[str]:
    """The words of a sentence, which is a string or already in words."""
    if isinstance(sentence, str):
        words: list[str] = _calque.words_of(check_text(sentence, what))
        return words
    return texts_of(sentence, f"{what}: word")


def _row(texts: Any, what: str) -> list[str]:
    if isinstance(texts, str):
        return [check_text(texts, what)]
    if isinstance(texts, tuple) and len(texts) == 2:
        return [check_text(text, what) for text in texts]
    raise TypeError(f"{what} must be a str or a tuple of two, not {type(texts).__name__}")


def _classified(opened: Any, rows: list[list[str]], wanted: bool | None) -> list[Any]:
    found: list[Any] = []
    with shown_progress(len(rows), wanted) as show:
        for first, block in blocks(rows, _ROWS_AT_ONCE):
            found += opened.classify(block)
            if show is not None:
                show(first + len(block))
    return found


def _classification(labels: list[str], probabilities: Any) -> Classification:
    best = int(probabilities.argmax())
    return Classification(labels[best], float(probabilities[best]), labels, probabilities)


