"""Language models: texts that continue a prompt."""

from __future__ import annotations

import queue
import threading
from json import dumps
from typing import Any, Iterable, Iterator

from . import _calque
from ._texts import blocks, check_text, texts_of
from .encoders import SentenceEncoder
from .results import Explanation, Generation, Score

_TEXTS_AT_ONCE = 2000


class LanguageModel(SentenceEncoder):
    """A trained decoder-only language model, which also embeds texts."""

    _opens = _calque.OpenLanguageModel

    def generate(self, prompts: str | Iterable[str] = "", *, samples: int = 1,
                 max_tokens: int = 256, temperature: float = 1, top_k: int = 0, top_p: float = 1,
                 min_p: float = 0, repetition_penalty: float = 1, seed: int = 1,
                 stop: str | Iterable[str] = (), regex: str | None = None,
                 json_schema: str | dict[str, Any] | bool | None = None, json: bool = False,
                 stream: bool = False) -> Any:
        """Continues a prompt, or each prompt of an iterable.

        Returns a Generation for each prompt, or a list of them with samples above 1. With stream,
        returns an iterator over the text of a single prompt as it is written; its method close()
        ends the generation. With regex, json_schema (a schema, or its JSON) or json, the text
        matches as a whole, unless max_tokens cuts it off. The other arguments are those of `calque generate`; the same seed
        gives the same text on any number of threads.
        """
        sampling = _calque.Sampling(temperature=temperature, top_k=top_k, top_p=top_p, min_p=min_p,
                                    repetition_penalty=repetition_penalty, seed=seed)
        for name, value in (("samples", samples), ("max_tokens", max_tokens)):
            if value < 1:
                raise _calque.Error(f"{name}: must be at least 1, not {value}")
        ends = [stop] if isinstance(stop, str) else texts_of(stop, "stop")
        one = isinstance(prompts, str)
        beginnings = [check_text(prompts, "the prompt")] if one else texts_of(prompts, "prompt")
        arguments = (beginnings, sampling, samples, max_tokens, ends,
                     _output_format(regex, json_schema, json))
        if stream:
            if not one or samples != 1:
                raise _calque.Error("stream: needs a single prompt, and samples=1")
            return TextStream(lambda sink: self._opened.generate(*arguments, sink))
        found = [[Generation(prompt, **each) for each in texts]
                 for prompt, texts in zip(beginnings, self._opened.generate(*arguments, None))]
        results: list[Any] = [texts[0] for texts in found] if samples == 1 else list(found)
        return results[0] if one else results

    def score(self, texts: str | Iterable[str]) -> Any:
        """The log-probability of a text, or of each text: a Score, or a list of them."""
        import numpy as np

        one = isinstance(texts, str)
        documents = [check_text(texts, "the text")] if one else texts_of(texts)
        scores: list[Score] = []
        for _, block in blocks(documents, _TEXTS_AT_ONCE):
            for tokens in self._opened.score(block):
                of_tokens = np.asarray(tokens, dtype=np.float32)
                scores.append(Score(float(of_tokens.sum(dtype=np.float64)), of_tokens))
        return scores[0] if one else scores

    def explain(self, prompt: str, *, inspect: bool = False, against: str = "",
                without_heads: str | Iterable[str] = (), steer: str | Iterable[str] = ()) -> Explanation:
        """How the model continues a prompt: steps, and the attention of each head.

        With inspect, also what each layer would predict, what the heads attend to, and which tokens
        matter. The others imply it: `against` patches from another prompt; without_heads ("2.3": head 3
        of layer 2) and steer ("sea:2:0.5": towards a word after layer 2) show the output of the changed
        model beside its own, at `data["inspection"]["edited"]`.
        """
        heads, steered = ([value] if isinstance(value, str) else texts_of(value, name)
                          for name, value in (("without_heads", without_heads), ("steer", steer)))
        return Explanation(self._opened.explain(
            check_text(prompt, "the prompt"), inspect or bool(against or heads or steered),
            check_text(against, "against"), heads, steered))


def _output_format(regex: str | None, json_schema: str | dict[str, Any] | bool | None,
                   json: bool) -> tuple[str, str] | None:
    """The argument that says what a text must be, by name and text."""
    schema = json_schema if json_schema is None or isinstance(json_schema, str) else dumps(json_schema)
    given = [(name, text) for name, text in (("regex", regex), ("json_schema", schema)) if text is not None]
    if json:
        given.append(("json", ""))
    if len(given) > 1:
        raise _calque.Error(f"{given[0][0]} and {given[1][0]} cannot be combined")
    return given[0] if given else None


class TextStream(Iterator[str]):
    """The text of a generation, piece by piece, while a thread of its own generates it."""

    def __init__(self, generate: Any) -> None:
        self._pieces: queue.Queue[str | BaseException | None] = queue.Queue()
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(generate,), daemon=True)
        self._thread.start()

    def _run(self, generate: Any) -> None:
        try:
            generate(self._write)
            self._pieces.put(None)
        except _Closed:
            pass
        except BaseException as error:  # raised again where the text is read
            self._pieces.put(error)

    def _write(self, prompt: int, sample: int, text: str) -> None:
        if self._closed.is_set():
            raise _Closed
        self._pieces.put(text)

    def __next__(self) -> str:
        if self._closed.is_set():
            raise StopIteration
        piece = self._pieces.get()
        if isinstance(piece, str):
            return piece
        self.close()
        if piece is not None:
            raise piece
        raise StopIteration

    def close(self) -> None:
        """Ends the generation."""
        self._closed.set()
        self._thread.join()

    def __enter__(self) -> TextStream:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _Closed(Exception):
    """Ends a generation that nobody reads."""
