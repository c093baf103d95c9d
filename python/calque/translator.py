"""Translators: texts in one language to texts in another."""

from __future__ import annotations

import os
import warnings
from dataclasses import replace
from typing import Any, Iterable, Mapping, Sequence, Union, overload

from . import _calque
from ._native import Error, set_threads
from ._texts import blocks, check_text, shown_progress, texts_of
from .ctranslate2 import BatchTranslation
from .model import Model, run_path
from .results import Alignment, Explanation, Score, Translation

Glossary = Union[str, "os.PathLike[str]", Mapping[str, Union[str, Sequence[str]]]]

_TEXTS_AT_ONCE = 2000  # as `calque translate`, so that both round alike


class Translator(BatchTranslation, Model):
    """A trained translator, or an ensemble of several with the same vocabularies."""

    def __init__(self, runs: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
                 device: str = "cpu", *, precision: str | None = None,
                 compute_type: str = "default", inter_threads: int = 1,
                 intra_threads: int = 0) -> None:
        """Opens a run, as `calque.load` does.

        `device`, `compute_type` and the numbers of threads are those of ctranslate2.Translator;
        `intra_threads` sets the threads of the process.
        """
        if device not in ("cpu", "auto"):
            raise Error(f"device: must be cpu, not {device}")
        if precision is None:
            precision = _precision_of(compute_type)
        if inter_threads != 1:
            raise Error("inter_threads: must be 1; a translator can be used from several threads")
        if intra_threads > 0:
            set_threads(intra_threads)
        several: Any = runs if isinstance(runs, (list, tuple)) else [runs]
        self._folders = [run_path(each) for each in several]
        self._hold(self._folders[0], precision,
                   _calque.OpenTranslator(self._folders, precision or ""))
        self._requests: dict[object, Any] = {}
        self._chosen: dict[tuple[str | None, str | None], Any] = {}

    def __reduce__(self) -> Any:
        return _open, (self._folders, self._precision)

    @overload
    def translate(self, texts: str, **options: Any) -> Translation:  # type: ignore[misc]
        ...

    @overload
    def translate(self, texts: Iterable[str], **options: Any) -> list[Translation]: ...

    def translate(self, texts: str | Iterable[str], *, to: str | None = None,
                  beam: int | None = None, n_best: int | None = None,
                  prefix: str | Iterable[str] | None = None, alignment: bool = False,
                  attention: bool = False, sampling: Mapping[str, float] | None = None,
                  glossary: Glossary | None = None, progress: bool | None = None,
                  **decoding: Any) -> Translation | list[Translation]:
        """Translates a text, or each text of an iterable, in its order.

        to: the language to translate into; needed if the run has several.
        beam: the width of the beam; 1 is greedy search. By default the config of the run decides.
        n_best: the number of translations; the others are `alternatives` of the best.
        prefix: the translation begins with it; one for all texts, or one for each.
        alignment: also aligns the words of text and translation.
        attention: also returns the attention of the translation's tokens to those of the text.
        sampling: draws translations instead of searching: a dict of temperature, top_k, top_p,
            min_p, repetition_penalty and seed.
        glossary: terms that translations must have: a dict of terms with their translations, each
            a text or a list of forms, or the path of a file with columns.
        progress: shows a tqdm bar; by default only for work of more than two seconds.
        decoding: keys of the config's section `decoding`, such as length_penalty=0.8.
        """
        one = isinstance(texts, str)
        sources = [check_text(texts, "the text")] if one else texts_of(texts)
        prefixes = _prefixes(prefix, len(sources))
        if glossary is not None and (alignment or attention):
            raise Error("glossary: alignment and attention are not computed with one")
        opened = self._between(None, to)
        request = self._request(opened, beam, n_best, sampling, alignment, attention, decoding,
                                glossary)
        results: list[Translation] = []
        with shown_progress(len(sources), progress) as show:
            for first, block in blocks(sources, _TEXTS_AT_ONCE):
                done = None if show is None else _from(show, first)
                found = opened.translate(request, block, prefixes[first:first + len(block)],
                                         first, done)
                results += map(_translation, block, found)
        self._warn(request, results)
        return results[0] if one else results

    @overload
    def translate_text(self, texts: str, **options: Any) -> str:  # type: ignore[misc]
        ...

    @overload
    def translate_text(self, texts: Iterable[str], **options: Any) -> list[str]: ...

    def translate_text(self, texts: str | Iterable[str], *, to: str | None = None,
                       from_: str | None = None, beam: int | None = None,
                       glossary: Glossary | None = None, **decoding: Any) -> str | list[str]:
        """Translates a text of any number of sentences and lines, or each text of an iterable.

        The sentences are translated one by one; the white space between them, line ends included,
        stays as it is, as do addresses of web pages and e-mail.

        to: as for `translate`.
        from_: the language of the texts, whose rules divide them into sentences.
        beam, glossary, decoding: as for `translate`.
        """
        one = isinstance(texts, str)
        sources = [check_text(texts, "the text")] if one else texts_of(texts)
        opened = self._between(from_, to)
        request = self._request(opened, beam, None, None, False, False, decoding, glossary)
        found: list[str] = opened.translate_text(request, sources, 0)
        return found[0] if one else found

    def score(self, sources: str | Iterable[str], targets: str | Iterable[str], *,
              to: str | None = None) -> Any:
        """The log-probability of each target, given its source: a Score, or a list of them.

        to: the language of the targets; needed if the run has several.
        """
        opened = self._between(None, to)
        one, given, translations = _pairs(sources, targets)
        scores: list[Score] = []
        for first, block in blocks(given, _TEXTS_AT_ONCE):
            for each in opened.score(block, translations[first:first + len(block)]):
                scores.append(_score(each))
        return scores[0] if one else scores

    def align(self, sources: str | Iterable[str], targets: str | Iterable[str], *,
              to: str | None = None) -> Any:
        """The words of each pair that belong together: an Alignment, or a list of them.

        to: the language of the targets; needed if the run has several.
        """
        opened = self._between(None, to)
        one, given, translations = _pairs(sources, targets)
        found = [Alignment(each.source, each.target, each.links)
                 for each in opened.align(given, translations)]
        return found[0] if one else found

    def explain(self, text: str, *, to: str | None = None,
                beam: int | None = None) -> Explanation:
        """How the model translates a sentence: steps, attention of each head, and the beam."""
        return Explanation(
            self._between(None, to).explain(check_text(text, "the text"), beam or 0))

    @property
    def language_pairs(self) -> list[tuple[str, str]]:
        """The languages that the run is trained to translate between, source and target."""
        return list(self._opened.language_pairs())

    def _between(self, from_: str | None, to: str | None) -> Any:
        """The models, to translate between these languages."""
        for name, language in (("from_", from_), ("to", to)):
            if language is not None and not isinstance(language, str):
                raise TypeError(f"{name}: must be the code of a language, not {language!r}")
        if (from_, to) not in self._chosen:
            self._chosen[from_, to] = self._opened.between(from_ or "", to or "")
        return self._chosen[from_, to]

    def _request(self, opened: Any, beam: int | None, n_best: int | None,
                 sampling: Mapping[str, float] | None, alignment: bool, attention: bool,
                 decoding: Mapping[str, Any], glossary: Glossary | None = None) -> Any:
        terms = None if glossary is None else _terms(glossary)
        key = (id(opened), beam, n_best, alignment, attention, repr(sorted(decoding.items())),
               repr(sorted((sampling or {}).items())), repr(terms))
        if key not in self._requests:
            for name, value in (("beam", beam), ("n_best", n_best)):
                if value is not None and not 1 <= value <= 1000:
                    raise Error(f"{name}: must be from 1 to 1000, not {value}")
            if "precision" in decoding:
                raise Error("precision: is chosen when a run is opened, calque.load(run, "
                            "precision=...)")
            if sampling is not None and beam is not None:
                raise Error("sampling: draws translations instead of searching; leave out beam")
            if len(self._requests) >= 64:
                self._requests.clear()
            settings = [f"decoding.{name}={_yaml(value)}" for name, value in decoding.items()]
            self._requests[key] = opened.request(
                settings, beam or 0, n_best or 0,
                None if sampling is None else _sampling(sampling), alignment, attention,
                None if terms is None else _glossary(terms))
        return self._requests[key]

    def _warn(self, request: Any, results: list[Translation]) -> None:
        for i, each in enumerate(results):
            text = request.warning(len(each.source_tokens))
            if text:
                warnings.warn(f"text {i}: {text}", stacklevel=3)
                return


