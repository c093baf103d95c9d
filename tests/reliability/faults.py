#!/usr/bin/env python3
"""Makes each system call in which a training run changes or closes a file fail in turn, with the
errors in CALLS. The program must end by itself. Unless it can continue without the file, it must
exit with status 1 and report the file and the cause in one line. The run must then resume from a
complete checkpoint, have a checkpoint for each score that it keeps, and end in the same bits as an
undisturbed run.

    tests/reliability/faults.py CALQUE LIBRARY [--task language-model] [--every 1] [--only write]

LIBRARY is failing_calls.cpp as a shared library. --every N tries one fault in N.
"""

import argparse
import collections
import errno
import json
import os
import shutil
import subprocess
import sys
import tempfile

from small_tasks import small_config

# Settings of the validations with which samples and best checkpoints are also written.
MEASURED = {
    "translation": "  validate_translate: greedy\n  metric: exact\n",
    "language-model": "  metric: bits_per_character\n",
    "masked-lm": "  metric: mask_accuracy\n",
    "classification": "  metric: macro_f1\n",
    "images": "  metric: macro_f1\n",
}
TRAINING = """
logging: {every: 5, samples: 1}
training:
  until: 30u
  batch_tokens: 256
  learning_rate: 0.003
  schedule: constant
  validate_every: 5u
  save_every: 10u
  keep_last: 2
"""
SHORT = 0  # instead of an errno: the write is short
CALLS = {
    "open": [errno.ENOSPC, errno.EIO, errno.EINTR],
    "write": [errno.ENOSPC, errno.EIO, errno.EINTR, SHORT],
    "sync": [errno.ENOSPC, errno.EIO, errno.EINTR],
    "rename": [errno.ENOSPC, errno.EIO],
    "mkdir": [errno.ENOSPC, errno.EIO],
    "close": [errno.ENOSPC, errno.EIO, errno.EINTR],
    "close_read": [errno.EIO],  # loses no data, so no message is required
    "allocate": [errno.ENOSPC, errno.EIO, errno.EINTR],
    "link": [errno.ENOSPC, errno.EIO],
    "remove": [errno.EIO],
}
# Training continues without these files: logs, reports, links and caches.
DISPENSABLE = ("metrics.jsonl", "train.log", "report.html", "/best", "/last", "/cache")

Result = collections.namedtuple("Result", "status err out")


def dispensable(path):
    return any(text in path for text in DISPENSABLE)


def must_be_reported(path):
    return path.endswith(("/best", "/last", "metrics.jsonl", "train.log"))


