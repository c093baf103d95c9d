"""Compares gradients with finite differences."""

from __future__ import annotations

from typing import Callable

import numpy as np

from ._native import Tape, Tensor, backward, no_grad, tensor, variable
from .types import TensorLike


class GradientMismatch(AssertionError):
    """The gradient of a function is not its slope."""


def gradcheck(f: Callable[..., Tensor], *inputs: TensorLike, step: float = 0.02, rtol: float = 1e-2,
              atol: float = 2e-3) -> None:
    """Compares the gradient of f with its slope at the inputs, for each number of each input.

    f returns a tensor of any shape; random weights make one number of it. The slope is the
    difference quotient of fourth order over five points, which single precision computes to about
    three digits for inputs and results around 1. Random ops repeat: every call has a tape with the
    same seed. Raises GradientMismatch for the first gradient that is further from the slope than
    atol + rtol * |slope|.
    """
    leaves = [variable(tensor(x, copy=True)) for x in inputs]
    with Tape():
        y = f(*leaves)
        weights = np.random.default_rng(1).normal(size=y.shape)
        backward(y, weights.astype(np.float32))

    def value() -> float:
        with Tape():
            return float(np.sum(f(*[x.detach() for x in leaves]).numpy().astype(np.float64) * weights))

    for number, x in enumerate(leaves):
        values, gradient = x.numpy(), x.grad
        assert gradient is not None
        found = gradient.numpy()
        for index in np.ndindex(*x.shape):
            before = values[index]
            at = {}
            for k in (-2, -1, 1, 2):
                values[index] = before + np.float32(k * step)
                at[k] = value()
            values[index] = before
            slope = (8 * (at[1] - at[-1]) - (at[2] - at[-2])) / (12 * step)
            if not abs(found[index] - slope) <= atol + rtol * abs(slope):  # also for NaN
                raise GradientMismatch(
                    f"input {number}{list(index)}: the gradient is {found[index]:.6g}, "
                    f"but the slope is {slope:.6g}")
