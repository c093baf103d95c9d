#!/usr/bin/env python3
"""Plants small mistakes (mutants) in the code and reports the share that the tests catch.

  mutants.py [--seed 1] [--count 300] [--source .] [--work build/mutants] [--report FILE]

One build in a copy of the tree holds all mutants; the environment variable CALQUE_MUTANT switches one
of them on. A first run of each test case records which mutants the case reaches. For each mutant run the
cases that reach it, those of its own layer and the fast ones first, until one fails, crashes or hangs.
All cases of a mutant together get --budget seconds of processor time, a single case a third of that.

A mutant is chosen by a hash of the seed, its kind and the text of its line, so the same code has the same
mutants after files move. Left out: constants that the compiler needs, generated tables, lines that only
change speed (PERFORMANCE), and headers, where each mutant would compile every unit again. An interrupted
run continues. --report writes all mutants as JSON.
"""
import argparse
import bisect
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import xml.etree.ElementTree

from mutant_candidates import candidates, plant

LAYERS = ["core", "nn", "optim", "data", "decode", "train", "serve"]
TESTED = LAYERS[:2] + ["optim", "ranks"] + LAYERS[3:] + ["interop", "cli"]
SPARE = 1.2  # planted per wanted mutant, because some do not compile

HEADER = """#pragma once
#include <type_traits>
extern int calque_mutant_chosen;
extern unsigned char* calque_mutants_reached;
// 1 if mutant `id` is switched on, otherwise 0.
constexpr int calque_mutant(int id) {
  if (std::is_constant_evaluated()) return 0;
  if (calque_mutants_reached) calque_mutants_reached[id] = 1;
  return calque_mutant_chosen == id;
}
constexpr int calque_sign(int id) { return 1 - 2 * calque_mutant(id); }
"""
WARNINGS = ["conversion", "float-conversion", "arith-conversion", "sign-compare", "parentheses", "int-in-bool-context",
            "bool-compare", "bool-operation", "dangling-else", "unused", "unused-value", "type-limits", "extra",
            "misleading-indentation", "maybe-uninitialized", "empty-body", "return-type", "narrowing", "shadow"]
IGNORED = "".join(f'#pragma GCC diagnostic ignored "-W{name}"\n' for name in WARNINGS)
DEFINITIONS = """
#include <fcntl.h>
#include <sys/mman.h>
#include <cstdlib>
int calque_mutant_chosen = 0;
unsigned char* calque_mutants_reached = nullptr;
[[gnu::constructor(101)]] void calque_start_mutants() {
  if (const char* chosen = std::getenv("CALQUE_MUTANT")) calque_mutant_chosen = std::atoi(chosen);
  if (const char* path = std::getenv("CALQUE_MUTANTS_REACHED")) {
    void* map = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, open(path, O_RDWR), 0);
    if (map != MAP_FAILED) calque_mutants_reached = static_cast<unsigned char*>(map);
  }
}
"""


def say(text):
    print(time.strftime("%H:%M:%S"), text, flush=True)


