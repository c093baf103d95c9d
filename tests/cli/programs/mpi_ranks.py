#!/usr/bin/env python3
"""Trains on several MPI ranks of this machine, and kills and stops ranks.

  mpi_ranks.py CALQUE FOLDER [--mpirun mpirun] [--kills 5]

All runs end with the same bits and validations as a run in one process, however often a rank was
killed or stopped. When a rank is lost, the others end soon, with a line that names the lost rank.
"""
import argparse
import hashlib
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import time

CONFIG = """
data:
  train: {toy: reverse, pairs: 400, longest: 6}
  validation: {toy: reverse, pairs: 60, longest: 6}
tokenizer: {kind: words}
model: {d_model: 32, d_ff: 64, heads: 2, encoder_layers: 1, decoder_layers: 1, dropout: 0.1}
training:
  until: 720u
  parts: 4
  batch_tokens: 128
  schedule: constant
  learning_rate: 0.003
  warmup_steps: 0
  clip_norm: 1
  ema: 0.99
  validate_every: 120u
  validate_translate: greedy
  save_every: 30u
  rank_deadline: 4
decoding: {batch_tokens: 40}
logging: {every: 100, report: false}
"""
LAST = "step-000720"
LIMIT = 30  # seconds until all ranks have ended after one of them is lost


def fail(message):
    sys.exit(f"mpi_ranks.py: {message}")


class Launcher:
    def __init__(self, program, mpirun, folder):
        self.program, self.mpirun, self.folder = program, mpirun, folder
        version = subprocess.run([mpirun, "--version"], capture_output=True, text=True).stdout
        self.open_mpi = "Open MPI" in version or "OpenRTE" in version

    def options(self):
        options = [self.mpirun]
        if self.open_mpi:
            options += ["--oversubscribe"]
            if os.geteuid() == 0:
                options += ["--allow-run-as-root"]
        return options

    def train(self, run, *settings):
        command = [self.program, "train", str(self.folder / "small.yaml"), "--quiet", "--run",
                   str(self.folder / run)]
        for setting in settings:
            command += ["--set", setting]
        return command

    def command(self, ranks, run, *settings):
        if ranks == 0:
            return self.train(run, *settings)
        return self.options() + ["-n", str(ranks)] + self.train(run, *settings)

    # Two ranks; each first runs a line of sh, in which $rank is the number of the rank. (Some
    # versions of Open MPI do not start different commands for different ranks.)
    def two_different(self, run, line):
        script = f'rank=${{OMPI_COMM_WORLD_RANK:-$PMI_RANK}}; {line}; exec "$@"'
        return self.options() + ["-n", "2", "sh", "-c", script, "sh"] + self.train(run)

    def start(self, command, **environment):
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                text=True, errors="replace",
                                env={**os.environ, "OMP_NUM_THREADS": "1", **environment})

    def finish(self, command, **environment):
        process = self.start(command, **environment)
        output = process.communicate(timeout=300)[0]
        return process.returncode, output

    def complete(self, ranks, run, *settings):
        status, output = self.finish(self.command(ranks, run, *settings))
        if status != 0:
            fail(f"{ranks} ranks ended with status {status}:\n{output}")

    # {rank: process id} of a run.
    def processes(self, run):
        found = {}
        for entry in pathlib.Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            try:
                words = (entry / "cmdline").read_bytes().split(b"\0")
                variables = (entry / "environ").read_bytes().split(b"\0")
            except OSError:
                continue
            if not words[0].endswith(b"calque") or str(self.folder / run).encode() not in words:
                continue
            for variable in variables:
                name, _, value = variable.partition(b"=")
                if name in (b"OMPI_COMM_WORLD_RANK", b"PMI_RANK"):
                    found[int(value)] = int(entry.name)
        return found

    def newest(self, run):
        folder = self.folder / run / "checkpoints"
        steps = sorted(folder.glob("step-??????")) if folder.exists() else []
        return steps[-1].name if steps else ""


