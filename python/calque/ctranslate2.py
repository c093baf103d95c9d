"""The batch functions of the package ctranslate2, with its names of arguments and results.

A program written for it changes one import: `import calque as ctranslate2`. An argument that calque
has no counterpart for is an error unless it has its default value.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Iterable, Sequence

from . import _calque
from ._native import Error

_END = "</s>"


@dataclass
class TranslationResult:
    """The hypotheses of an example, best first, as tokens."""

    hypotheses: list[list[str]]
    scores: list[float] = field(default_factory=list)
    attention: list[list[list[float]]] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.hypotheses)

    def __getitem__(self, index: int) -> dict[str, Any]:
        item: dict[str, Any] = {"tokens": self.hypotheses[index]}
        if self.scores:
            item["score"] = self.scores[index]
        if self.attention:
            item["attention"] = self.attention[index]
        return item


@dataclass
class ScoringResult:
    """The tokens of a target, </s> included, and their log-probabilities."""

    tokens: list[str]
    log_probs: list[float]


# The arguments of translate_batch() that calque ignores, because they choose how fast and not what,
# and those that must have their default value.
_FREE = {"max_batch_size", "batch_type", "asynchronous", "use_vmap", "max_input_length"}
_FIXED: dict[str, Any] = {
    "patience": 1, "coverage_penalty": 0, "suppress_sequences": None, "end_token": None,
    "return_end_token": False, "prefix_bias_beta": 0, "return_logits_vocab": False,
    "return_alternatives": False, "min_alternative_expansion_prob": 0, "replace_unknowns": False,
    "callback": None,
}


class BatchTranslation:
    """translate_batch() and score_batch() of a translator."""

    _opened: Any
    _symbols: tuple[list[str], list[str]] | None = None
    _ids: tuple[dict[str, int], dict[str, int]]

    def translate_batch(self, source: Iterable[Sequence[str]],
                        target_prefix: Iterable[Sequence[str] | None] | None = None, *,
                        beam_size: int = 2, num_hypotheses: int = 1, length_penalty: float = 1,
                        repetition_penalty: float = 1, no_repeat_ngram_size: int = 0,
                        disable_unk: bool = False, max_decoding_length: int = 256,
                        min_decoding_length: int = 1, return_scores: bool = False,
                        return_attention: bool = False, sampling_topk: int = 1,
                        sampling_topp: float = 1, sampling_temperature: float = 1,
                        **others: Any) -> list[TranslationResult]:
        """Translates examples of tokens, as ctranslate2.Translator.translate_batch() does.

        The scores are those of a search with this length penalty, as there: the log-probability
        divided by the length to the power of the penalty.
        """
        _refuse(others)
        sources = [self._encode(tokens, 0) for tokens in source]
        prefixes = ([] if target_prefix is None else
                    [self._encode(tokens or [], 1) for tokens in target_prefix])
        if prefixes and len(prefixes) != len(sources):
            raise Error(f"target_prefix: has {len(prefixes)} examples, but source has {len(sources)}")
        sampling = None
        if sampling_topk != 1:
            sampling = _calque.Sampling(temperature=sampling_temperature, top_k=sampling_topk,
                                        top_p=sampling_topp, repetition_penalty=repetition_penalty)
        elif repetition_penalty != 1:
            raise Error("repetition_penalty: a search has none; it needs sampling_topk above 1")
        settings = [
            f"decoding.length_penalty={length_penalty}", "decoding.length_penalty_kind=power", "decoding.early_stopping=first",
            f"decoding.no_repeat_ngram={no_repeat_ngram_size}",
            f"decoding.allow_unknown={str(not disable_unk).lower()}",
            f"decoding.max_length={max_decoding_length}", "decoding.max_length_ratio=0",
            "decoding.max_length_extra=0", f"decoding.min_length={min_decoding_length}"]
        request = self._opened.request(settings, max(beam_size, num_hypotheses), num_hypotheses,
                                       sampling, False, return_attention)
        found = self._opened.translate_ids(request, sources, prefixes, 0, None)
        return [TranslationResult(
            [each["tokens"] for each in translations],
            [each["score"] for each in translations] if return_scores else [],
            [each["attention"].tolist() for each in translations] if return_attention else [])
            for _, translations in found]

    def score_batch(self, source: Iterable[Sequence[str]], target: Iterable[Sequence[str]], *,
                    offset: int = 0, max_batch_size: int = 0, batch_type: str = "examples",
                    max_input_length: int = 1024, asynchronous: bool = False
                    ) -> list[ScoringResult]:
        """Scores examples of tokens, as ctranslate2.Translator.score_batch() does."""
        targets = [list(tokens) for tokens in target]
        found = self._opened.score_ids([self._encode(tokens, 0) for tokens in source],
                                       [self._encode(tokens, 1) for tokens in targets])
        return [ScoringResult((tokens + [_END])[offset:], list(each.of_tokens)[offset:])
                for tokens, each in zip(targets, found)]

    def _encode(self, tokens: Sequence[str], side: int) -> list[int]:
        """The ids of tokens; a final </s>, which calque adds itself, is left out."""
        if isinstance(tokens, str):
            raise TypeError("an example must be a list of tokens, not a str; use translate()")
        if self._symbols is None:
            symbols: tuple[list[str], list[str]] = self._opened.symbols()
            self._ids = tuple(  # type: ignore[assignment]
                {symbol: i for i, symbol in reversed(list(enumerate(each)))} for each in symbols)
            self._symbols = symbols
        ids = self._ids[side]
        unknown = ids["<unk>"]
        return [ids.get(token, unknown) for token in
                (tokens[:-1] if tokens and tokens[-1] == _END else tokens)]


def _refuse(others: dict[str, Any]) -> None:
    for name, value in others.items():
        if name in _FREE:
            continue
        if name not in _FIXED:
            raise TypeError(f"translate_batch() got an unexpected keyword argument {name!r}")
        if value != _FIXED[name]:
            raise Error(f"{name}: calque supports only {_FIXED[name]!r}, not {value!r}")
