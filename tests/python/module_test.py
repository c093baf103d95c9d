"""The package as a whole."""

import calque


def test_the_version_is_that_of_the_program():
    import os
    import subprocess

    words = subprocess.run([os.environ["CALQUE_PROGRAM"], "--version"], capture_output=True, text=True)
    assert words.stdout.split()[1].rstrip(",;") == calque.__version__