class Tree:
    """The copy with the mutants, and its build."""

    def __init__(self, options):
        self.original = options.source.resolve()
        self.source = options.work.resolve()
        self.build = self.source / "build" / "dev"  # as in a usual tree, so that ccache finds what is not mutated
        self.jobs = options.jobs
        listed = subprocess.run(["git", "ls-files"], cwd=self.original, capture_output=True, text=True, check=True)
        self.files = [name for name in listed.stdout.splitlines() if (self.original / name).is_file()]
        self.code = sorted(name for name in self.files
                           if name.split("/")[0] in LAYERS and name.endswith(".cpp"))

    def write(self, mutants):
        """Writes the files that change, so that a later build compiles only those."""
        planted, contents = {}, hashlib.sha256()
        for mutant in mutants:
            planted.setdefault(mutant["file"], []).append(mutant)
        header = self.source / "calque_mutant.h"
        for name in self.files:
            content = (self.original / name).read_bytes()
            if name in planted:
                text = plant(content.decode(), planted[name])
                content = f'#include "{header}"\n{IGNORED}#line 1\n{text}'.encode()
            if name == "core/error.cpp":
                content += f'#include "{header}"\n{DEFINITIONS}'.encode()
            self.update(self.source / name, content)
            contents.update(content)
        self.update(header, HEADER.encode())
        self.fingerprint = contents.hexdigest()
        known = {str(self.source / name) for name in [*self.files, "calque_mutant.h"]}
        for path in [path for path in self.source.rglob("*") if path.is_file() and self.build not in path.parents]:
            if str(path) not in known:
                path.unlink()

    @staticmethod
    def update(path, content):
        if path.is_file() and path.read_bytes() == content:
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)

    def configure(self):
        subprocess.run(["cmake", "-S", self.source, "-B", self.build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug",
                        "-DCMAKE_CXX_FLAGS_DEBUG=-O1", "-DCALQUE_EXAMPLES=OFF", "-DCALQUE_TEST_UNITS=ON",
                        "-DCALQUE_TESTED_LAYERS=" + ";".join(TESTED)],
                       check=True, stdout=subprocess.DEVNULL)

    def mutants_of(self, output, mutants):
        """Those at the lines of the compiler's errors, or else at any line that it mentions."""
        for pattern in [r"^(\S+?):(\d+)(?::\d+)?: (?:fatal )?error:", r"(?:^|from )(\S+?):(\d+)[:,]"]:
            places = set()
            for path, line in re.findall(pattern, output, re.MULTILINE):
                real = os.path.realpath(self.build / path)
                places.add((os.path.relpath(real, self.source), int(line)))
            found = [mutant for mutant in mutants
                     if any((mutant["file"], line) in places for line in range(mutant["line"], mutant["last"] + 1))]
            if found:
                return found
        return []

    def compile(self, mutants):
        """Returns the mutants that compile."""
        self.write(mutants)
        self.configure()
        while refused := self.build_all(mutants):
            for mutant in refused:
                say(f"does not compile: {mutant['file']}:{mutant['line']}: {mutant['change']}")
            mutants = [mutant for mutant in mutants if mutant not in refused]
            self.write(mutants)
        return mutants

    def build_all(self, mutants, targets=("calque_tests",)):
        command = ["cmake", "--build", self.build, "-j", str(self.jobs), "--target", *targets, "--", "-k", "0"]
        ran = subprocess.run(command, capture_output=True, text=True)
        if ran.returncode == 0:
            return []
        refused = self.mutants_of(ran.stdout + ran.stderr, mutants)
        if not refused:
            sys.exit(ran.stdout[-20000:] + "\nmutants.py: the copy does not compile, for another reason than a mutant")
        return refused


class Tests:
    """The test cases of all doctest programs."""

    def __init__(self, build, folder):
        self.folder = folder
        self.cases = []  # (program, case)
        for program in sorted(build.glob("tests/*/test_*")):
            if program.is_file() and os.access(program, os.X_OK):
                command = [program, "--list-test-cases", "--reporters=xml"]
                listed = subprocess.run(command, capture_output=True, check=True)
                names = [case.get("name") for case in xml.etree.ElementTree.fromstring(listed.stdout).iter("TestCase")]
                self.cases += [(program, name) for name in dict.fromkeys(names)]

    def run(self, program, names, seconds, wall, **settings):
        """Returns whether the cases pass, their output and the processor time that they took."""
        own = tempfile.mkdtemp(dir=self.folder)
        filters = ",".join(re.sub(r"([,\\])", r"\\\1", name) for name in names)
        limited = ["sh", "-c", f'ulimit -t {int(seconds) + 1}; ulimit -c 0; exec "$@"', "sh"]
        with open(own + ".out", "w+", errors="replace") as output:
            started = subprocess.Popen([*limited, program, f"--test-case={filters}", "--abort-after=1"],
                                       cwd=own, env={**os.environ, **settings, "TMPDIR": own},
                                       stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True)
            timer = threading.Timer(wall, os.killpg, (started.pid, signal.SIGKILL))
            timer.start()
            _, status, usage = os.wait4(started.pid, 0)
            timer.cancel()
            started.returncode = status
            try:
                os.killpg(started.pid, signal.SIGKILL)  # what the case left running
            except ProcessLookupError:
                pass
            output.seek(0)
            text = output.read()
        os.unlink(own + ".out")
        shutil.rmtree(own, ignore_errors=True)
        return status == 0, text, usage.ru_utime + usage.ru_stime

    def record(self, jobs, ids, longest, notes):
        """The mutants that each case reaches, and the case's time. Left out: cases that fail or take too long."""
        def one(place):
            program, name = self.cases[place]
            if known := notes.get(f"{program.name}: {name}"):
                return known
            with tempfile.NamedTemporaryFile(dir=self.folder) as reached:
                reached.truncate(4096)
                passed, text, seconds = self.run(program, [name], longest, 60 * longest,
                                                 CALQUE_MUTANTS_REACHED=reached.name)
                content = pathlib.Path(reached.name).read_bytes()
            if not passed:
                say(f"left out after {seconds:.0f} s: {program.name}: {name}\n{text[-600:]}")
            return notes.put(f"{program.name}: {name}", {"program": str(program), "name": name, "seconds": seconds,
                             "passed": passed, "ids": [i for i in ids if content[i]]})

        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            return [case for case in pool.map(one, range(len(self.cases))) if case["passed"]]

    def judge(self, mutant, recorded, budget):
        """Whether a case catches the mutant, and how far the search went."""
        own = "test_" + mutant["file"].split("/")[0]
        cases = [case for case in recorded if mutant["id"] in case["ids"]]
        cases.sort(key=lambda case: (pathlib.Path(case["program"]).name != own, case["seconds"]))
        sums, total = [], 0.0
        for case in cases:
            total += case["seconds"]
            sums.append(total)
        affordable = max(1, bisect.bisect(sums, budget))
        done, size = 0, 4
        while done < min(affordable, len(cases)):
            group = cases[done:min(done + size, affordable)]
            for program in sorted({case["program"] for case in group}):
                own_cases = [case for case in group if case["program"] == program]
                normal = sum(case["seconds"] for case in own_cases)
                passed, text, seconds = self.run(program, [case["name"] for case in own_cases], max(5, 5 * normal),
                                                 max(120, 60 * normal), CALQUE_MUTANT=str(mutant["id"]))
                if not passed:
                    named = re.findall(r"TEST CASE:\s*(.*)", text) or [own_cases[0]["name"]]
                    return {"caught": True, "by": f"{pathlib.Path(program).name}: {named[-1]}"}
            done += len(group)
            size *= 2
        return {"caught": False, "ran": done, "reached_by": len(cases), "out_of_budget": done < len(cases)}