# The hashes of a run's last checkpoint, and its validations.
def digest(run):
    files = ("model.safetensors", "optimizer.safetensors")
    last = run / "checkpoints" / LAST
    records = map(json.loads, (run / "metrics.jsonl").read_text().splitlines())
    validations = [{**record, "timing": None} for record in records
                   if record["kind"] == "valid" and record["step"] % 120 == 0]
    if len(validations) != 6:
        fail(f"{run} has {len(validations)} validations instead of 6")
    return [hashlib.sha256((last / name).read_bytes()).hexdigest() for name in files] + validations


def check_bits(launcher, run, expected, what):
    if digest(launcher.folder / run) != expected:
        fail(f"{what}: the bits differ from those of one process")
    print(f"ok: {what}")


def wait_for_step(launcher, run, process, step):
    end = time.monotonic() + 120
    while launcher.newest(run) < step and process.poll() is None and time.monotonic() < end:
        time.sleep(0.01)


# Sends the signal `how` to a rank of a run of four. Returns the rank, the seconds until all ranks
# ended, and the output; None if the run finished before.
def lose_a_rank(launcher, run, how, generator):
    process = launcher.start(launcher.command(4, run))
    before = launcher.newest(run)
    end = time.monotonic() + 120
    while launcher.newest(run) <= before and process.poll() is None and time.monotonic() < end:
        time.sleep(0.01)
    time.sleep(generator.uniform(0, 0.3))
    rank = generator.randrange(4)
    victims = launcher.processes(run)
    if process.poll() is not None or rank not in victims:
        output = process.communicate()[0]
        return None if process.returncode == 0 else fail(f"ended by itself:\n{output}")
    os.kill(victims[rank], how)
    since = time.monotonic()
    try:
        output = process.communicate(timeout=LIMIT)[0]
    except subprocess.TimeoutExpired:
        left = launcher.processes(run)
        process.kill()
        for number in left.values():
            os.kill(number, signal.SIGKILL)
        fail(f"rank {rank} got signal {how}; after {LIMIT} s the ranks {sorted(left)} still run")
    if process.returncode == 0:
        fail(f"rank {rank} got signal {how}, and the status is 0")
    while left := launcher.processes(run):  # mpirun may end a little before the ranks
        if time.monotonic() - since > LIMIT:
            fail(f"rank {rank} got signal {how}; after {LIMIT} s the ranks {sorted(left)} still run")
        time.sleep(0.01)
    return rank, time.monotonic() - since, output


def check_line(output, rank, what):
    lines = [line for line in output.splitlines() if re.search(r"calque: rank \d", line)]
    if len(lines) != 1 or not re.search(rf"calque: rank {rank} on \S+ {what}.* at step \d", lines[0]):
        fail(f"expected one line about rank {rank} that '{what}':\n{output}")


def check_same_bits(launcher, expected):
    for ranks in (1, 2, 4):
        launcher.complete(ranks, f"ranks-{ranks}")
        check_bits(launcher, f"ranks-{ranks}", expected, f"{ranks} ranks")
    launcher.complete(4, "turns", "training.until=186u")
    launcher.complete(0, "turns", "training.until=372u")
    launcher.complete(2, "turns", "training.until=558u")
    launcher.complete(4, "turns")
    check_bits(launcher, "turns", expected, "4 ranks, then one process, then 2 ranks, then 4")
    outer = "training.outer_steps=2"
    launcher.complete(0, "outer-alone", outer)
    launcher.complete(4, "outer-turns", outer, "training.until=366u")
    launcher.complete(2, "outer-turns", outer)
    check_bits(launcher, "outer-turns", digest(launcher.folder / "outer-alone"),
               "outer steps on 4 ranks, then 2")
    status, output = launcher.finish(
        launcher.two_different("threads", "export OMP_NUM_THREADS=$((rank + 1))"))
    if status != 0:
        fail(f"ranks with 1 and 2 threads ended with status {status}:\n{output}")
    check_bits(launcher, "threads", expected, "ranks with 1 and 2 threads")


