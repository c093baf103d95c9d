"""Opened models compute what the commands compute, to the last byte."""

import json
import pickle
import re
import struct
import threading
import zlib

import numpy as np
import pytest

import calque

LINES = ["a b c", "c b a d e", "", "f", "a a a a b"]


def png(path, seed):
    """Writes a grey image of 16 x 16 pixels."""
    rows = b"".join(b"\0" + bytes((seed * 31 + y * 16 + x * 7) % 256 for x in range(16))
                    for y in range(16))

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 16, 16, 8, 0, 0, 0, 0))
                     + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))
    return path


def test_translations_are_those_of_the_command(runs, program):
    run = runs.of("translation")
    model = calque.load(run)
    expected = program("translate", run, "--beam", 3, "--n-best", 2, "--alignment",
                       text="".join(line + "\n" for line in LINES)).splitlines()
    lines = []
    for i, best in enumerate(model.translate(LINES, beam=3, n_best=2, alignment=True)):
        for each in (best, *best.alternatives):
            links = " ".join(f"{a}-{b}" for a, b in each.alignment)
            lines.append(f"{i} ||| {each.text} ||| {each.score:.4f} {each.log_probability:.4f} "
                         f"||| {links}")
    assert lines == expected


SEVERAL = """
data:
  multilingual: true
  train:
    - {toy: reverse, pairs: 200, longest: 6, languages: [a, b], directions: both}
    - {toy: copy, pairs: 100, longest: 6, languages: [a, c]}
tokenizer: {kind: words}
model: {d_model: 16, d_ff: 32, heads: 2, encoder_layers: 1, decoder_layers: 1}
training: {until: 8u, batch_tokens: 128}
logging: {report: false}
"""


def test_a_run_in_several_languages_translates_to_one_as_the_command(program, tmp_path):
    config, run = tmp_path / "several.yaml", tmp_path / "several"
    config.write_text(SEVERAL)
    calque.train(config, run=run, quiet=True)
    model = calque.load(run)
    assert model.language_pairs == [("a", "b"), ("b", "a"), ("a", "c")]
    expected = {to: program("translate", run, "--to", to, text="a b c\nb\n").splitlines()
                for to in "abc"}
    for to, lines in expected.items():
        assert [str(each) for each in model.translate(["a b c", "b"], to=to)] == lines
        assert model.translate_text("a b c\nb", to=to, from_="a" if to != "a" else "b") == "\n".join(lines)
    best = model.translate("a b c", to="b", attention=True)
    assert best.source_tokens == ["a", "b", "c"]
    assert best.attention.shape == (len(best.tokens), 3)
    assert model.score("a b", "b a", to="b").log_probability != \
        model.score("a b", "b a", to="c").log_probability
    assert model.align("a b", "b a", to="b").source == ["a", "b"]
    assert ">>c<<" in json.dumps(model.explain("a b", to="c").data)
    found = model.translate_batch([[">>b<<", "a", "b", "c"]], beam_size=1, disable_unk=True,
                                  max_decoding_length=9)
    assert found[0].hypotheses[0] == model.translate("a b c", to="b", beam=1, max_length=9).tokens
    known = "translates into b, a and c; name the target language"
    with pytest.raises(calque.Error, match=known):
        model.translate("a")
    with pytest.raises(calque.Error, match="does not translate into de, but into b, a and c"):
        model.translate("a", to="de")
    with pytest.raises(TypeError, match="to: must be the code of a language, not 3"):
        model.translate("a", to=3)
    assert pickle.loads(pickle.dumps(model)).translate("b", to="c").text == \
        model.translate("b", to="c").text


def test_a_text_is_translated_as_by_the_command(runs, program):
    run = runs.of("translation")
    model = calque.load(run)
    text = " a b!  c?\r\n\n\td\n"
    expected = program("translate", run, "--text", "--beam", 2, text=text)
    assert model.translate_text(text, beam=2).replace("\r\n", "\n") == expected.replace("\r\n", "\n")
    assert model.translate_text(["a b!", ""], beam=2) == [model.translate_text("a b!", beam=2), ""]
    with pytest.raises(calque.Error, match="text 1: character 0"):
        model.translate_text(["a", "\ud800"])


