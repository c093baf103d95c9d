#!/usr/bin/env python3
"""Kills a training run with SIGKILL at random moments, resumes it each time with the same command, and
compares what it ends with (weights, moments, metrics) with a run that nobody disturbed: every bit must
be the same, timing aside.

    tests/cli/kill_and_resume.py CALQUE [--kills 50] [--seed 1]
"""

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

CONFIG = """
data:
  train: {toy: reverse, pairs: 2000, longest: 8}
  validation: {toy: reverse, pairs: 40, longest: 8}
tokenizer: {kind: words}
model: {d_model: 32, d_ff: 64, heads: 2, encoder_layers: 1, decoder_layers: 1, dropout: 0.1}
training:
  until: %du
  batch_tokens: 512
  schedule: inverse_sqrt
  learning_rate: 0.003
  warmup_steps: 50
  ema: 0.99
  validate_every: 30u
  validate_translate: greedy
  save_every: 10u
  metric: exact
logging: {every: 7, samples: 1}
"""


def command(calque, folder, run, threads):
    return [calque, "train", os.path.join(folder, "config.yaml"), "--run", os.path.join(folder, run),
            "--threads", str(threads), "--quiet"]


def run_to_the_end(arguments):
    done = subprocess.run(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit("training ended with status %d: %s" % (done.returncode, done.stderr))


def metrics(folder, run):
    records = []
    with open(os.path.join(folder, run, "metrics.jsonl"), encoding="utf-8") as file:
        for line in file:
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


def disturb(calque, folder, kills, rng):
    """Kills the run so many times while it works; returns how many kills met it alive."""
    met = 0
    for _ in range(kills):
        process = subprocess.Popen(command(calque, folder, "disturbed", rng.choice([1, 2, 3])),
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        time.sleep(rng.uniform(0.02, 0.6))
        if process.poll() is None:
            met += 1
            process.send_signal(signal.SIGKILL)
        elif process.returncode != 0:
            sys.exit("a resumed run failed: " + process.stderr.read().decode())
        process.communicate()
    return met


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("calque")
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="calque-kill-")
    try:
        with open(os.path.join(folder, "config.yaml"), "w", encoding="utf-8") as file:
            file.write(CONFIG % arguments.steps)
        run_to_the_end(command(arguments.calque, folder, "undisturbed", 2))
        met = disturb(arguments.calque, folder, arguments.kills, random.Random(arguments.seed))
        run_to_the_end(command(arguments.calque, folder, "disturbed", 1))
        for name, content in final_tensors(folder, "undisturbed", arguments.steps).items():
            if content != final_tensors(folder, "disturbed", arguments.steps)[name]:
                sys.exit("%s differs after %d kills" % (name, met))
        if metrics(folder, "undisturbed") != metrics(folder, "disturbed"):
            sys.exit("metrics.jsonl differs after %d kills" % met)
        if met == 0:
            sys.exit("no kill met the run at work: make it longer with --steps")
        print("%d kills, and every bit the same" % met)
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
