#!/usr/bin/env python3
"""Trains the same config on 1, 2, 3 and 4 threads, twice each, and once more with a resume halfway.
The weights and the state of the optimizer must have the same hash every time.

    tests/reliability/same_bits.py CALQUE [--task language-model] [--steps 200]
"""

import argparse
import hashlib
import os
import subprocess
import sys
import tempfile

TASKS = {
    "translation": """
data: {train: {toy: toy-en-de, pairs: 2000}, validation: {toy: toy-en-de, pairs: 20}}
tokenizer: {kind: words}
model: {d_model: 64, d_ff: 128, heads: 4, encoder_layers: 1, decoder_layers: 1, attention_dropout: 0.1}
""",
    "language-model": """
task: language-model
data: {train: {toy: toy-text, pairs: 500}, validation: {toy: toy-text, pairs: 10}, context: 64}
tokenizer: {kind: characters}
model: {d_model: 64, d_ff: 128, heads: 4, layers: 2, dropout: 0.1, attention_dropout: 0.1}
""",
}
CONFIG = """
training:
  batch_tokens: 512
  accumulation: 2
  schedule: constant
  learning_rate: 0.001
  ema: 0.99
  validate_every: 100u
logging: {report: false}
"""


def train(calque, folder, run, steps, threads):
    subprocess.run([calque, "train", os.path.join(folder, "config.yaml"), "--run",
                    os.path.join(folder, run), "--threads", str(threads), "--quiet", "--set",
                    "training.until=%du" % steps], check=True, stdout=subprocess.DEVNULL,
                   env=dict(os.environ, OMP_WAIT_POLICY="passive"), timeout=900)


def digest(folder, run, steps):
    hashed = hashlib.sha256()
    for name in ("model.safetensors", "optimizer.safetensors"):
        with open(os.path.join(folder, run, "checkpoints", "step-%06d" % steps, name), "rb") as file:
            hashed.update(file.read())
    return hashed.hexdigest()[:16]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("calque")
    parser.add_argument("--task", choices=sorted(TASKS), default="translation")
    parser.add_argument("--steps", type=int, default=200)
    arguments = parser.parse_args()
    calque, steps = arguments.calque, arguments.steps
    digests = {}
    with tempfile.TemporaryDirectory(prefix="calque-bits-") as folder:
        with open(os.path.join(folder, "config.yaml"), "w", encoding="utf-8") as file:
            file.write(TASKS[arguments.task] + CONFIG)
        for threads in (1, 2, 3, 4):
            for time in ("first", "second"):
                run = "%d threads, %s time" % (threads, time)
                train(calque, folder, run, steps, threads)
                digests[run] = digest(folder, run, steps)
        run = "first half on 3 threads, second half on 2"
        train(calque, folder, run, steps // 2, 3)
        train(calque, folder, run, steps, 2)
        digests[run] = digest(folder, run, steps)
    for run, hashed in digests.items():
        print("%s: %s" % (run, hashed))
    if len(set(digests.values())) != 1:
        sys.exit("the weights differ")


if __name__ == "__main__":
    main()
