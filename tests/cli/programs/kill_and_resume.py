#!/usr/bin/env python3
"""Kills a training run with SIGKILL at random moments and resumes it each time, with a random number of
threads. Its result (weights, moments, metrics without timing) must have the same bits as the result
of an undisturbed run. A quarter of the kills happens during the start, half during steps, and a quarter
while a checkpoint is written. When a run has finished, its result is compared and another run
begins, until the number of kills is reached. Every second run waits for its checkpoints
(save_in_background: false); in these runs a kill may not lose more than one interval. The first run
gets at most half of the kills, rounded up, so that two or more kills hit runs of both kinds.

    tests/cli/programs/kill_and_resume.py CALQUE [--task language-model] [--kills 50] [--steps 400] [--seed 1]
"""

import argparse
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "reliability"))
from small_tasks import small_config

INTERVAL = 10  # steps between checkpoints

# By task: what its config has beside small_config(), and the metric.
TASKS = {
    "translation": ("", "validate_translate: greedy, metric: exact"),
    "language-model": ("", "metric: bits_per_character"),
    "masked-lm": ("", "metric: mask_accuracy"),
    "classification": ("", "metric: macro_f1"),
    "tagging": ("", "metric: f1"),
    "word2vec": ("""
task: word2vec
data:
  train: {toy: toy-analogies, pairs: 1000}
  validation: {toy: toy-analogies, pairs: 20}
  context: 32
model: {d_model: 32}
""", "metric: accuracy"),
    "images": ("augment: {shift: 1, flip: true, rotate: 5, erase: 0.2}\n", "metric: macro_f1"),
}
CONFIG = """
training:
  until: %du
  batch_tokens: 512
  schedule: inverse_sqrt
  learning_rate: 0.003
  warmup_steps: 50
  ema: 0.99
  validate_every: 30u
  save_every: %du
  save_in_background: %s
  %s
logging: {every: 1, samples: 1, report: false}
"""


def command(calque, folder, run, threads):
    return [calque, "train", os.path.join(folder, "config.yaml"), "--run", os.path.join(folder, run),
            "--threads", str(threads), "--quiet"]


def write_config(folder, task, steps, in_background):
    config, metric = TASKS[task]
    if task != "word2vec":
        config += small_config(task, 32, 64).rstrip().removesuffix("}") + ", dropout: 0.1}\n"
    with open(os.path.join(folder, "config.yaml"), "w", encoding="utf-8") as file:
        file.write(config + CONFIG % (steps, INTERVAL, str(in_background).lower(),
                                      metric.replace(", ", "\n  ")))


