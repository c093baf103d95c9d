"""A GPT from its parts, without the model of nn/: trains on a text and continues it.

    python gpt.py [TEXT]          # this file, if there is no other
"""

from __future__ import annotations

import sys
from typing import List, Tuple

import numpy as np

from calque.core import (Adam, Embedding, LinearDecay, Linear, Parameters, Path, TokenLoss, Tape, Tensor,
                         cross_entropy, layer_norm, no_grad, self_attention)

CONTEXT, WIDTH, HEADS, LAYERS = 64, 64, 4, 2


class Norm:
    def __init__(self, path: Path) -> None:
        self.gain = path.parameter("gain", WIDTH, initial=1, role="gain")
        self.bias = path.parameter("bias", WIDTH, role="bias")

    def __call__(self, x: Tensor) -> Tensor:
        return layer_norm(x, self.gain, self.bias)


class Block:
    def __init__(self, path: Path) -> None:
        self.norms = Norm(path / "attention_norm"), Norm(path / "network_norm")
        self.qkv, self.out = Linear(path / "qkv", WIDTH, 3 * WIDTH), Linear(path / "out", WIDTH, WIDTH)
        self.inner, self.outer = Linear(path / "inner", WIDTH, 4 * WIDTH), Linear(path / "outer", 4 * WIDTH, WIDTH)

    def __call__(self, x: Tensor, lengths: List[int]) -> Tensor:
        mixed = self_attention(self.qkv(self.norms[0](x)), lengths, heads=HEADS, causal=True)
        x = x + self.out(mixed)
        return x + self.outer(self.inner(self.norms[1](x), "gelu"))


class Gpt:
    def __init__(self, path: Path, vocabulary: int) -> None:
        self.tokens = Embedding(path / "tokens", vocabulary, WIDTH, scaled=False)
        self.positions = Embedding(path / "positions", CONTEXT, WIDTH, scaled=False)
        self.blocks = [Block(path / "blocks" / i) for i in range(LAYERS)]
        self.norm, self.output = Norm(path / "norm"), Linear(path / "output", WIDTH, vocabulary)

    def __call__(self, ids: List[int], lengths: List[int]) -> Tensor:
        x = self.tokens(ids) + self.positions([p for length in lengths for p in range(length)])
        for block in self.blocks:
            x = block(x, lengths)
        return self.output(self.norm(x))


def train(text: str, steps: int = 200, batch: int = 8) -> Tuple[Gpt, List[str], float]:
    letters, random = sorted(set(text)), np.random.default_rng(1)
    data = [letters.index(c) for c in text]
    parameters = Parameters()
    model = Gpt(parameters / "gpt", len(letters))
    parameters.initialise(seed=1)
    optimizer, rate = Adam(parameters, clip_norm=1), LinearDecay(peak=3e-3, warmup_steps=20, total_steps=steps)
    loss: TokenLoss
    for step in range(1, steps + 1):
        starts = random.integers(0, len(data) - CONTEXT, batch)
        with Tape(step=step):
            parameters.clear_gradients()
            logits = model([i for s in starts for i in data[s:s + CONTEXT]], [CONTEXT] * batch)
            loss = cross_entropy(logits, [i for s in starts for i in data[s + 1:s + CONTEXT + 1]], 0)
            loss.loss.backward()
        optimizer.update(rate(step), 1 / loss.tokens)
        if step % 50 == 0:
            print(f"step {step}: {loss.nll / loss.tokens:.3f} nats per letter", flush=True)
    return model, letters, loss.nll / loss.tokens


def generate(model: Gpt, letters: List[str], text: str, count: int) -> str:
    random = np.random.default_rng(2)
    with no_grad():
        for _ in range(count):
            ids = [letters.index(c) for c in text[-CONTEXT:]]
            logits = model(ids, [len(ids)]).numpy()[-1].astype(np.float64)
            p = np.exp((logits - logits.max()) / 0.8)
            text += letters[random.choice(len(letters), p=p / p.sum())]
    return text


if __name__ == "__main__":
    with open(sys.argv[1] if len(sys.argv) > 1 else __file__, encoding="utf-8") as file:
        text = file.read()
    model, letters, _ = train(text)
    print(generate(model, letters, text[:8], 200))