def _open(folders: list[str], precision: str) -> Translator:
    return Translator(folders, precision=precision or None)


def _precision_of(compute_type: str) -> str | None:
    if compute_type in ("default", "auto"):
        return None
    if compute_type == "float32":
        return "float32"
    if compute_type.startswith("int8"):
        return "int8"
    raise Error(f"compute_type: must be default, float32 or int8, not {compute_type}")


def _sampling(sampling: Mapping[str, float]) -> Any:
    try:
        return _calque.Sampling(**sampling)
    except TypeError:
        raise Error("sampling: must be a dict of temperature, top_k, top_p, min_p, "
                    f"repetition_penalty and seed, not {dict(sampling)!r}") from None


def _terms(glossary: Glossary) -> Any:
    if not isinstance(glossary, Mapping):
        path = os.fspath(glossary)
        return path, os.stat(path).st_mtime_ns if os.path.exists(path) else 0
    terms = []
    for source, targets in glossary.items():
        forms = [targets] if isinstance(targets, str) else list(targets)
        terms.append((check_text(source, "glossary"),
                      [check_text(each, "glossary") for each in forms]))
    return terms


def _glossary(terms: Any) -> Any:
    return _calque.read_glossary(terms[0]) if isinstance(terms, tuple) else _calque.Glossary(terms)


def _yaml(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _prefixes(prefix: str | Iterable[str] | None, count: int) -> list[str]:
    if prefix is None:
        return []
    if isinstance(prefix, str):
        return [check_text(prefix, "the prefix")] * count
    prefixes = texts_of(prefix, "prefix")
    if len(prefixes) != count:
        raise Error(f"prefix: has {len(prefixes)} texts, but there are {count} to translate")
    return prefixes


def _pairs(sources: str | Iterable[str], targets: str | Iterable[str]
           ) -> tuple[bool, list[str], list[str]]:
    if isinstance(sources, str) and isinstance(targets, str):
        return True, [check_text(sources, "the source")], [check_text(targets, "the target")]
    if isinstance(sources, str) or isinstance(targets, str):
        raise TypeError("sources and targets must be two strings, or two iterables of strings")
    from_, to = texts_of(sources, "source"), texts_of(targets, "target")
    if len(from_) != len(to):
        raise Error(f"targets: has {len(to)} texts, but sources has {len(from_)}")
    return False, from_, to


def _score(each: Any) -> Score:
    import numpy as np

    return Score(each.log_probability, np.asarray(each.of_tokens, dtype=np.float32))


def _translation(source: str, found: tuple[list[str], list[dict[str, Any]]]) -> Translation:
    source_tokens, translations = found
    best, *others = [Translation(source=source, source_tokens=source_tokens, **each)
                     for each in translations]
    return replace(best, alternatives=tuple(others)) if others else best



def _from(show: Any, first: int) -> Any:
    return lambda done: show(first + done)
