#!/usr/bin/env python3
"""Trains where writing fails or memory is too small: a small file system that fills up, a folder
without write permission, a limit on file sizes, a folder that vanishes, a full standard output, and
limits on memory. Training must exit with status 1 and report the cause, and a run that has a
checkpoint must be able to continue. Cases that cannot run, for example without root, are left out
and reported.

    tests/reliability/full_disks.py CALQUE [--task language-model]
"""

import argparse
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time

from small_tasks import small_config

DEEPER = {"translation": "model.encoder_layers=24", "language-model": "model.layers=24"}
CONFIG = """
training:
  until: 40u
  batch_tokens: 256
  schedule: constant
  learning_rate: 0.001
  validate_every: 20u
  save_every: 10u
  keep_last: %d
logging: {every: 5, report: false}
"""


class Failure(Exception):
    pass


def require(condition, ran, what):
    if not condition:
        raise Failure("%s: status %s, %r" % (what, ran.returncode, ran.stderr))


class Workspace:
    def __init__(self, calque, task, folder):
        self.calque, self.task, self.folder = calque, task, folder
        self.config = self.write("config.yaml", small_config(task, 64, 256) + CONFIG % 1)
        self.keep_all = self.write("keep_all.yaml", small_config(task, 64, 256) + CONFIG % 100)

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def path(self, name):
        return os.path.join(self.folder, name)

    def command(self, run, config=None, *more):
        return [self.calque, "train", config or self.config, "--run", run, "--quiet", "--threads", "1",
                *more]

    def train(self, run, config=None, *more, limit=None):
        def set_limit():
            if limit:
                resource.setrlimit(limit[0], (limit[1], limit[1]))
        return subprocess.run(self.command(run, config, *more), capture_output=True, text=True,
                              timeout=120, preexec_fn=set_limit)


def require_stop(ran, *words):
    lines = [line for line in ran.stderr.split("\n") if line and "training continues" not in line]
    require(ran.returncode == 1 and len(lines) == 1, ran, "does not stop with one line")
    for word in words:
        require(word in lines[0], ran, "does not say " + word)


def resumes(workspace, run):
    """Requires that the run resumes from a complete checkpoint and finishes."""
    ran = workspace.train(run)
    require(ran.returncode == 0, ran, "does not resume afterwards")
    with open(os.path.join(run, "train.log"), encoding="utf-8") as file:
        text = file.read()
    require("resuming" in text and "damaged" not in text, ran, "has no complete checkpoint")


def a_full_file_system(workspace):
    if os.geteuid() != 0:
        return "left out: only root can mount a small file system"
    disk = workspace.path("disk")
    os.mkdir(disk)
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", disk]).returncode != 0:
        return "left out: tmpfs cannot be mounted here"
    try:
        run = os.path.join(disk, "run")
        require_stop(workspace.train(run, workspace.keep_all, "--set", "training.until=1000u"), run,
                     "No space left on device", "free some space")
        checkpoints = sorted(os.listdir(os.path.join(run, "checkpoints")))
        for checkpoint in checkpoints[:-1]:  # as a user would free space
            shutil.rmtree(os.path.join(run, "checkpoints", checkpoint))
        ran = workspace.train(run, None, "--set", "training.until=%du" % (int(checkpoints[-1][5:]) + 10))
        require(ran.returncode == 0, ran, "does not resume after space was freed")
    finally:
        subprocess.run(["umount", disk])


def a_folder_without_rights(workspace):
    folder = workspace.path("locked")
    os.mkdir(folder)
    os.chmod(folder, 0o555)
    if os.geteuid() == 0:
        # Only a read-only file system keeps root from writing.
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "ro", "tmpfs", folder]).returncode != 0:
            return "left out: root may write anywhere, and a read-only file system cannot be mounted"
    try:
        require_stop(workspace.train(os.path.join(folder, "run")), os.path.join(folder, "run"), "cannot")
    finally:
        if os.geteuid() == 0:
            subprocess.run(["umount", folder])


def a_limit_on_the_size_of_files(workspace):
    run = workspace.path("limited")
    workspace.train(run, None, "--set", "training.until=10u")
    ran = workspace.train(run, None, limit=(resource.RLIMIT_FSIZE, 100 * 1024))
    require_stop(ran, run, "File too large", "ulimit -f")
    resumes(workspace, run)


def a_folder_that_vanishes(workspace):
    run = workspace.path("vanishing")
    process = subprocess.Popen(workspace.command(run, None, "--set", "training.until=1000000u"),
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 60
    while not os.path.isdir(os.path.join(run, "checkpoints", "step-000010")):
        if time.monotonic() > deadline:
            break
        time.sleep(0.01)
    while os.path.exists(run):
        try:
            os.rename(run, workspace.path("moved"))
        except OSError:
            pass
    _, err = process.communicate(timeout=120)
    require_stop(subprocess.CompletedProcess([], process.returncode, "", err), run,
                 "No such file or directory")
    resumes(workspace, workspace.path("moved"))


def standard_output_that_is_full(workspace):
    with open("/dev/full", "w") as full:
        ran = subprocess.run(workspace.command(workspace.path("unheard"))[:-3] + ["--threads", "1"],
                             stdout=full, stderr=subprocess.PIPE, text=True, timeout=300)
    require(ran.returncode == 1 and "standard output" in ran.stderr, ran, "does not report it")
    require(os.path.isdir(workspace.path("unheard/checkpoints/step-000040")), ran, "does not finish")


def too_little_memory(workspace):
    run = workspace.path("cramped")
    workspace.train(run, None, "--set", "training.until=10u")
    clear = 0
    enough = 130 * (len(os.sched_getaffinity(0)) + 6)  # OpenBLAS reserves 128 MB for each processor
    for megabytes in (enough * share // 12 for share in range(1, 13)):
        ran = workspace.train(run, None, "--set", "training.until=20u",
                              limit=(resource.RLIMIT_AS, megabytes << 20))
        if ran.returncode == 0:
            break
        # With very little memory the system cannot load the libraries, and reports that itself.
        if "error while loading shared libraries" in ran.stderr:
            continue
        require(ran.returncode == 1 and "not enough memory" in ran.stderr, ran,
                "with %d MB" % megabytes)
        clear += 1
    require(ran.returncode == 0, ran, "does not work with any size of memory")
    huge = workspace.train(workspace.path("huge"), None, "--set", "model.d_model=8192", "--set",
                           "model.d_ff=32768", "--set", DEEPER[workspace.task],
                           limit=(resource.RLIMIT_AS, enough << 20))
    require_stop(huge, "not enough memory")
    return "stops clearly with %d sizes of memory" % clear


CASES = [a_full_file_system, a_folder_without_rights, a_limit_on_the_size_of_files,
         a_folder_that_vanishes, standard_output_that_is_full, too_little_memory]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("calque")
    parser.add_argument("--task", choices=sorted(DEEPER), default="translation")
    arguments = parser.parse_args()
    failures = 0
    with tempfile.TemporaryDirectory(prefix="calque-disks-") as folder:
        workspace = Workspace(arguments.calque, arguments.task, folder)
        for case in CASES:
            try:
                result = case(workspace) or "as promised"
            except Failure as failure:
                failures += 1
                result = str(failure)
            print("%s: %s" % (case.__name__.replace("_", " "), result))
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
