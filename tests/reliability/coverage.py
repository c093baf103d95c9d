#!/usr/bin/env python3
"""Reports how many lines of each layer the tests executed.

Requires a build with the preset coverage in which the tests have run.

  coverage.py build/coverage [--missed] [--least 95]

Layers that are not in LAYERS are left out. --missed lists the lines that were not executed. A line
counts once, however many files it was compiled into (templates and inline functions). The exit
status is 1 if the share of a layer is below --least.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys

LAYERS = ["core", "nn", "optim", "data", "decode", "train"]
ROOT = pathlib.Path(__file__).resolve().parents[2]


def lines_of(counts):
    """The (file, line, times executed) of all lines that one .gcda file counts."""
    command = ["gcov", "--json-format", "--stdout", str(counts)]
    report = subprocess.run(command, cwd=counts.parent, capture_output=True, text=True, check=True).stdout
    found = []
    for text in report.splitlines():
        document = json.loads(text)
        for file in document["files"]:
            path = os.path.normpath(os.path.join(document["current_working_directory"], file["file"]))
            found += [(path, line["line_number"], line["count"]) for line in file["lines"]]
    return found


def ranges(numbers):
    """1, 2, 3, 7 -> 1-3, 7"""
    groups = []
    for number in sorted(numbers):
        if groups and groups[-1][1] == number - 1:
            groups[-1][1] = number
        else:
            groups.append([number, number])
    return ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in groups)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--missed", action="store_true")
    parser.add_argument("--least", type=float, default=95, help="per cent")
    options = parser.parse_args()
    count_files = sorted(options.build.resolve().rglob("*.gcda"))
    if not count_files:
        sys.exit(f"{options.build}: no .gcda files; run its tests first")
    executed = collections.defaultdict(lambda: collections.defaultdict(int))
    with concurrent.futures.ThreadPoolExecutor() as pool:
        for found in pool.map(lines_of, count_files):
            for path, line, times in found:
                executed[path][line] += times
    enough = True
    for layer in LAYERS:
        files = {path: lines for path, lines in executed.items() if path.startswith(f"{ROOT}/{layer}/")}
        total = sum(len(lines) for lines in files.values())
        hit = sum(times > 0 for lines in files.values() for times in lines.values())
        share = 100 * hit / total if total else 0
        enough = enough and share >= options.least
        print(f"{layer:8}{hit:7} of{total:7} lines {share:6.1f}%")
        for path in sorted(files) if options.missed else []:
            missed = [line for line, times in files[path].items() if times == 0]
            if missed:
                print(f"    {os.path.relpath(path, ROOT)}: {ranges(missed)}")
    sys.exit(0 if enough else 1)


if __name__ == "__main__":
    main()
