#!/usr/bin/env python3
"""Trains on two machines that are network namespaces, and cuts the cable between them.

  mpi_network.py CALQUE FOLDER [--mpirun mpirun]

Needs root, ip and Open MPI; otherwise exits with 77 (skipped).
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

import mpi_ranks

SKIPPED = 77
DEADLINE = 5
RUN = "network"


def run(*words):
    subprocess.run(words, check=True, capture_output=True)


class Machines:
    """Two network namespaces with a virtual cable between them. Each has a host name of its own, which
    calque reports."""

    def __init__(self, folder):
        self.names = [f"calque{os.getpid() % 10000}-{i}" for i in (1, 2)]
        self.cables = [f"cq{os.getpid() % 10000}-{i}" for i in (1, 2)]
        self.folder = folder

    def __enter__(self):
        for name in self.names:
            run("ip", "netns", "add", name)
        run("ip", "link", "add", self.cables[0], "netns", self.names[0], "type", "veth",
            "peer", "name", self.cables[1], "netns", self.names[1])
        for i, (name, cable) in enumerate(zip(self.names, self.cables), 1):
            run("ip", "-n", name, "addr", "add", f"10.77.0.{i}/24", "dev", cable)
            run("ip", "-n", name, "link", "set", cable, "up")
            run("ip", "-n", name, "link", "set", "lo", "up")
        agent = self.folder / "agent.sh"
        agent.write_text('#!/bin/sh\n# agent HOST COMMAND...: in place of ssh\n'
                         f'i=${{1##*.}}; shift\nexec ip netns exec {self.names[0][:-1]}$i '
                         'unshare --uts sh -c "hostname host$i; $*"\n')
        agent.chmod(0o755)
        (self.folder / "hosts").write_text("10.77.0.1 slots=2\n10.77.0.2 slots=2\n")
        return self

    def __exit__(self, *_):
        for name in self.names:
            self.end_processes(name)
            subprocess.run(["ip", "netns", "del", name], capture_output=True)

    def end_processes(self, name):
        pids = subprocess.run(["ip", "netns", "pids", name], capture_output=True, text=True)
        for pid in pids.stdout.split():
            subprocess.run(["kill", "-9", pid], capture_output=True)

    def cable(self, state):
        run("ip", "-n", self.names[0], "link", "set", self.cables[0], state)

    def limit(self, gbps):
        """Limits both directions of the cable to a rate; the buffer holds what passes in 4 ms."""
        burst = max(200_000, int(gbps * 1e9 / 8 * 0.004))
        for name, cable in zip(self.names, self.cables):
            run("ip", "netns", "exec", name, "tc", "qdisc", "replace", "dev", cable, "root", "tbf", "rate",
                f"{gbps:g}gbit", "burst", str(burst), "limit", str(10 * burst))

    def no_limit(self):
        for name, cable in zip(self.names, self.cables):
            subprocess.run(["ip", "netns", "exec", name, "tc", "qdisc", "del", "dev", cable, "root"],
                           capture_output=True)

    def on_both(self, launcher, command, ranks=4):
        """The command that runs `ranks` ranks, half of them on each machine."""
        network = "10.77.0.0/24"
        options = launcher.options() + ["--hostfile", str(self.folder / "hosts"), "-np", str(ranks),
                                        "--map-by", f"ppr:{ranks // 2}:node"]
        for key, value in (("plm_rsh_agent", str(self.folder / "agent.sh")),
                           ("btl_tcp_if_include", network), ("oob_tcp_if_include", network)):
            options += ["--mca", key, value]
        return ["ip", "netns", "exec", self.names[0], "unshare", "--uts", "sh", "-c",
                'hostname host1; exec "$@"', "sh"] + options + command


def cut_the_cable(launcher, machines):
    process = launcher.start(machines.on_both(launcher, launcher.train(
        RUN, f"training.rank_deadline={DEADLINE}")))
    mpi_ranks.wait_for_step(launcher, RUN, process, "step-000100")
    machines.cable("down")
    start = time.monotonic()
    while launcher.processes(RUN) and time.monotonic() - start < mpi_ranks.LIMIT:
        time.sleep(0.1)
    if launcher.processes(RUN):
        mpi_ranks.fail(f"the ranks still run {mpi_ranks.LIMIT} s after the cable was cut")
    took = time.monotonic() - start
    # mpirun may wait for its daemon on the other side for as long as TCP does.
    for name in machines.names:
        machines.end_processes(name)
    output = process.communicate(timeout=60)[0]
    machines.cable("up")
    if not re.search(r"calque: rank [23] on host2 has not answered", output):
        mpi_ranks.fail(f"expected a line about a rank on host2:\n{output}")
    print(f"ok: the network was cut, all ranks ended within {took:.1f} s")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--mpirun", default="mpirun")
    arguments = parser.parse_args()
    folder = arguments.folder.absolute()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    launcher = mpi_ranks.Launcher(os.path.abspath(arguments.program), arguments.mpirun, folder)
    if os.geteuid() != 0 or not shutil.which("ip") or not launcher.open_mpi:
        sys.exit(SKIPPED)
    if subprocess.run(["unshare", "--uts", "--net", "true"], capture_output=True).returncode != 0:
        sys.exit(SKIPPED)
    (folder / "small.yaml").write_text(mpi_ranks.CONFIG)
    launcher.complete(0, "alone")
    expected = mpi_ranks.digest(folder / "alone")
    with Machines(folder) as machines:
        cut_the_cable(launcher, machines)
        status, output = launcher.finish(machines.on_both(launcher, launcher.train(RUN)))
        if status != 0:
            mpi_ranks.fail(f"after the cut, the run ended with status {status}:\n{output}")
        mpi_ranks.check_bits(launcher, RUN, expected, "two machines, after their network was cut")


if __name__ == "__main__":
    main()