def check_losses(launcher, expected, kills, generator):
    for how, name, what, count in ((signal.SIGKILL, "killed", "has ended", kills),
                                   (signal.SIGSTOP, "stopped", "has not answered", 2)):
        worst, lost_ranks, run = 0, 0, 1
        while lost_ranks < count:
            lost = lose_a_rank(launcher, f"{name}-{run}", how, generator)
            if lost is None or "finished at step" in lost[2]:  # it finished before a rank was lost
                check_bits(launcher, f"{name}-{run}", expected, f"run {run} with ranks {name}")
                run += 1
                continue
            if launcher.open_mpi:  # MPICH ends the others at once, with a message of its own
                check_line(lost[2], lost[0], what)
            lost_ranks, worst = lost_ranks + 1, max(worst, lost[1])
        launcher.complete(2, f"{name}-{run}")
        check_bits(launcher, f"{name}-{run}", expected,
                   f"{count} ranks {name}, all ended within {worst:.1f} s")


def check_stops(launcher, expected):
    for number in (signal.SIGUSR1, signal.SIGTERM, signal.SIGINT):
        run = f"asked-{number}"
        process = launcher.start(launcher.command(2, run, "training.save_every=100000u"))
        wait_for_step(launcher, run, process, "step-000000")
        time.sleep(0.2)
        process.send_signal(number)
        try:
            output = process.communicate(timeout=LIMIT)[0]
        except subprocess.TimeoutExpired:
            process.kill()
            fail(f"{signal.Signals(number).name} to mpirun: it still runs after {LIMIT} s")
        # MPICH's mpirun sometimes loses the status of a rank that ends after MPI_Finalize.
        unexpected_success = process.returncode == 0 and launcher.open_mpi
        if unexpected_success or launcher.newest(run) in ("", "step-000000"):
            fail(f"{signal.Signals(number).name} to mpirun: status {process.returncode}, newest checkpoint "
                 f"{launcher.newest(run)!r}:\n{output}")
        launcher.complete(2, run)
        check_bits(launcher, run, expected, f"{signal.Signals(number).name} to mpirun")


def expect_error(launcher, command, text):
    start = time.monotonic()
    status, output = launcher.finish(command)
    if status == 0 or text not in output or time.monotonic() - start > LIMIT:
        fail(f"expected an error with '{text}', and status not 0, got {status}:\n{output}")
    print(f"ok: {text}")


def check_refusals(launcher, expected):
    seed = '[ $rank = 0 ] || set -- "$@" --set training.seed=7'
    expect_error(launcher, launcher.two_different("other", seed), "training.seed: 7 instead of 1")
    expect_error(launcher, launcher.command(3, "three"), "3 ranks are not a power of two")
    expect_error(launcher, launcher.command(8, "eight"), "8 ranks cannot share 4 parts")
    # A limit on the size of rank 0's files stands for a full disk.
    launcher.complete(2, "full", "training.until=100u")
    expect_error(launcher, launcher.two_different("full", "[ $rank = 1 ] || ulimit -f 20"),
                 "File too large")
    launcher.complete(2, "full")
    check_bits(launcher, "full", expected, "after a full disk")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--mpirun", default="mpirun")
    parser.add_argument("--kills", type=int, default=5)
    parser.add_argument("--only", help="a comma-separated part of bits,losses,stops,refusals")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    folder = arguments.folder.absolute()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "small.yaml").write_text(CONFIG)
    launcher = Launcher(os.path.abspath(arguments.program), arguments.mpirun, folder)
    launcher.complete(0, "alone")
    steps = arguments.only.split(",") if arguments.only else ["bits", "losses", "stops", "refusals"]
    expected = digest(folder / "alone")
    if "bits" in steps:
        check_same_bits(launcher, expected)
    if "losses" in steps:
        check_losses(launcher, expected, arguments.kills, random.Random(arguments.seed))
    if "stops" in steps:
        check_stops(launcher, expected)
    if "refusals" in steps:
        check_refusals(launcher, expected)


if __name__ == "__main__":
    main()
