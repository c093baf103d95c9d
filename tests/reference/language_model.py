#!/usr/bin/env python3
"""Records PyTorch's results of a decoder-only Transformer for tests/nn/language_model_test.cpp.

  python3 tests/reference/language_model.py      (needs torch >= 1.12 and numpy; takes a second)

Writes two files in tests/reference/language_model/, tied and untied: the weights, a small batch of texts of
different lengths, the logits, the loss and the gradient of every parameter. The model has
embeddings scaled by sqrt(d_model), learned positions, pre-norm layers with causal attention and exact gelu,
and a final norm. PyTorch computes one text at a time, in double. Names and shapes are calque's.
"""
import math
import pathlib

import numpy as np
import torch
import torch.nn.functional as F

from transformer import write

D_MODEL, D_FF, HEADS, LAYERS, VOCABULARY, POSITIONS = 8, 12, 2, 2, 11, 16
SMOOTHING = 0.1
LENGTHS = [5, 1, 8]


class Model(torch.nn.Module):
    def __init__(self, tied):
        super().__init__()
        self.embedding = torch.nn.Embedding(VOCABULARY, D_MODEL)
        self.positions = torch.nn.Embedding(POSITIONS, D_MODEL)
        layer = torch.nn.TransformerEncoderLayer(
            D_MODEL, HEADS, D_FF, dropout=0.0, activation="gelu", batch_first=True, norm_first=True)
        self.stack = torch.nn.TransformerEncoder(layer, LAYERS, torch.nn.LayerNorm(D_MODEL),
                                                 enable_nested_tensor=False)
        self.output = torch.nn.Linear(D_MODEL, VOCABULARY, bias=not tied)
        if tied:
            self.output.weight = self.embedding.weight
        self.tied = tied

    def forward(self, ids):
        length = len(ids)
        x = math.sqrt(D_MODEL) * self.embedding(ids) + self.positions(torch.arange(length))
        causal = torch.ones(length, length, dtype=torch.bool).triu(1)
        return self.output(self.stack(x[None], mask=causal)[0])

    def windows(self):
        """calque's name -> (PyTorch's parameter, whether calque's is its transpose)."""
        found = {"embedding.weight": (self.embedding.weight, False),
                 "positions.weight": (self.positions.weight, False)}

        def linear(name, weight, bias):
            found[name + ".weight"], found[name + ".bias"] = (weight, True), (bias, False)

        def norm(name, module):
            found[name + ".gain"], found[name + ".bias"] = (module.weight, False), (module.bias, False)

        for i, layer in enumerate(self.stack.layers):
            at, attention = f"layers.{i}.", layer.self_attn
            linear(at + "self_attention.qkv", attention.in_proj_weight, attention.in_proj_bias)
            linear(at + "self_attention.output", attention.out_proj.weight, attention.out_proj.bias)
            norm(at + "self_attention_norm", layer.norm1)
            linear(at + "feed_forward.inner", layer.linear1.weight, layer.linear1.bias)
            linear(at + "feed_forward.outer", layer.linear2.weight, layer.linear2.bias)
            norm(at + "feed_forward_norm", layer.norm2)
        norm("norm", self.stack.norm)
        if not self.tied:
            found["output.weight"] = self.output.weight, False
            found["output.bias"] = self.output.bias, False
        return found


def record(tied, seed):
    torch.manual_seed(seed)
    random = np.random.default_rng(seed)
    model = Model(tied)
    with torch.no_grad():
        for parameter in model.parameters():  # no value stays 0 or 1, which would hide mistakes
            parameter.add_(0.2 * torch.randn(parameter.shape)).copy_(parameter.float())
        model.embedding.weight.mul_(0.35).copy_(model.embedding.weight.float())
    windows = model.windows()
    assert len({id(p) for p, _ in windows.values()}) == len(list(model.parameters()))
    see = lambda x, turned: (x.T if turned else x).detach().clone()
    tensors = {"initial." + name: see(p, turned) for name, (p, turned) in windows.items()}
    texts = [torch.tensor(random.integers(0, VOCABULARY, length + 1)) for length in LENGTHS]
    logits = torch.cat([model(text[:-1]) for text in texts])
    expected = torch.cat([text[1:] for text in texts])
    loss = F.cross_entropy(logits, expected, label_smoothing=SMOOTHING, reduction="sum")
    loss.backward()
    tensors |= {"ids": torch.cat([text[:-1] for text in texts]), "expected": expected,
                "lengths": np.array(LENGTHS), "logits": logits, "loss": loss,
                "nll": F.cross_entropy(logits, expected, reduction="sum")}
    tensors |= {"gradient." + name: see(p.grad, turned) for name, (p, turned) in windows.items()}
    folder = pathlib.Path(__file__).parent / "language_model"
    folder.mkdir(exist_ok=True)
    write(folder / f"{'tied' if tied else 'untied'}.safetensors", tensors)
    print("tied" if tied else "untied", f"loss {loss.item():.4f}")


if __name__ == "__main__":
    torch.set_default_dtype(torch.float64)
    torch.set_num_threads(1)
    record(True, seed=200)
    record(False, seed=201)
