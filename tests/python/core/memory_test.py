"""Calls leave nothing behind."""

import gc
import resource

import calque.core as c
import numpy as np
import pytest


def growth(call, times):
    """The bytes by which the process has grown after the calls, measured after as many to warm up."""
    def resident():
        gc.collect()
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * resource.getpagesize()

    for _ in range(times // 10):
        call()
    before = resident()
    for _ in range(times):
        call()
    return resident() - before


def step():
    w = c.variable(ARRAY)
    with c.Tape():
        c.mean(c.square(cube(c.tensor(ARRAY) @ w[0:8]) - [[1.0] * 8] * 8)).backward()
    return w.grad


@c.op
def cube(x):
    return x**3, lambda dy: 3 * x**2 * dy


def refused():
    with pytest.raises(ValueError):
        c.matmul(ARRAY, ARRAY[:3])
    with pytest.raises(TypeError):
        c.tensor(None)


ARRAY = np.ones((8, 8), np.float32)
TABLE = np.ones((5, 4), np.float32)


@pytest.mark.parametrize("times, call", [
    (100_000, lambda: c.relu(ARRAY)),
    (100_000, lambda: np.asarray(c.tensor(ARRAY) + 1)),
    (100_000, lambda: (np.from_dlpack(c.tensor(ARRAY)), c.from_dlpack(ARRAY))),
    (100_000, lambda: c.embedding(TABLE, [1, 2, 3])),
    (10_000, step),
    (3_000, refused),
], ids=["an op", "a view", "dlpack", "token ids", "a step", "errors"])
def test_memory_does_not_grow(times, call):
    assert growth(call, times) < 1_500_000  # 15 bytes a call
