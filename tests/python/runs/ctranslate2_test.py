"""The batch functions with the names of the package ctranslate2."""

import pytest

import calque as ctranslate2


@pytest.fixture(scope="module")
def translator(runs):
    return ctranslate2.Translator(str(runs.of("translation")), device="cpu", compute_type="float32")


def test_translate_batch_finds_what_translate_finds(translator):
    results = translator.translate_batch([["a", "b"], ["c", "</s>"]], beam_size=3, num_hypotheses=2,
                                         max_decoding_length=5, return_scores=True,
                                         return_attention=True, max_batch_size=32)
    expected = translator.translate(["a b", "c"], beam=3, n_best=2, length_penalty=1, max_length=5,
                                    max_length_ratio=0, max_length_extra=0, min_length=1,
                                    attention=True, allow_unknown=True, early_stopping="first")
    for result, best in zip(results, expected):
        both = (best, *best.alternatives)
        assert result.hypotheses == [each.tokens for each in both]
        assert result.scores == [each.score for each in both]
        assert result.attention == [each.attention.tolist() for each in both]
        assert result[0]["tokens"] == best.tokens


def test_prefixes_begin_the_hypotheses(translator):
    result, = translator.translate_batch([["a", "b"]], target_prefix=[["c"]], beam_size=2)
    assert result.hypotheses[0][0] == "c" and result.scores == []


def test_score_batch_ends_with_the_end(translator):
    result, = translator.score_batch([["a", "b"]], [["b", "a"]])
    expected = translator.score("a b", "b a")
    assert result.tokens == ["b", "a", "</s>"]
    assert sum(result.log_probs) == pytest.approx(expected.log_probability, rel=1e-5)


def test_what_calque_cannot_do_is_refused(translator):
    with pytest.raises(ctranslate2.Error, match="patience: calque supports only 1"):
        translator.translate_batch([["a"]], patience=2)
    with pytest.raises(TypeError, match="unexpected keyword argument 'beam'"):
        translator.translate_batch([["a"]], beam=2)
    with pytest.raises(TypeError, match="use translate"):
        translator.translate_batch(["a b"])
    with pytest.raises(ctranslate2.Error, match="device: must be cpu"):
        ctranslate2.Translator("run", device="cuda")