def test_glossaries_are_those_of_the_command(runs, program, tmp_path):
    run = runs.of("translation")
    model = calque.load(run)
    terms = tmp_path / "terms.tsv"
    lines = ["a b c", "", "d d", "e"]
    terms.write_text("b\tq r\nd\tz\ty\n")
    expected = program("translate", run, "--glossary", terms,
                       text="".join(line + "\n" for line in lines)).splitlines()
    for glossary in (terms, str(terms), {"b": "q r", "d": ["z", "y"]}):
        assert [each.text for each in model.translate(lines, glossary=glossary)] == expected
    assert "q r" in expected[0] and expected[1] == ""
    assert model.translate_text("a b c", glossary={"b": "q r"}) == \
        model.translate("a b c", glossary={"b": "q r"}).text
    for glossary, message in (({"": "x"}, "glossary: '' is empty"), ({"b": []}, "'b' has no"),
                              ({"b": "x\ty"}, "control character"), ({}, "has no terms")):
        with pytest.raises(calque.Error, match=message):
            model.translate("b", glossary=glossary)
    with pytest.raises(calque.Error, match="alignment"):
        model.translate("b", glossary={"b": "x"}, alignment=True)


def test_prefixes_sampling_and_settings_are_those_of_the_command(runs, program, tmp_path):
    run = runs.of("translation")
    model = calque.load(run)
    text = "".join(line + "\n" for line in LINES)
    prefix = tmp_path / "prefix"
    prefix.write_text("".join("b\n" for _ in LINES))
    assert ([str(each) for each in model.translate(LINES, prefix="b")]
            == program("translate", run, "--prefix", prefix, text=text).split("\n")[:-1])
    sampling = {"temperature": 0.9, "top_k": 5, "seed": 3}
    assert ([str(each) for each in model.translate(iter(LINES), sampling=sampling)]
            == program("translate", run, "--sampling", "temperature=0.9,top-k=5,seed=3",
                       text=text).split("\n")[:-1])
    assert (str(model.translate(LINES[1], max_length=2))
            == program("translate", run, "--set", "decoding.max_length=2",
                       text=LINES[1] + "\n").rstrip("\n"))


def test_int8_is_the_int8_of_the_command(runs, program, tmp_path):
    run = runs.of("translation")
    expected = program("translate", run, "--precision", "int8", "--scores", text="a b c\n")
    for model in (calque.load(run, precision="int8"), calque.load(run).quantize(tmp_path / "int8")):
        found = model.translate("a b c")
        assert expected == f"{found.text} ||| {found.score:.4f} {found.log_probability:.4f}\n"


def test_an_ensemble_is_that_of_the_command(runs, program, tmp_path):
    run = runs.of("translation")
    other = calque.train(runs.folder / "translation.yaml", run=tmp_path / "other", quiet=True, settings={
        "training.until": "8u", "training.batch_tokens": 128, "training.seed": 2})
    assert (calque.load([run, other]).translate("a b c").text + "\n"
            == program("translate", run, other.path, text="a b c\n"))


def test_attention_has_a_row_for_each_token_and_sums_to_at_most_one(runs):
    model = calque.load(runs.of("translation"))
    found = model.translate("a b c", attention=True, max_length=4)
    assert found.attention.shape == (len(found.tokens), len(found.source_tokens))
    assert found.attention.dtype == np.float32
    assert (found.attention >= 0).all() and (found.attention.sum(1) <= 1 + 1e-5).all()
    assert "<svg" in found._repr_html_()


def test_a_notebook_shows_what_a_model_is(runs):
    run = runs.of("translation")
    page = calque.load(run, precision="int8")._repr_html_()
    for shown in ("Translator", f"{calque.load(run).parameters:,}", "int8", "batch_tokens: "):
        assert shown in page


def test_scores_are_those_of_the_command(runs, program, tmp_path):
    (tmp_path / "source").write_text("a b\nc\n")
    (tmp_path / "target").write_text("b a\nc\n")
    run = runs.of("translation")
    expected = program("score", run, "--source", tmp_path / "source", "--target", tmp_path / "target")
    scores = calque.load(run).score(["a b", "c"], ["b a", "c"])
    for line, score in zip(expected.splitlines(), scores):
        total, each, tokens = line.split("\t")
        assert float(total) == pytest.approx(score.log_probability, abs=1e-4)
        assert int(tokens) == score.tokens == len(score.of_tokens)
        assert score.of_tokens.sum() == pytest.approx(score.log_probability, rel=1e-5)


def test_alignments_link_words(runs):
    found = calque.load(runs.of("translation")).align("a b c", "c b a")
    assert found.source == ["a", "b", "c"] and found.target == ["c", "b", "a"]
    assert all(0 <= i < 3 and 0 <= j < 3 for i, j in found.links)


