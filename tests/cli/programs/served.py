"""Trains small runs and starts `calque serve` with them, for tests that send requests to the server."""
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "reliability"))
from small_tasks import small_config

TRAINING = """
training: {until: 30u, batch_tokens: 256, schedule: constant, learning_rate: 0.003, warmup_steps: 0}
logging: {report: false}
"""


def empty_folder(folder):
    """Makes an empty folder; one that exists is removed first."""
    folder = pathlib.Path(folder)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def train(calque, folder, name, task, *settings):
    """Trains a run of the task in folder/name, and returns its path. The settings are those of --set."""
    config = folder / f"{name}.yaml"
    config.write_text(small_config(task) + TRAINING)
    arguments = [word for setting in settings for word in ("--set", setting)]
    subprocess.run([calque, "train", config, "--run", folder / name, "--quiet", *arguments], check=True, timeout=120)
    return folder / name


class RunningServer:
    """`calque serve` with these runs; it is up during the `with` block, at `url`."""

    def __init__(self, calque, runs, *options):
        self.command = [calque, "serve", *runs, "--port", "0", *options]

    def __enter__(self):
        self.process = subprocess.Popen(self.command, stdout=subprocess.PIPE, text=True)
        self.url = ""
        while not self.url.startswith("http://"):
            line = self.process.stdout.readline()
            assert line, "the server has ended"
            self.url = line.strip()
        return self

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(timeout=30)
        finally:
            self.process.kill()