def run_to_the_end(arguments):
    done = subprocess.run(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit("training ended with status %d: %s" % (done.returncode, done.stderr))


def metrics(folder, run):
    """The records without their timing, and without the unfinished last line of a killed run."""
    records = []
    try:
        with open(os.path.join(folder, run, "metrics.jsonl"), encoding="utf-8") as file:
            lines = file.read().split("\n")[:-1]
    except FileNotFoundError:
        return []
    for line in lines:
        record = json.loads(line)
        record.pop("timing", None)
        records.append(record)
    return records


def final_tensors(folder, run, steps):
    checkpoint = os.path.join(folder, run, "checkpoints", "step-%06d" % steps)
    contents = {}
    for name in ("model.safetensors", "optimizer.safetensors"):
        with open(os.path.join(checkpoint, name), "rb") as file:
            contents[name] = file.read()
    return contents


def links(folder, run):
    """The checkpoints that RUN/best and RUN/last link to, and the best scores in the state."""
    with open(os.path.join(folder, run, "last", "state.json"), encoding="utf-8") as file:
        best = json.load(file)["best"]
    return [os.readlink(os.path.join(folder, run, name)) for name in ("best", "last")], best


def checkpoints(folder, run):
    try:
        return os.listdir(os.path.join(folder, run, "checkpoints"))
    except FileNotFoundError:
        return []


def being_written(folder, run):
    return any(name.endswith(".tmp") for name in checkpoints(folder, run))


class Kills:
    """Counts the kills, and records the most steps that one of them lost."""

    def __init__(self):
        self.in_writing = self.rounds = self.more_than_interval = 0
        self.total_by_mode = {True: 0, False: 0}  # keys: save_in_background
        self.repeated_most = {True: 0, False: 0}

    @property
    def total(self):
        return sum(self.total_by_mode.values())

    def in_background(self):
        return self.rounds % 2 == 1

    def count(self, folder, run):
        mode = self.in_background()
        self.total_by_mode[mode] += 1
        self.in_writing += being_written(folder, run)
        logged = logged_steps(folder, run)
        steps = [int(name[5:]) for name in checkpoints(folder, run) if name[5:].isdigit()]
        repeated = logged - max([0] + steps)
        self.repeated_most[mode] = max(self.repeated_most[mode], repeated)
        self.more_than_interval += repeated > INTERVAL


def logged_steps(folder, run):
    return max([0] + [record["step"] for record in metrics(folder, run)])


def wait_for_the_moment(process, folder, run, rng):
    """Waits for a moment during the start, after some steps, or while a checkpoint is written."""
    def wait_until(condition):
        deadline = time.monotonic() + 30
        while process.poll() is None and time.monotonic() < deadline and not condition():
            time.sleep(0.0005)

    moment = rng.choice(["start", "steps", "steps", "checkpoint"])
    if moment == "start":
        time.sleep(rng.uniform(0.0, 0.1))
        return
    goal = logged_steps(folder, run) + rng.randrange(2 * INTERVAL)
    wait_until(lambda: logged_steps(folder, run) >= goal)
    if moment == "checkpoint":
        wait_until(lambda: being_written(folder, run))
    time.sleep(rng.uniform(0.0, 0.002))


def kill_until_it_ends(calque, folder, kills, limit, rng):
    """Starts the run repeatedly until it finishes or the number of kills reaches the limit."""
    while kills.total < limit:
        process = subprocess.Popen(command(calque, folder, "disturbed", rng.choice([1, 2, 3, 4])),
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        wait_for_the_moment(process, folder, "disturbed", rng)
        process.send_signal(signal.SIGKILL)
        errors = process.communicate()[1].decode()
        if process.returncode == -signal.SIGKILL:
            kills.count(folder, "disturbed")
        elif process.returncode != 0:
            sys.exit("a resumed run failed: " + errors)
        else:
            return


def compare(folder, steps, kills):
    for name, content in final_tensors(folder, "undisturbed", steps).items():
        if content != final_tensors(folder, "disturbed", steps)[name]:
            sys.exit("%s differs after %d kills" % (name, kills))
    if metrics(folder, "undisturbed") != metrics(folder, "disturbed"):
        sys.exit("metrics.jsonl differs after %d kills" % kills)
    if links(folder, "undisturbed") != links(folder, "disturbed"):
        sys.exit("best or last differs after %d kills" % kills)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("calque")
    parser.add_argument("--task", choices=sorted(TASKS), default="translation")
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    rng = random.Random(arguments.seed)
    folder = tempfile.mkdtemp(prefix="calque-kill-")
    try:
        write_config(folder, arguments.task, arguments.steps, True)
        run_to_the_end(command(arguments.calque, folder, "undisturbed", 2))
        kills = Kills()
        while kills.total < arguments.kills:
            shutil.rmtree(os.path.join(folder, "disturbed"), ignore_errors=True)
            write_config(folder, arguments.task, arguments.steps, kills.in_background())
            limit = (arguments.kills + 1) // 2 if kills.rounds == 0 else arguments.kills
            kill_until_it_ends(arguments.calque, folder, kills, limit, rng)
            run_to_the_end(command(arguments.calque, folder, "disturbed", 1))
            compare(folder, arguments.steps, kills.total)
            kills.rounds += 1
            print("run %d: %d kills so far, %d while a checkpoint was written"
                  % (kills.rounds, kills.total, kills.in_writing), flush=True)
        if arguments.kills > 1 and not all(kills.total_by_mode.values()):
            sys.exit("all kills hit runs of one kind: %s" % kills.total_by_mode)
        # In the background a checkpoint waits for the one before, so a kill loses at most two intervals.
        for in_background, bound in ((False, INTERVAL), (True, 2 * INTERVAL)):
            if kills.repeated_most[in_background] > bound:
                sys.exit("%d steps had to be repeated, save_in_background: %s"
                         % (kills.repeated_most[in_background], in_background))
        print("%d kills in %d runs, every bit the same; %d kills while a checkpoint was written; "
              "save_in_background false: at most %d steps repeated after each of %d kills; "
              "save_in_background true: at most %d steps repeated after each of %d kills; of these, %d kills "
              "cost more than one interval of %d steps"
              % (kills.total, kills.rounds, kills.in_writing, kills.repeated_most[False],
                 kills.total_by_mode[False], kills.repeated_most[True], kills.total_by_mode[True],
                 kills.more_than_interval, INTERVAL))
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