def test_explanations_are_those_of_the_command(runs, program, tmp_path):
    run = runs.of("translation")
    explanation = calque.load(run).explain("a b c")
    assert explanation.data == json.loads(program("explain", run, "a b c", "--json"))
    assert explanation.svg == program("explain", run, "a b c", "--svg")
    explanation.save(tmp_path / "page.html")
    program("explain", run, "a b c", "--out", tmp_path / "expected.html")
    assert (tmp_path / "page.html").read_text() == (tmp_path / "expected.html").read_text()


def test_inspections_are_those_of_the_command(runs, program):
    run = runs.of("language-model")
    model = calque.load(run)
    assert "inspection" not in model.explain("The").data
    assert model.explain("The", inspect=True).data == json.loads(program("explain", run, "The", "--json"))
    changed = model.explain("The", without_heads="1.2", steer=["a:1:0.5"], against="the")
    assert changed.data == json.loads(program("explain", run, "The", "--json", "--without-heads", "1.2",
                                              "--steer", "a:1:0.5", "--against", "the"))
    edited = changed.data["inspection"]["edited"]
    assert len(edited["edits"]) == 2 and edited["next"]
    for wrong in ({"without_heads": "1"}, {"without_heads": ["9.9"]}, {"steer": "a:1"}, {"steer": "a:99:1"}):
        with pytest.raises(calque.Error):
            model.explain("The", **wrong)


def test_generated_texts_are_those_of_the_command(runs, program):
    run = runs.of("language-model")
    model = calque.load(run)
    expected = program("generate", run, "Th", "--max-tokens", 20, "--temperature", 0.9, "--seed", 4)
    found = model.generate("Th", max_tokens=20, temperature=0.9, seed=4)
    assert str(found) + "\n" == expected
    streamed = list(model.generate("Th", max_tokens=20, temperature=0.9, seed=4, stream=True))
    assert "".join(streamed) == found.text and len(streamed) > 1
    several = model.generate("Th", max_tokens=20, samples=2)
    assert (program("generate", run, "Th", "--max-tokens", 20, "--samples", 2)
            == f"{several[0]}\n--------\n{several[1]}\n")


def test_generated_texts_match_what_they_must(runs):
    model = calque.load(runs.of("language-model"))
    for seed in range(5):
        text = model.generate("Th", regex="(e|at) (a|the){2,3}", max_tokens=60, seed=seed).text
        assert re.fullmatch("(e|at) (a|the){2,3}", text)
    for arguments, problem in (({"regex": "(a"}, "regex: character 1 "), ({"json_schema": {"not": {}}}, "json_schema: #/not: is not"),
                               ({"json_schema": "{"}, "json_schema: #: is not JSON"), ({"regex": "a", "json": True}, "regex and json cannot")):
        with pytest.raises(calque.Error, match=f"^{re.escape(problem)}"):
            model.generate("Th", **arguments)


def test_a_stream_can_be_closed_early(runs):
    model = calque.load(runs.of("language-model"))
    with model.generate("a", max_tokens=1_000_000, stream=True) as stream:
        assert next(stream)
    with pytest.raises(StopIteration):
        next(stream)


def test_scores_of_texts_are_those_of_the_command(runs, program, tmp_path):
    (tmp_path / "text").write_text("The king\nsleeps\n")
    run = runs.of("language-model")
    for line, score in zip(program("score", run, "--text", tmp_path / "text").splitlines(),
                           calque.load(run).score(["The king", "sleeps"])):
        assert float(line.split("\t")[0]) == pytest.approx(score.log_probability, abs=1e-3)
        assert int(line.split("\t")[2]) == score.tokens


def test_classes_are_those_of_the_command(runs, program):
    run = runs.of("classification")
    texts = ["the king sleeps", "der alte Hund", "x"]
    expected = program("classify", run, "--probabilities", "--top", 2,
                       text="".join(text + "\n" for text in texts))
    found = calque.load(run).classify(texts)
    assert expected == "".join(
        "\t".join(f"{label}\t{probability:.4f}" for label, probability in each.top(2)) + "\n"
        for each in found)
    assert found[0].label == found[0].top(1)[0][0]
    assert found[0].probabilities.sum() == pytest.approx(1)


def test_tags_are_those_of_the_command(runs, program):
    run = runs.of("tagging")
    model = calque.load(run)
    expected = program("tag", run, "--probabilities", text="the old king\nsleeps\n")
    lines = "".join("".join(f"{word}\t{tag.label}\t{tag.probability:.4f}\n" for word, tag in sentence)
                    + "\n" for sentence in model.tag(["the old king", ["sleeps"]]))
    assert lines == expected
    assert [word for word, _ in model.tag("the old king")] == ["the", "old", "king"]


