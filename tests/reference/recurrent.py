#!/usr/bin/env python3
"""Records PyTorch's results of the recurrent translator for tests/nn/recurrent_test.cpp.

  python3 tests/reference/recurrent.py      (needs torch >= 1.12 and numpy; takes a second)

Writes tests/reference/recurrent/CELL-SCORE.safetensors: a batch, weights, the encoder's output, the logits, the
loss with label smoothing 0.1 and the gradients of its sum. PyTorch reads one sentence at a time with its own cells,
in double. Names and shapes are calque's.
"""
import pathlib

import numpy as np
import torch

from transformer import write

D_MODEL, HIDDEN, VOCABULARY, SMOOTHING = 6, 5, 11, 0.1
CASES = {("gru", "additive"): 1, ("gru", "none"): 1, ("lstm", "dot"): 1, ("lstm", "general"): 2}
SOURCES, TARGETS = (3, 1, 6, 3), (2, 5, 4, 1)


class Weights(dict):
    """Draws a parameter when its name is first used."""

    def get(self, name, *shape):
        if name not in self:
            self[name] = (0.5 * torch.randn(*shape)).float().double().requires_grad_()
        return self[name]

    def linear(self, name, x, out):
        return x @ self.get(name + ".weight", x.shape[-1], out) + self.get(name + ".bias", out)


def step(w, cell, name, state, products):
    """A step of PyTorch's cell. `products` is the projected input; an identity as input weights keeps it."""
    gates = products.shape[-1]
    u, b = w.get(f"{name}.cell.weight", HIDDEN, gates), w.get(f"{name}.cell.bias", gates)
    one, no_bias = torch.eye(gates), torch.zeros(gates)
    if cell == "gru":
        return torch.gru_cell(products[None], state[None], one, u.T, no_bias, b)[0]
    hidden, memory = state[None, :HIDDEN], state[None, HIDDEN:]
    return torch.cat(torch.lstm_cell(products[None], (hidden, memory), one, u.T, no_bias, b), 1)[0]


def one_direction(w, cell, name, x, gates, size):
    state, states = torch.zeros(size), []
    for products in w.linear(f"{name}.input", x, gates):
        state = step(w, cell, name, state, products)
        states.append(state[:HIDDEN])
    return torch.stack(states)


def encode(w, cell, layers, ids, gates, size):
    x = w.get("embedding.weight", VOCABULARY, D_MODEL)[ids] * D_MODEL ** 0.5
    for i in range(layers):
        forward = one_direction(w, cell, f"encoder.layers.{i}.forward", x, gates, size)
        backward = one_direction(w, cell, f"encoder.layers.{i}.backward", x.flip(0), gates, size).flip(0)
        x = torch.cat([forward, backward], 1)
    return x


def context_of(w, score, hidden, h, last):
    if score == "none":
        return last
    if score == "dot":
        scores = (h[:, :HIDDEN] + h[:, HIDDEN:]) @ hidden
    else:
        keys = h @ w.get("decoder.key", 2 * HIDDEN, HIDDEN)
        if score == "general":
            scores = keys @ hidden
        else:
            keys = keys + w.get("decoder.key_bias", HIDDEN)
            query = hidden @ w.get("decoder.query", HIDDEN, HIDDEN)
            scores = torch.tanh(keys + query) @ w.get("decoder.additive", HIDDEN)
    return scores.softmax(0) @ h


def decode(w, cell, score, ids, h, gates, size):
    last = torch.cat([h[-1, :HIDDEN], h[0, HIDDEN:]])
    state, rows = torch.tanh(w.linear("decoder.first_state", last, size)), []
    for token in ids:
        embedded = w.get("embedding.weight", VOCABULARY, D_MODEL)[token] * D_MODEL ** 0.5
        context = context_of(w, score, state[:HIDDEN], h, last)
        products = w.linear("decoder.input", embedded, gates) + context @ w.get("decoder.context", 2 * HIDDEN, gates)
        state = step(w, cell, "decoder", state, products)
        rows.append(torch.tanh(w.linear("decoder.readout", torch.cat([state[:HIDDEN], context, embedded]), D_MODEL)))
    return torch.stack(rows) @ w["embedding.weight"].T


def record(cell, score, layers, seed):
    torch.manual_seed(seed)
    random = np.random.default_rng(seed)
    gates, size = (3 * HIDDEN, HIDDEN) if cell == "gru" else (4 * HIDDEN, 2 * HIDDEN)
    draw = lambda lengths: [torch.tensor(random.integers(0, VOCABULARY, n)) for n in lengths]
    sources, inputs, expected = draw(SOURCES), draw(TARGETS), draw(TARGETS)
    w = Weights()
    memories = [encode(w, cell, layers, ids, gates, size) for ids in sources]
    logits = torch.cat([decode(w, cell, score, ids, h, gates, size) for ids, h in zip(inputs, memories)])
    loss = torch.nn.functional.cross_entropy(logits, torch.cat(expected), label_smoothing=SMOOTHING, reduction="sum")
    loss.backward()
    tensors = {"source": torch.cat(sources).int(), "source_lengths": np.array(SOURCES),
               "input": torch.cat(inputs).int(), "expected": torch.cat(expected).int(),
               "target_lengths": np.array(TARGETS), "memory": torch.cat(memories), "logits": logits, "loss": loss}
    for name, weight in w.items():
        tensors |= {f"initial.{name}": weight, f"gradient.{name}": weight.grad}
    folder = pathlib.Path(__file__).parent / "recurrent"
    folder.mkdir(exist_ok=True)
    write(folder / f"{cell}-{score}.safetensors", tensors)
    print(f"{cell} {score}: loss {loss.item():.4f}, {sum(x.numel() for x in w.values())} parameters")


def main():
    torch.set_default_dtype(torch.float64)
    for seed, ((cell, score), layers) in enumerate(CASES.items(), start=400):
        record(cell, score, layers, seed)


if __name__ == "__main__":
    main()
