"""Gradient descent finds the three coefficients of a parabola: the first program of docs/library.md."""

import numpy as np

from calque.core import Tape, Tensor, mean, square, tensor, variable


def train() -> Tensor:
    # 21 points of the parabola y = 2 t^2 - 3 t + 1. Each row of x is (t^2, t, 1).
    t = (np.arange(21, dtype=np.float32) - 10) / 10
    x = tensor(np.stack([t * t, t, np.ones_like(t)], axis=1))
    y = tensor((2 * t * t - 3 * t + 1)[:, None])
    w = variable(np.zeros((3, 1), np.float32))
    for _ in range(500):
        with Tape():
            mean(square(x @ w - y)).backward()
        assert w.grad is not None
        w.numpy()[:] -= np.float32(0.5) * w.grad.numpy()
        w.clear_grad()
    return w


if __name__ == "__main__":
    a, b, c = train().numpy()[:, 0]
    print(f"{a:.3f} x^2 {b:+.3f} x {c:+.3f}")
