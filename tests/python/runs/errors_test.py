"""What cannot be done is one clear error."""

import pytest

import calque


@pytest.fixture(scope="module")
def translator(runs):
    return calque.load(runs.of("translation"))


@pytest.mark.parametrize("arguments, options, kind, message", [
    ((["a", 3],), {}, TypeError, "text 1 must be a str, not int"),
    ((b"a",), {}, TypeError, "must be str, not bytes"),
    ((["a", "b\0"],), {}, calque.Error, "text 1: a NUL"),
    (("\udc80",), {}, calque.Error, "half of a surrogate pair"),
    (("a",), {"beam": 0}, calque.Error, "beam: must be from 1 to 1000"),
    (("a",), {"beam": 2, "sampling": {}}, calque.Error, "leave out beam"),
    (("a",), {"sampling": {"top_q": 1}}, calque.Error, "sampling: must be a dict"),
    (("a",), {"sampling": {"top_p": 2}}, calque.Error, "top_p: must be from 0 to 1"),
    (("a",), {"lenght_penalty": 1}, calque.Error, "unknown key"),
    (("a",), {"precision": "int8"}, calque.Error, "when a run is opened"),
    (("a",), {"prefix": ["a", "b"]}, calque.Error, "prefix: has 2 texts"),
    (("a",), {"prefix": "zzz"}, calque.Error, "prefix 0: contains text that is not in the vocab"),
])
def test_translate_refuses(translator, arguments, options, kind, message):
    with pytest.raises(kind, match=message):
        translator.translate(*arguments, **options)


@pytest.mark.parametrize("run, options, message", [
    ("/no/such/run", {}, "no such run"),
    ("a\0b", {}, "NUL"),
    ([], {}, "at least one run"),
])
def test_load_refuses(run, options, message):
    with pytest.raises(calque.Error, match=message):
        calque.load(run, **options)


def test_load_refuses_an_unknown_precision_and_an_ensemble_of_other_tasks(runs):
    with pytest.raises(calque.Error, match="precision: must be float32, bfloat16, int8, q8_0 or q4_0, not half"):
        calque.load(runs.of("translation"), precision="half")
    with pytest.raises(calque.Error, match="only translators form an ensemble"):
        calque.load([runs.of("language-model"), runs.of("language-model")])


def test_a_damaged_checkpoint_is_named(runs, tmp_path):
    import shutil

    run = tmp_path / "run"
    shutil.copytree(runs.of("translation"), run, symlinks=True)
    weights = next((run / "checkpoints").glob("*/model.safetensors"))
    weights.write_bytes(weights.read_bytes()[:-100])
    with pytest.raises(calque.Error, match="model.safetensors"):
        calque.load(run)


def test_other_wrong_uses_are_refused(translator, runs, tmp_path):
    with pytest.raises(calque.Error, match="format: must be ctranslate2"):
        translator.export("word", tmp_path / "out")
    with pytest.raises(calque.Error, match="port: must be"):
        translator.serve(70000)
    with pytest.raises(calque.Error, match="not an IP address"):
        translator.serve(0, "no.such.host")
    with pytest.raises(TypeError, match="two strings, or two iterables"):
        translator.score("a", ["b"])
    with pytest.raises(calque.Error, match="no \\[MASK\\]"):
        calque.load(runs.of("masked-lm")).fill("nothing is masked")
    with pytest.raises(calque.Error, match="no-such.png"):
        calque.load(runs.of("images")).classify("no-such.png")
    with pytest.raises(calque.Error, match="stream: needs a single prompt"):
        calque.load(runs.of("language-model")).generate(["a", "b"], stream=True)
    with pytest.raises(TypeError, match="text 0 must be a str or a tuple"):
        calque.load(runs.of("classification")).classify([3])
