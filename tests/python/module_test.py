"""The package as a whole."""

import subprocess
import sys

import pytest

import calque


def test_the_version_is_that_of_the_program(program):
    assert program("--version").split()[1] == calque.__version__


def test_import_loads_neither_numpy_nor_the_parts_that_are_not_used():
    code = "import sys, calque; print(sorted(m for m in sys.modules if m.split('.')[0] in " \
           "('numpy', 'pandas', 'tqdm')), 'calque.translator' in sys.modules)"
    words = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert words.stdout == "[] False\n"


def test_every_public_name_exists_and_is_documented():
    for name in dir(calque):
        value = getattr(calque, name)
        if callable(value) or name == "core":
            assert value.__doc__, name


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'transalte'"):
        calque.transalte
