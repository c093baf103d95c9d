"""Compares the loss and gradients of torch_transformer.py, whose backward passes are written by hand, with
those of plain PyTorch and its autograd, without dropout."""
import math

import torch
import torch.nn.functional as F
from torch_transformer import PRESETS, Batch, Products, Transformer, Weights, parameter_shapes


def attention(x, memory, w, prefix, heads, mask):
    """Multi-head attention written out for [batch, time, d]."""
    d = x.size(-1)
    if prefix == "self":
        q, k, v = F.linear(x, w["self.qkv"].t(), w["self.qkv_bias"]).view(*x.shape[:2], 3, heads, -1).unbind(2)
    else:
        q = F.linear(x, w["cross.q"].t(), w["cross.q_bias"]).view(*x.shape[:2], heads, -1)
        k, v = F.linear(memory, w["cross.kv"].t(), w["cross.kv_bias"]).view(*memory.shape[:2], 2, heads, -1).unbind(2)
    scores = torch.einsum("bqhd,bkhd->bhqk", q, k) / math.sqrt(d // heads)
    p = scores.masked_fill(~mask, float("-inf")).softmax(-1)
    mixed = torch.einsum("bhqk,bkhd->bqhd", p, v).reshape(x.shape)
    return F.linear(mixed, w[prefix + ".out"].t(), w[prefix + ".out_bias"])


def plain_loss(preset, values, batch, smoothing):
    table, d, heads = values["embedding"], preset.d_model, preset.heads
    part = lambda prefix: {k[len(prefix):]: v for k, v in values.items() if k.startswith(prefix)}
    norm = lambda x, w, name: F.layer_norm(x, (d,), w[name + ".gain"], w[name + ".shift"])
    ff = lambda x, w: F.linear(F.linear(x, w["ff.up"].t(), w["ff.up_bias"]).relu(), w["ff.down"].t(), w["ff.down_bias"])

    def embed(ids):
        angles = torch.arange(ids.size(1))[:, None] / 10000 ** (torch.arange(0, d, 2) / d)
        positions = torch.stack([angles.sin(), angles.cos()], -1).view(ids.size(1), d)
        return F.embedding(ids, table) * math.sqrt(d) + positions

    source, target = batch.source, batch.input
    source_real = batch.source_keys[:, None, None]
    causal = torch.ones(target.size(1), target.size(1), dtype=torch.bool).tril()
    x = embed(source)
    for i in range(preset.encoder_layers):
        w = part(f"encoder.{i}.")
        x = norm(x + attention(x, x, w, "self", heads, source_real), w, "self")
        x = norm(x + ff(x, w), w, "ff")
    memory, x = x, embed(target)
    for i in range(preset.decoder_layers):
        w = part(f"decoder.{i}.")
        x = norm(x + attention(x, x, w, "self", heads, causal), w, "self")
        x = norm(x + attention(x, memory, w, "cross", heads, source_real), w, "cross")
        x = norm(x + ff(x, w), w, "ff")
    hidden = x.reshape(-1, d)[batch.real]
    return F.cross_entropy(hidden @ table.t(), batch.expected, label_smoothing=smoothing, reduction="sum")


def main(options):
    torch.manual_seed(options.seed)
    preset = PRESETS[options.preset].__class__(**{**PRESETS[options.preset].__dict__, "dropout": 0})
    shapes = parameter_shapes(preset, options.vocabulary)
    size = sum(math.prod(shape) for shape in shapes.values())
    flat, gradient = torch.zeros(size), torch.full((size,), float("nan"))
    weights = Weights(shapes, flat, gradient)
    weights.initialise()
    for name, value in weights.values.items():
        if value.dim() == 1:  # so that biases and gains matter
            value.add_(torch.randn(value.shape) * 0.1)
    batch = Batch([(7, 9), (5, 9), (9, 8), (4, 3)] * 20 + [(6, 7)], options.vocabulary, preset.heads,
                  torch.Generator().manual_seed(options.seed))
    scale = 1 / batch.target_tokens
    loss = Transformer(preset, weights, seed=1).step(batch, scale) * scale

    plain = {name: value.clone().requires_grad_() for name, value in weights.values.items()}
    expected = plain_loss(preset, plain, batch, 0.1) * scale
    expected.backward()
    worst, bound = 0.0, 0.1 if Products.rounded else 1e-3  # bfloat16 keeps 8 bits
    for name, value in plain.items():
        error = float((weights.gradients[name] - value.grad).norm() / value.grad.norm().clamp(min=1e-6))
        worst = max(worst, error if error == error else math.inf)
        if not error < bound:
            print(f"{name}: relative error {error:.2e}")
    print(f"loss {loss:.6f}, plain PyTorch {float(expected.detach()):.6f}; worst relative error of a gradient {worst:.1e}")
    raise SystemExit(0 if worst < bound and abs(loss - float(expected.detach())) < bound / 10 else 1)
