"""The examples run, compute what their twins in C++ compute, and have correct types."""

import importlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[3] / "examples" / "python"
sys.path.insert(0, str(EXAMPLES))


@pytest.fixture(scope="module")
def in_cpp():
    program = os.environ.get("CALQUE_CORE_PROGRAMS")
    if not program:
        pytest.skip("CALQUE_CORE_PROGRAMS is not set to the program python_programs")
    lines = subprocess.run([program], check=True, capture_output=True, text=True).stdout.splitlines()
    return lines[-2:]


def bits(text):
    return [float.fromhex(word) for word in text.split()]


def test_the_parabola_has_the_bits_of_the_program_in_cpp(in_cpp):
    w = importlib.import_module("parabola").train().numpy()[:, 0]
    assert [float(number) for number in w] == bits(in_cpp[0])


def test_the_two_sentences_have_the_bits_of_the_program_in_cpp(in_cpp):
    assert [importlib.import_module("two_sentences").train()] == bits(in_cpp[1])


def test_the_moons_are_separated(tmp_path):
    picture = tmp_path / "moons.svg"
    subprocess.run([sys.executable, EXAMPLES / "moons.py", picture], check=True)
    assert picture.read_text().count("<circle") == 100


def test_the_softmax_in_python_is_right_and_drawn(tmp_path):
    subprocess.run([sys.executable, EXAMPLES / "own_op.py", tmp_path / "graph.svg"], check=True)
    assert ">softmax<" in (tmp_path / "graph.svg").read_text()


def test_the_gpt_learns_a_sentence():
    gpt = importlib.import_module("gpt")
    text = "the quick brown fox jumps over the lazy dog. " * 20
    model, letters, nll = gpt.train(text, steps=100)
    assert nll < 0.3
    assert "lazy dog" in gpt.generate(model, letters, "the quick", 60)


def test_mypy_accepts_the_examples(tmp_path):
    pytest.importorskip("mypy")
    checked = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--config-file", "/dev/null", "--cache-dir", tmp_path,
         *sorted(EXAMPLES.glob("*.py"))], capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout + checked.stderr