def test_classes_of_images_are_those_of_the_command(runs, program, tmp_path):
    run = runs.of("images")
    files = [png(tmp_path / "a.png", 1), png(tmp_path / "b c.png", 2)]
    expected = program("classify", run, *files, "--probabilities")
    model = calque.load(run)
    assert expected == "".join(f"{file}\t{each.label}\t{each.probability:.4f}\n"
                               for file, each in zip(files, model.classify(files)))
    assert model.explain(files[0]).data == json.loads(program("explain", run, files[0], "--json"))


def test_fillings_and_embeddings_are_those_of_the_command(runs, program):
    run = runs.of("masked-lm")
    model = calque.load(run)
    filled = model.fill("The [MASK]ing", alternatives=2)
    assert program("fill", run, "The [MASK]ing", "--alternatives", 2) == filled.text + "\n" + "".join(
        f"{i + 1}\t{probability:.4f}\t{token}\n"
        for i, each in enumerate(filled.tokens) for token, probability in each)
    texts = ["The king", "sleeps", ""]
    for run in (run, runs.of("language-model")):
        model = calque.load(run)
        vectors = model.embed(texts)
        expected = program("embed", run, text="".join(text + "\n" for text in texts))
        rows = [np.array(line.split(" "), dtype=np.float32) for line in expected.splitlines()]
        assert (vectors == np.stack(rows)).all()
        assert (model.embed(texts[0]) == vectors[0]).all() and model.embed([]).shape[0] == 0


def test_near_words_are_those_of_the_command(runs, program):
    run = runs.of("word2vec")
    model = calque.load(run)
    word = model.words[10]
    assert program("neighbours", run, word, "--count", 3) == "".join(
        f"{near}\t{cosine:.4f}\n" for near, cosine in model.nearest(word, 3))
    assert model.vectors.shape == (len(model.words), 16)
    assert (model[word] == model.vectors[10]).all()
    with pytest.raises(KeyError):
        model["no such word"]


def test_exports_are_those_of_the_command(runs, program, tmp_path):
    run = runs.of("translation")
    calque.load(run).export("safetensors", tmp_path / "a")
    program("export", run, "safetensors", "--out", tmp_path / "b")
    for file in (tmp_path / "b").iterdir():
        assert file.read_bytes().replace(b"/b", b"/a") == (tmp_path / "a" / file.name).read_bytes() \
            or file.name == "README.md"


def test_a_server_answers_what_the_model_computes(runs):
    import urllib.request

    model = calque.load(runs.of("translation"))
    with model.serve(0, background=True) as server:
        request = urllib.request.Request(
            server.url + "/translate", headers={"Content-Type": "application/json"},
            data=json.dumps({"q": "a b c", "source": "auto", "target": "tgt"}).encode())
        answer = json.load(urllib.request.urlopen(request))
    assert answer["translatedText"] == model.translate("a b c").text
    with pytest.raises(OSError):
        urllib.request.urlopen(server.url, timeout=5)


def test_models_and_runs_can_be_pickled(runs):
    for task in ("translation", "language-model", "classification", "masked-lm", "word2vec"):
        model = pickle.loads(pickle.dumps(calque.load(runs.of(task))))
        assert type(model) is type(calque.load(runs.of(task)))
    run = calque.Run(runs.of("translation"))
    assert pickle.loads(pickle.dumps(run)).path == run.path


def test_eight_threads_translate_with_one_model_as_one_does(runs):
    model = calque.load(runs.of("translation"))
    expected = [str(each) for each in model.translate(LINES * 20)]
    found = [None] * 8

    def translate(i):
        found[i] = [str(each) for each in model.translate(LINES * 20)]

    threads = [threading.Thread(target=translate, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 8


def test_a_forked_process_can_translate(runs):
    import os

    model = calque.load(runs.of("translation"))
    expected = [str(each) for each in model.translate(LINES * 20)]
    child = os.fork()
    if child == 0:
        os._exit(0 if [str(each) for each in model.translate(LINES * 20)] == expected else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_pandas_columns_keep_their_order(runs):
    pandas = pytest.importorskip("pandas")
    model = calque.load(runs.of("translation"))
    column = pandas.Series(LINES, index=[5, 3, 1, 2, 9])
    assert [each.source for each in model.translate(column)] == LINES


def test_numpy_keeps_its_denormals_after_a_computation(runs):
    calque.load(runs.of("translation")).translate(LINES)
    assert np.finfo(np.float32).smallest_subnormal > 0
    assert np.float32(1e-40) * np.float32(1) > 0
