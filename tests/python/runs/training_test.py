"""calque.train: the run folder, the bits and the messages of the command."""

import os
import signal
import subprocess
import sys
import threading
import time

import pytest

import calque
from small_tasks import small_config

SHORT = {"training.until": "12u", "training.batch_tokens": 128, "logging.every": 2,
         "training.validate_every": "6u", "training.save_every": "6u"}
PAIRS = [(f"{a} {b} {c}", f"{c} {b} {a}") for a in "abcdef" for b in "abcdef" for c in "abc"]
MODEL = {"d_model": 16, "d_ff": 32, "heads": 2, "encoder_layers": 1, "decoder_layers": 1}


def weights(run):
    return (calque.Run(run).path + "/checkpoints/step-000012/model.safetensors")


def read(path):
    with open(path, "rb") as file:
        return file.read()


@pytest.fixture
def config(tmp_path):
    path = tmp_path / "small.yaml"
    path.write_text(small_config("translation"))
    return path


def pairs_config(**training):
    return {"data": {"train": PAIRS, "validation": PAIRS[:5]},
            "tokenizer": {"kind": "words"}, "model": MODEL,
            "training": {"until": "12u", "batch_tokens": 128, "save_every": "6u", **training}}


def test_the_run_is_that_of_the_command(config, program, tmp_path):
    run = calque.train(config, run=tmp_path / "a", settings=SHORT, quiet=True)
    program("train", config, "--run", tmp_path / "b", "--quiet",
            *(word for key, value in SHORT.items() for word in ("--set", f"{key}={value}")))
    assert run.ending == "finished"
    assert read(weights(run)) == read(weights(tmp_path / "b"))
    assert sorted(os.listdir(tmp_path / "a")) == sorted(os.listdir(tmp_path / "b"))


def test_callbacks_see_every_step_and_validation(config, tmp_path, capsys):
    steps, validations = [], []
    run = calque.train(config, run=tmp_path / "run", settings=SHORT,
                       on_step=steps.append, on_validation=validations.append)
    assert [record["step"] for record in steps] == list(range(1, 13))
    assert [record["step"] for record in validations] == [6, 12]
    assert validations[-1]["loss"] == run.validation["loss"][len(validations) - 1]
    assert "valid    12" in capsys.readouterr().out


def test_a_callback_stops_training_and_the_run_resumes_with_the_same_bits(config, tmp_path):
    whole = calque.train(config, run=tmp_path / "whole", settings=SHORT, quiet=True)
    stopped = calque.train(config, run=tmp_path / "run", settings=SHORT, quiet=True,
                           on_step=lambda record: record["step"] < 5)
    assert stopped.ending == "stopped"
    assert os.path.isdir(tmp_path / "run/checkpoints/step-000005")
    assert calque.train(config, run=tmp_path / "run", settings=SHORT, quiet=True).ending == "finished"
    assert read(weights(tmp_path / "run")) == read(weights(whole))


def test_an_exception_of_a_callback_ends_training_and_keeps_the_checkpoints(config, tmp_path):
    def fail(record):
        if record["step"] == 8:
            raise ZeroDivisionError("in the callback")

    with pytest.raises(ZeroDivisionError, match="in the callback"):
        calque.train(config, run=tmp_path / "run", settings=SHORT, quiet=True, on_step=fail)
    assert calque.load(tmp_path / "run").step == 6
    assert calque.train(config, run=tmp_path / "run", settings=SHORT, quiet=True).ending == "finished"


def test_ctrl_c_saves_a_checkpoint_and_raises_keyboard_interrupt(config, tmp_path):
    def press(record):
        if record["step"] == 4:
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        calque.train(config, run=tmp_path / "run", settings=SHORT, quiet=True, on_step=press)
    assert calque.load(tmp_path / "run").step == 4


def test_data_from_python_is_that_of_files(tmp_path):
    run = calque.train(pairs_config(), run=tmp_path / "run", quiet=True)
    for column, name in enumerate(("source", "target")):
        (tmp_path / name).write_text("".join(pair[column] + "\n" for pair in PAIRS))
        (tmp_path / ("v" + name)).write_text("".join(pair[column] + "\n" for pair in PAIRS[:5]))
    config = pairs_config()
    config["data"]["train"] = {"source": tmp_path / "source", "target": tmp_path / "target"}
    config["data"]["validation"] = {"source": tmp_path / "vsource", "target": tmp_path / "vtarget"}
    files = calque.train(config, run=tmp_path / "files", quiet=True)
    assert read(weights(run)) == read(weights(files))


def test_data_from_python_can_have_languages(tmp_path):
    config = pairs_config()
    config["data"]["languages"] = ["x", "y"]
    run = calque.train(config, run=tmp_path / "run", quiet=True)
    assert (tmp_path / "run/data/train.x").read_text().startswith(PAIRS[0][0] + "\n")
    assert "languages: [x, y]" in run.config
    config["data"]["languages"] = ["../x", "y"]
    with pytest.raises(calque.Error, match="data.languages: must be two names"):
        calque.train(config, run=tmp_path / "other", quiet=True)


