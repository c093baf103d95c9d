"""The demo of micrograd: a small network separates two moons.

    python moons.py [PICTURE.svg]

writes the classes that the network assigns in the plane, with the points, and prints the accuracy.
"""

from __future__ import annotations

import sys
from typing import List

import numpy as np
from numpy.typing import NDArray

from calque.core import Linear, Parameters, Path, Sgd, Tape, Tensor, mean, no_grad, relu, sum, tensor

Floats = NDArray[np.float32]


class Mlp:
    """2 -> 16 -> 16 -> 1. A module is any class that is built at a path."""

    def __init__(self, path: Path) -> None:
        self.layers: List[Linear] = [Linear(path / i, n, m) for i, (n, m) in enumerate([(2, 16), (16, 16)])]
        self.score = Linear(path / "score", 16, 1)

    def __call__(self, x: Tensor) -> Tensor:
        for layer in self.layers:
            x = layer(x, "relu")
        return self.score(x)


def moons(count: int) -> tuple[Floats, Floats]:
    """Points of two half circles with noise, and their classes, -1 and 1."""
    random = np.random.default_rng(7)
    angle = random.uniform(0, np.pi, count)
    upper = np.arange(count) % 2 == 0
    x = np.where(upper, np.cos(angle), 1 - np.cos(angle))
    y = np.where(upper, np.sin(angle), 0.5 - np.sin(angle))
    points = np.stack([x, y], 1) + random.normal(0, 0.1, (count, 2))
    return points.astype(np.float32), np.where(upper, 1, -1).astype(np.float32)[:, None]


def train(points: Floats, classes: Floats, steps: int = 200) -> tuple[Mlp, float]:
    parameters = Parameters()
    model = Mlp(parameters / "mlp")
    parameters.initialise(seed=1)
    optimizer = Sgd(parameters, momentum=0.9)
    x, y = tensor(points), tensor(classes)
    accuracy = 0.0
    for step in range(1, steps + 1):
        with Tape():
            parameters.clear_gradients()
            scores = model(x)
            loss = mean(relu(1 - y * scores))  # a margin of 1, as of a support vector machine
            for name in parameters:
                loss = loss + 1e-4 * sum(parameters.tensor(name) ** 2)
            loss.backward()
        optimizer.update(learning_rate=0.1 * (1 - 0.9 * step / steps))
        accuracy = float(np.mean((scores.numpy() > 0) == (classes > 0)))
        if step % 50 == 0:
            print(f"step {step}: loss {loss.item():.4f}, accuracy {accuracy:.1%}")
    return model, accuracy


def draw(model: Mlp, points: Floats, classes: Floats) -> str:
    """The plane as squares in the color of their class, and the points."""
    xs, ys = np.meshgrid(np.linspace(-2, 3, 100), np.linspace(-1.5, 2, 70))
    with no_grad():
        scores = model(tensor(np.stack([xs.ravel(), ys.ravel()], 1).astype(np.float32))).numpy()[:, 0]
    svg = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="-2 -2 5 3.5" width="600" height="420">']
    for x, y, score in zip(xs.ravel(), ys.ravel(), scores):
        svg.append(f'<rect x="{x:.3f}" y="{-y:.3f}" width=".052" height=".052" '
                   f'fill="{"#cfe0f5" if score > 0 else "#f8dccf"}"/>')
    for (x, y), kind in zip(points, classes):
        svg.append(f'<circle cx="{x:.3f}" cy="{-y:.3f}" r=".03" fill="{"#2a5caa" if kind > 0 else "#b8481a"}"/>')
    return "\n".join([*svg, "</svg>", ""])


if __name__ == "__main__":
    points, classes = moons(100)
    model, accuracy = train(points, classes)
    if len(sys.argv) > 1:
        with open(sys.argv[1], "w", encoding="utf-8") as file:
            file.write(draw(model, points, classes))
    sys.exit(accuracy < 0.98)
