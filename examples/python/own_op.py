"""An op in Python with its gradient, checked, and the graph of a loss that uses it.

    python own_op.py [GRAPH.svg]
"""

from __future__ import annotations

import sys
from typing import Any, Callable, Tuple

import numpy as np
from numpy.typing import NDArray

from calque.core import Tape, draw, gradcheck, mean, op, square, variable
from calque.core import softmax as softmax_of_calque

Floats = NDArray[np.float32]
Backward = Callable[[Floats], Any]


@op
def softmax(x: Floats) -> Tuple[Floats, Backward]:
    e = np.exp(x - x.max(-1, keepdims=True))
    y = e / e.sum(-1, keepdims=True)
    return y, lambda dy: y * (dy - (dy * y).sum(-1, keepdims=True))


def main() -> None:
    x = np.random.default_rng(1).normal(size=(4, 5)).astype(np.float32)
    assert np.allclose(softmax(x).numpy(), softmax_of_calque(x).numpy(), atol=1e-6)
    gradcheck(softmax, x)

    w = variable(np.ones((5, 5), np.float32))
    with Tape():
        loss = mean(square(softmax(x @ w) - softmax_of_calque(x)))
        loss.backward()
    if len(sys.argv) > 1:
        draw(loss, {"w": w}).save(sys.argv[1])


if __name__ == "__main__":
    main()
