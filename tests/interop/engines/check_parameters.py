#!/usr/bin/env python3
"""Compares the parameters in an export with those of the run's checkpoint, bit by bit.

    check_parameters.py CALQUE RUN EXPORT
"""
import os
import sys

import numpy
import safetensors
from safetensors.numpy import load_file

from interop_run import report


def main(_, run, export):
    meant = load_file(f"{run}/best/model.safetensors")
    if os.path.exists(f"{export}/model.npz"):
        format, engine = "numpy", f"numpy {numpy.__version__}"
        read = dict(numpy.load(f"{export}/model.npz"))
    else:
        format, engine = "safetensors", f"safetensors {safetensors.__version__}"
        read = load_file(f"{export}/model.safetensors")
    same = sum(name in read and read[name].shape == value.shape
               and read[name].tobytes() == value.tobytes() for name, value in meant.items())
    return report(format, engine, f"{os.path.basename(run)}: parameters", len(meant),
                  same if len(read) == len(meant) else 0)


if __name__ == "__main__":
    sys.exit(0 if main(*sys.argv[1:]) else 1)
