#!/usr/bin/env python3
"""Trains with extreme settings and data, where numeric errors are likely. Each case must work;
where CASES allows it, it may instead exit with status 1 and a message of one line. None may hang,
end by a signal, or write a checkpoint with a value that is not finite.

    tests/reliability/sane_numbers.py CALQUE [--task language-model] [CASE...]
"""

import argparse
import os
import subprocess
import sys
import tempfile

from safetensors_files import not_finite, poison

TASKS = {
    "translation": {
        "data.train": "{toy: reverse, pairs: 200, longest: 6}",
        "data.validation": "{toy: reverse, pairs: 10, longest: 6}",
        "tokenizer.kind": "words",
        "model.encoder_layers": "1", "model.decoder_layers": "1",
        "training.validate_translate": "greedy",
    },
    "language-model": {
        "task": "language-model",
        "data.train": "{toy: toy-text, pairs: 60}",
        "data.validation": "{toy: toy-text, pairs: 8}",
        "data.context": "32",
        "tokenizer.kind": "characters",
        "model.layers": "1",
    },
}
BASE = {
    "model.d_model": "16", "model.d_ff": "32", "model.heads": "2",
    "training.until": "40u", "training.batch_tokens": "256",
    "training.schedule": "constant", "training.learning_rate": "0.003",
    "training.validate_every": "20u", "training.save_every": "10u",
    "logging.every": "10", "logging.report": "false",
}
WORKS, MAY_STOP = "works", "works or stops"
# The settings and the expected result of each case. "CORPUS NAME" stands for the files of TEXTS[NAME].
CASES = {
    "plain": ({}, WORKS),
    "learning rate 1000 times too high": ({"training.learning_rate": "3"}, MAY_STOP),
    "learning rate 1e30": ({"training.learning_rate": "1e30"}, MAY_STOP),
    "learning rate 1e30, without check_finite": ({"training.learning_rate": "1e30",
                                                  "training.check_finite": "false"}, MAY_STOP),
    "identical sentences": ({"data.train": "CORPUS same", "data.validation": "CORPUS same"}, WORKS),
    "a vocabulary of 4": ({"data.train": "CORPUS one", "data.validation": "CORPUS one"}, WORKS),
    "sentences of 1 and 5000 words": ({"data.train": "CORPUS long", "data.validation": "CORPUS one",
                                       "data.max_length": "0", "training.until": "3u",
                                       "training.batch_tokens": "6000"}, WORKS),
    "a batch of one token": ({"data.train": "CORPUS one", "data.validation": "CORPUS one",
                              "training.batch_tokens": "1"}, MAY_STOP),
    "batches of one sentence": ({"training.batch_sentences": "1"}, WORKS),
    "label smoothing 0": ({"training.label_smoothing": "0"}, WORKS),
    "label smoothing 0.9": ({"training.label_smoothing": "0.9"}, WORKS),
    "r_drop 1000": ({"training.r_drop": "1000", "model.dropout": "0.3"}, WORKS),
    "dropout 0": ({"model.dropout": "0"}, WORKS),
    "dropout 0.95": ({"model.dropout": "0.95", "model.attention_dropout": "0.95",
                      "model.activation_dropout": "0.95"}, WORKS),
}
TEXTS = {
    "same": ["a b c\n"] * 200,
    "one": ["a\n"] * 50,
    "long": ["a\n", "a b " * 2499 + "a b\n"] * 3,
}


class Workspace:
    def __init__(self, calque, task, folder):
        self.calque, self.task, self.folder = calque, task, folder

    def settings(self, changes):
        arguments = []
        for key, value in {**TASKS[self.task], **BASE, **changes}.items():
            if key == "data.max_length" and self.task == "language-model":
                continue  # texts are cut into windows instead
            if value.startswith("CORPUS "):
                path = os.path.join(self.folder, value[7:])
                value = ("{text: %s.x}" if self.task == "language-model" else
                         "{prefix: %s, languages: [x, y]}") % path
            arguments += ["--set", "%s=%s" % (key, value)]
        return arguments


def train(workspace, run, changes):
    try:
        return subprocess.run([workspace.calque, "train", os.path.join(workspace.folder, "empty.yaml"),
                               "--run", run, "--quiet", "--threads", "1"] + workspace.settings(changes),
                              capture_output=True, text=True, timeout=300)
    except subprocess.TimeoutExpired:
        return None


def problem_of(ran, expected, run):
    if ran is None:
        return "hangs"
    if ran.returncode not in (0, 1):
        return "ends with status %d: %s" % (ran.returncode, ran.stderr)
    if ran.returncode == 1 and (expected == WORKS or ran.stderr.count("\n") != 1):
        return "stops: " + ran.stderr
    bad = not_finite(run)
    return "wrote a value that is not finite: " + bad[0] if bad else None


def poisoned(workspace):
    """Resumes and starts a run from a checkpoint with a NaN in its weights and valid digests."""
    run = os.path.join(workspace.folder, "poisoned")
    train(workspace, run, {})
    checkpoint = os.path.join(run, "checkpoints", "step-000040")
    name = poison(checkpoint)
    for run_again, changes in ((run, {"training.until": "60u"}),
                               (run + "-2", {"model.init_from": checkpoint + ".damaged"})):
        ran = train(workspace, run_again, changes)
        if ran is None or ran.returncode not in (0, 1):
            return "hangs, or ends by a signal"
        bad = [path for path in not_finite(run_again) if "step-000040" not in path]
        if bad:
            return "wrote a value that is not finite: " + bad[0]
        if ran.returncode == 0 and "damaged" not in open(os.path.join(run_again, "train.log")).read():
            return "trains with a NaN, without a message"
        if ran.returncode == 1 and name not in ran.stderr:
            return "does not name the tensor %s: %s" % (name, ran.stderr)
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("calque")
    parser.add_argument("--task", choices=sorted(TASKS), default="translation")
    parser.add_argument("cases", nargs="*")
    arguments = parser.parse_args()
    only = arguments.cases
    failures = 0
    with tempfile.TemporaryDirectory(prefix="calque-sane-") as folder:
        with open(os.path.join(folder, "empty.yaml"), "w") as file:
            file.write("data:\n")
        for name, lines in TEXTS.items():
            for language in ("x", "y"):
                with open(os.path.join(folder, name + "." + language), "w") as file:
                    file.writelines(lines)
        workspace = Workspace(arguments.calque, arguments.task, folder)
        results = []
        for number, (case, (changes, expected)) in enumerate(CASES.items()):
            if only and case not in only:
                continue
            run = os.path.join(folder, "run-%d" % number)
            ran = train(workspace, run, changes)
            ending = "works" if ran and ran.returncode == 0 else "stops: " + ran.stderr.strip() if ran else ""
            results.append((case, problem_of(ran, expected, run), ending))
        if not only:
            results.append(("a NaN in the checkpoint", poisoned(workspace), "as promised"))
        for case, problem, ending in results:
            print("%s: %s" % (case, problem or ending))
            failures += problem is not None
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