class FaultTest:
    def __init__(self, calque, library, task, folder):
        self.calque, self.library, self.folder = calque, library, folder
        self.config = os.path.join(folder, "config.yaml")
        self.failures = []
        with open(self.config, "w", encoding="utf-8") as file:
            file.write(small_config(task) + TRAINING + MEASURED[task])

    def path(self, name):
        return os.path.join(self.folder, name)

    def train(self, run, until=30, fault=None):
        environment = dict(os.environ, OMP_WAIT_POLICY="passive")
        if fault:
            call, at, code, how = fault
            environment.update(LD_PRELOAD=self.library, FAIL_UNDER=self.path(run), FAIL_CALL=call,
                               FAIL_AT=str(at), FAIL_WITH=str(code), FAIL_ON=how,
                               FAIL_REPORT=self.path("report"))
            open(self.path("report"), "w").close()
        try:
            done = subprocess.run([self.calque, "train", self.config, "--run", self.path(run), "--quiet",
                                   "--threads", "1", "--set", "training.until=%du" % until],
                                  capture_output=True, text=True, env=environment, timeout=120)
        except subprocess.TimeoutExpired:
            return Result("hangs", "", "")
        return Result(done.returncode, done.stderr, done.stdout)

    def calls(self, call):
        """The paths of the calls named `call` in the last run with a fault, and of the failed ones."""
        with open(self.path("report"), encoding="utf-8") as file:
            lines = [line.split() for line in file if line.startswith(call + " ")]
        return [line[1] for line in lines], [line[1] for line in lines if len(line) == 3]

    def tensors(self, run):
        contents = []
        for name in ("model.safetensors", "optimizer.safetensors"):
            with open(os.path.join(self.path(run), "checkpoints", "step-000030", name), "rb") as file:
                contents.append(file.read())
        return contents

    def start(self, begun):
        """Restores the run folder: to none, or to one at step 10."""
        shutil.rmtree(self.path("run"), ignore_errors=True)
        if begun:
            shutil.copytree(self.path("begun"), self.path("run"), symlinks=True)

    def check(self, begun, fault):
        call, at, code, how = fault
        self.start(begun)
        result = self.train("run", fault=fault)
        _, failed = self.calls(call)
        if not failed:
            return False
        where = "%s number %d (%s), %s, %s, of %s run: " % (
            call, at, failed[0], errno.errorcode.get(code, "short"), how, "a resumed" if begun else "a new")
        for problem in self.problems(result, failed, call, code):
            self.failures.append(where + problem)
        return True

    def problems(self, result, failed, call, code):
        if result.status not in (0, 1):
            return ["ended with %s: %s" % (result.status, result.err)]
        found = []
        message = result.err
        if result.status == 1:
            if message.count("\n") != 1 and "training continues" not in message:
                found.append("prints more than one line: " + message)
            if os.strerror(code) not in message:
                found.append("does not name the cause: " + message)
            if self.path("run") not in message:
                found.append("does not name the file: " + message)
            # At the start metrics.jsonl must be readable, to remove the lines after the checkpoint.
            at_start = message.startswith("calque: %s: cannot open" % self.path("run/metrics.jsonl"))
            if all(dispensable(path) for path in failed) and not at_start:
                found.append("stops, although it could continue: " + message)
        else:
            if self.tensors("run") != self.tensors("undisturbed"):
                found.append("ends with other weights, but reports no failure")
            if (call != "close_read" and code in (errno.ENOSPC, errno.EIO)
                    and any(must_be_reported(path) for path in failed)):
                if os.strerror(code) not in message:
                    found.append("continues without the file, but does not report it")
        again = self.train("run")
        if again.status != 0:
            return found + ["does not resume afterwards: " + again.err]
        with open(os.path.join(self.path("run"), "train.log"), encoding="utf-8") as file:
            if "damaged" in file.read():
                found.append("left a damaged checkpoint")
        if self.tensors("run") != self.tensors("undisturbed"):
            found.append("ends with other weights after it has resumed")
        lost = self.lost_scores("run")
        if lost or not os.path.exists(os.path.join(self.path("run"), "best")):
            found.append("has no checkpoint for its best scores, at steps %s" % lost)
        return found

    def lost_scores(self, run):
        """The steps of the best scores in the state that have no checkpoint."""
        with open(os.path.join(self.path(run), "last", "state.json"), encoding="utf-8") as file:
            best = json.load(file)["best"]
        return [score["step"] for scores in best.values() for score in scores
                if not os.path.exists(os.path.join(self.path(run), "checkpoints", "step-%06d" % score["step"]))]

    def fail_first_best(self):
        """Fails the save of the first validation, which is the best so far; no other save is due."""
        self.start(False)
        self.train("run", fault=("open", -1, 0, "once"))
        opened, _ = self.calls("open")
        at = next(i for i, path in enumerate(opened) if "step-000005" in path)
        self.start(False)
        result = self.train("run", fault=("open", at, errno.ENOSPC, "once"))
        if result.status != 0 or "training continues" not in result.err:
            self.failures.append("a failed save of the best: %s, %s" % (result.status, result.err))
        elif self.lost_scores("run") or not os.path.exists(os.path.join(self.path("run"), "best")):
            self.failures.append("a checkpoint whose save failed is kept as the best")

    def prepare(self):
        for run, until in (("undisturbed", 30), ("begun", 10)):
            result = self.train(run, until)
            if result.status != 0:
                sys.exit("an undisturbed run fails: " + result.err)

    def sweep(self, every, only):
        """Tries every N-th fault on new and on resumed runs. Returns the number of faults that occurred."""
        tried = number = 0
        for begun in (False, True):
            for call, codes in CALLS.items():
                if only and call != only:
                    continue
                self.start(begun)
                self.train("run", fault=(call, -1, 0, "once"))
                count = len(self.calls(call)[0])
                for at in range(count):
                    for code in codes:
                        for how in ("once", "from_then_on"):
                            if how == "from_then_on" and code in (errno.EINTR, SHORT):
                                continue
                            number += 1
                            if number % every == 0:
                                tried += self.check(begun, (call, at, code, how))
        return tried


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("calque")
    parser.add_argument("library")
    parser.add_argument("--task", choices=sorted(MEASURED), default="translation")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--only", choices=sorted(CALLS))
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="calque-faults-") as folder:
        test = FaultTest(arguments.calque, os.path.abspath(arguments.library), arguments.task, folder)
        test.prepare()
        test.fail_first_best()
        tried = test.sweep(arguments.every, arguments.only)
    for failure in test.failures:
        print(failure)
    print("%d faults, %d problems" % (tried, len(test.failures)))
    if test.failures or tried == 0:
        sys.exit(1)


if __name__ == "__main__":
    main()
