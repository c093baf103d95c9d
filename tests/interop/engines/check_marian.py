#!/usr/bin/env python3
"""Compares an exported translator with Marian itself: translations, greedy and with beam 5, and
log-probabilities of given translations.

    check_marian.py CALQUE RUN EXPORT SOURCE TARGET [SENTENCES [scores]]

Alternatively, EXPORT is the folder of a model that Marian has trained, and RUN is its import. With scores, only
log-probabilities are compared: Marian's decoder computes pre-norm models differently in translation.
"""
import glob
import os
import subprocess
import sys
import tempfile
from importlib.metadata import version

import yaml

from interop_run import Calque, read_lines, report, report_tokens

compared = 1000  # characters of a translation; one that repeats itself may not end


def marian(command, *arguments):
    """The output of a command of Marian, whose program is in the folder of Python."""
    program = os.path.join(os.path.dirname(sys.executable), "pymarian")
    return subprocess.run([program, command, "--quiet", "--cpu-threads", "1", *arguments],
                          check=True, stdout=subprocess.PIPE, encoding="utf-8").stdout.splitlines()


def main(program, run, export, source, target, sentences="1000", what="all"):
    calque = Calque(program, run)
    engine, name = f"pymarian {version('pymarian')}", os.path.basename(run)
    model, = (path for path in glob.glob(f"{export}/*.npz") if not path.endswith(".optimizer.npz"))
    decoder = f"{model}.decoder.yml"
    with open(decoder, encoding="utf-8") as file:
        vocabularies = [os.path.join(export, os.path.basename(path))
                        for path in yaml.safe_load(file)["vocabs"]]
    count = int(sentences)
    lines, targets = read_lines(source, count), read_lines(target, count)
    passed = True
    with tempfile.TemporaryDirectory() as place:
        for side, text in ("source", lines), ("target", targets):
            with open(f"{place}/{side}", "w", encoding="utf-8") as file:
                file.writelines(line + "\n" for line in text)
        for beam in () if what == "scores" else (1, 5):
            theirs = marian("decode", "-c", decoder, "-i", f"{place}/source", "--beam-size",
                            str(beam), "--normalize", "1", "--allow-unk", "--allow-special",
                            "--max-length-factor", "1000", "--mini-batch", "16")
            search = "greedy" if beam == 1 else f"beam {beam}"
            ours = calque.translate(lines, beam, stop="narrow", limit=1000)
            passed &= report_tokens("marian", engine, f"{name}: {search}",
                                    [line[:compared] for line in ours],
                                    [line[:compared] for line in theirs])
        scores = marian("score", "-m", model, "-v", *vocabularies, "-t", f"{place}/source",
                        f"{place}/target", "--mini-batch", "16", "--max-length", "1000")
        ours = calque.score(f"{place}/source", f"{place}/target")
    largest = max(abs(a - float(b)) / n for (a, n), b in zip(ours, scores, strict=True))
    return passed & report("marian", engine, f"{name}: log-probability per token", len(lines),
                           len(scores), largest, 1e-4)


if __name__ == "__main__":
    sys.exit(0 if main(*sys.argv[1:]) else 1)
