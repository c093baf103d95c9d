"""The command line: `calque` and `python -m calque`."""

from __future__ import annotations

import os
import shutil
import sys


def main() -> None:
    """Replaces this process by the program calque, with the same arguments."""
    program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "calque")
    if not os.access(program, os.X_OK):  # a build folder, which has no copy of the program
        program = shutil.which("calque") or program
    try:
        os.execv(program, [program, *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"calque: {program}: {error.strerror}; install the package again")


if __name__ == "__main__":
    main()
