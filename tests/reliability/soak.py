#!/usr/bin/env python3
"""Trains a small model for many steps and watches its resident memory and its open files. After
the first hundred steps, memory may grow by less than 1 KiB a step and open files not at all: by
then the run has validated, translated and saved, which it does every fifty steps.

    tests/reliability/soak.py CALQUE [--steps 20000] [--table FILE]

FILE receives the measurements: step, kilobytes, open files.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

CONFIG = """
data:
  train: {toy: toy-en-de, pairs: 5000, seed: 1}
  validation: {toy: toy-en-de, pairs: 40, seed: 2}
tokenizer: {kind: words}
model: {d_model: 32, d_ff: 64, heads: 2, encoder_layers: 1, decoder_layers: 1}
training:
  until: %du
  batch_tokens: 512
  learning_rate: 0.001
  schedule: constant
  validate_every: 50u
  validate_translate: greedy
  save_every: 50u
logging: {every: 20, samples: 1}
"""
SETTLED = 100          # steps
MOST_PER_STEP = 1024   # bytes


def resident_kilobytes(pid):
    with open("/proc/%d/status" % pid) as file:
        for line in file:
            if line.startswith("VmRSS:"):
                return int(line.split()[1])
    raise ProcessLookupError


def open_files(pid):
    """The number of open files, without those of a checkpoint that is being written."""
    links = []
    for name in os.listdir("/proc/%d/fd" % pid):
        try:
            links.append(os.readlink("/proc/%d/fd/%s" % (pid, name)))
        except FileNotFoundError:
            pass
    return sum(1 for link in links if ".tmp" not in link)


def last_step(path):
    try:
        with open(path, "rb") as file:
            file.seek(max(0, os.path.getsize(path) - 4096))
            lines = file.read().decode("utf-8", "replace").split("\n")[:-1]
        return json.loads(lines[-1])["step"]
    except (FileNotFoundError, IndexError, ValueError, KeyError):
        return 0


def watch(process, metrics, table):
    seen = []
    while process.poll() is None:
        step = last_step(metrics)
        try:
            if step >= SETTLED:
                seen.append((step, resident_kilobytes(process.pid), open_files(process.pid)))
                print(*seen[-1], sep="\t", file=table, flush=True)
        except (ProcessLookupError, FileNotFoundError):
            break
        time.sleep(0.1)
    process.wait()
    return seen


def growth(seen):
    """Bytes per step, by least squares."""
    steps = [step for step, _, _ in seen]
    sizes = [1024.0 * kilobytes for _, kilobytes, _ in seen]
    mean_step, mean_size = sum(steps) / len(steps), sum(sizes) / len(sizes)
    spread = sum((step - mean_step) ** 2 for step in steps)
    together = sum((step - mean_step) * (size - mean_size) for step, size in zip(steps, sizes))
    return together / spread if spread > 0 else 0.0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("calque")
    parser.add_argument("--steps", type=int, default=20000)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--table")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="calque-soak-") as folder:
        config = os.path.join(folder, "config.yaml")
        with open(config, "w", encoding="utf-8") as file:
            file.write(CONFIG % arguments.steps)
        run = os.path.join(folder, "run")
        process = subprocess.Popen([arguments.calque, "train", config, "--run", run, "--quiet",
                                    "--threads", str(arguments.threads)],
                                   stdout=subprocess.DEVNULL)
        with open(arguments.table or os.devnull, "w") as table:
            seen = watch(process, os.path.join(run, "metrics.jsonl"), table)
        if process.returncode != 0:
            sys.exit("training ended with status %d" % process.returncode)
    if len(seen) < 20:
        sys.exit("only %d measurements; increase --steps" % len(seen))
    sizes = [kilobytes for _, kilobytes, _ in seen]
    files = [count for _, _, count in seen]
    slope = growth(seen)
    print("%d steps, %d measurements: resident memory %d to %d kB, growing by %.1f bytes per step; "
          "%d to %d open files" % (arguments.steps, len(seen), min(sizes), max(sizes), slope,
                                   min(files), max(files)))
    if slope >= MOST_PER_STEP:
        sys.exit("resident memory grows")
    # While a checkpoint is written, more files are open; a leak also increases the minimum.
    if min(files[-10:]) > min(files[:10]):
        sys.exit("open files grow")


if __name__ == "__main__":
    main()