def test_other_data_from_python_is_refused_and_changes_nothing(tmp_path):
    calque.train(pairs_config(), run=tmp_path / "run", quiet=True,
                 on_step=lambda record: record["step"] < 3)
    other = pairs_config()
    other["data"]["train"] = iter(PAIRS[1:])
    before = {file.name: file.read_bytes() for file in (tmp_path / "run/data").iterdir()}
    with pytest.raises(calque.Error, match="data.train: differs from the data"):
        calque.train(other, run=tmp_path / "run", quiet=True)
    assert {file.name: file.read_bytes() for file in (tmp_path / "run/data").iterdir()} == before
    assert calque.train(pairs_config(), run=tmp_path / "run", quiet=True).ending == "finished"


@pytest.mark.parametrize("rows, message", [
    ([("a", "b"), ("a\nb", "c")], "data.train, row 1: the source: has a line end"),
    ([("a", "b"), ("a", None)], "row 1: the target must be a str, not NoneType"),
    ([("a",)], "row 0: must be a pair"),
    (["ab"], "row 0: must be a pair"),
    ([("a", "\ud800")], "half of a surrogate pair"),
    ([], "empty"),
])
def test_bad_rows_are_named(rows, message, tmp_path):
    config = pairs_config()
    config["data"]["train"] = iter(rows)
    with pytest.raises((calque.Error, TypeError), match=message):
        calque.train(config, run=tmp_path / "run", quiet=True)


def test_other_tasks_take_data_from_python(tmp_path):
    texts = ["the king sleeps", "the cow sings", "a dog runs"] * 20
    model = {"d_model": 16, "d_ff": 32, "heads": 2, "layers": 1}
    training = {"until": "3u", "batch_tokens": 128}
    generator = calque.train({"task": "language-model", "data": {"train": texts, "context": 32},
                              "tokenizer": {"kind": "characters"}, "model": model,
                              "training": training}, run=tmp_path / "lm", quiet=True).load()
    assert generator.generate("the", max_tokens=5).tokens
    rows = [(text, "animal" if "king" not in text else "person") for text in texts]
    classifier = calque.train({"task": "classification", "data": {"train": rows, "context": 32},
                               "tokenizer": {"kind": "words"}, "model": model,
                               "training": training}, run=tmp_path / "classes", quiet=True).load()
    assert sorted(classifier.labels) == ["animal", "person"]


@pytest.mark.parametrize("arguments, message", [
    (({"model": {"d_modle": 3}},), "model.d_modle: unknown key; nearest is model.d_model"),
    (({"data": {"train": object()}},), "is not iterable|config has texts"),
    (("no-such-file.yaml",), "no-such-file.yaml: no such file"),
    (({},), "needs `run`|data.train"),
])
def test_wrong_configs_are_refused(arguments, message, tmp_path):
    with pytest.raises((calque.Error, TypeError), match=message):
        calque.train(*arguments, run=tmp_path / "run", quiet=True)


def test_a_dict_needs_a_run():
    with pytest.raises(calque.Error, match="needs `run`"):
        calque.train(pairs_config())


def test_two_runs_train_side_by_side_in_two_threads(config, tmp_path):
    alone = calque.train(config, run=tmp_path / "alone", settings=SHORT, quiet=True)
    threads = [threading.Thread(target=calque.train, args=(config,), kwargs={
        "run": tmp_path / name, "settings": SHORT, "quiet": True}) for name in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert read(weights(tmp_path / "a")) == read(weights(tmp_path / "b")) == read(weights(alone))


def test_the_plan_is_that_of_the_command(config, tmp_path):
    assert "reached after 3 updates" in calque.plan(config, run=tmp_path / "run", settings=SHORT)
    assert not (tmp_path / "run").exists()


def test_curves_samples_and_figures_are_read_from_the_run(config, program, tmp_path):
    run = calque.train(config, run=tmp_path / "run", settings=SHORT, quiet=True)
    assert list(run.metrics["step"]) == [2, 4, 6, 8, 10, 12]
    assert list(run.validation["step"]) == [6, 12]
    program("plot", run.path, "--svg", tmp_path / "a.svg", "--metric", "loss")
    assert run.plot(["loss"]).svg == (tmp_path / "a.svg").read_text()
    program("plot", run.path, "--out", tmp_path / "page.html")
    assert run.report == (tmp_path / "page.html").read_text()
    assert "iframe" in run._repr_html_()
    with pytest.raises(calque.Error, match="over: must be step"):
        run.plot(over="weeks")


def test_sigterm_ends_python_after_a_checkpoint(config, tmp_path):
    code = ("import calque, os, signal, sys\n"
            "calque.train(sys.argv[1], run=sys.argv[2], quiet=True, settings={'training.until': '9999u',"
            "'training.batch_tokens': 128}, on_step=lambda r: r['step'] != 5 or"
            " os.kill(os.getpid(), signal.SIGTERM))\n")
    done = subprocess.run([sys.executable, "-c", code, str(config), str(tmp_path / "run")])
    assert done.returncode == -signal.SIGTERM
    assert calque.load(tmp_path / "run").step == 5
