"""Small runs of every task, each trained once for all tests of a file."""

import os
import pathlib
import subprocess
import sys

import pytest

import calque

SOURCE = pathlib.Path(os.environ["CALQUE_SOURCE"])
sys.path.insert(0, str(SOURCE / "tests" / "reliability"))
from small_tasks import small_config  # noqa: E402

WORD2VEC = """
task: word2vec
data: {train: {toy: toy-analogies, pairs: 200}, context: 32}
model: {d_model: 16}
"""


def calque_program(*arguments, text=None, status=0):
    """Runs the program; returns its standard output."""
    done = subprocess.run([os.environ["CALQUE_PROGRAM"], *map(str, arguments)], input=text,
                          capture_output=True, text=True)
    assert done.returncode == status, done.stderr
    return done.stdout


class Runs:
    def __init__(self, folder):
        self.folder = folder

    def of(self, task, updates=8):
        run = self.folder / task
        if not run.exists():
            config = self.folder / (task + ".yaml")
            config.write_text(WORD2VEC if task == "word2vec" else small_config(task))
            calque.train(config, run=run, quiet=True, settings={
                "training.until": f"{updates}u", "training.batch_tokens": 128})
        return run


@pytest.fixture(scope="session")
def runs(tmp_path_factory):
    return Runs(tmp_path_factory.mktemp("runs"))


@pytest.fixture(scope="session")
def program():
    return calque_program