class Notes:
    """What an interrupted run has found out about the same tree with the same mutants."""

    def __init__(self, path, fingerprint):
        self.path = path
        self.lock = threading.Lock()
        self.known = {}
        lines = path.read_text().splitlines() if path.is_file() else []
        if lines and lines[0] == fingerprint:
            self.known = dict(json.loads(line) for line in lines[1:])
        else:
            path.write_text(fingerprint + "\n")

    def get(self, key):
        return self.known.get(key)

    def put(self, key, value):
        with self.lock, open(self.path, "a") as file:
            file.write(json.dumps([key, value]) + "\n")
        return value


def report(results, wanted, path):
    caught = sum(result["caught"] for result in results)
    survivors = [result for result in results if not result["caught"]]
    for result in sorted(survivors, key=lambda result: (result["file"], result["line"])):
        ran = f"passes {result['ran']} of {result['reached_by']} cases" if result["reached_by"] else "no case reaches it"
        print(f"{result['file']}:{result['line']}: {result['change']}    [{ran}]\n    {result['text']}")
    print(f"{caught} of {len(results)} mutants caught ({100 * caught / max(1, len(results)):.1f}%), "
          f"{len(survivors)} survive: {sum(result['reached_by'] == 0 for result in survivors)} are reached by no case, "
          f"{sum(result['out_of_budget'] for result in survivors)} ran out of their budget")
    if path:
        path.write_text(json.dumps({"wanted": wanted, "caught": caught, "mutants": results}, indent=1))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--source", type=pathlib.Path, default=pathlib.Path("."))
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("build/mutants"))
    parser.add_argument("--budget", type=float, default=60, help="seconds of processor time per mutant")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--report", type=pathlib.Path)
    options = parser.parse_args()
    os.nice(10)
    os.environ["OMP_WAIT_POLICY"] = "passive"

    tree = Tree(options)
    texts = {name: (tree.original / name).read_text() for name in tree.code}
    mutants = []
    for mutant in candidates(texts, options.seed):
        near = (m for m in mutants if m["file"] == mutant["file"])  # at most one mutant per line
        if all(m["last"] < mutant["line"] or mutant["last"] < m["line"] for m in near):
            mutants.append({**mutant, "id": len(mutants) + 1})
        if len(mutants) >= SPARE * options.count:
            break
    say(f"{len(mutants)} mutants planted")
    mutants = tree.compile(mutants)[:options.count]
    say(f"{len(mutants)} mutants compiled")

    notes = Notes(tree.build / "mutants.jsonl", tree.fingerprint)
    with tempfile.TemporaryDirectory() as folder:
        tests = Tests(tree.build, folder)
        recorded = tests.record(options.jobs, [mutant["id"] for mutant in mutants], options.budget / 3, notes)
        say(f"{len(recorded)} test cases, {sum(case['seconds'] for case in recorded):.0f} s")

        def judge(mutant):
            key = mutant["hash"]
            judged = notes.get(key) or notes.put(key, tests.judge(mutant, recorded, options.budget))
            say(f"{'caught' if judged['caught'] else 'SURVIVES'} {mutant['file']}:{mutant['line']}: {mutant['change']}"
                + (f"    {judged['by']}" if judged["caught"] else ""))
            return {**mutant, **judged}

        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            results = list(pool.map(judge, mutants))
    report(results, options.count, options.report)


if __name__ == "__main__":
    main()
