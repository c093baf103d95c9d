#!/usr/bin/env python3
"""Records the results of PyTorch's own Transformer layers for tests/nn/parity_test.cpp.

  python3 tests/reference/transformer.py         (needs torch >= 1.12 and numpy; takes a few seconds)

Writes one file per variant in tests/reference/transformer/: the weights, two small batches of sentences of
different lengths, every output of the forward pass, the loss, the gradient of every parameter, and the
losses and weights of ten training steps. PyTorch computes on padded batches, in double. Names and shapes
are calque's.
"""
import itertools
import json
import math
import pathlib
import struct

import numpy as np
import torch
import torch.nn.functional as F

D_MODEL, D_FF, HEADS, LAYERS = 8, 12, 2, 2
SOURCE_VOCABULARY, TARGET_VOCABULARY = 13, 11  # the joint vocabulary of a tied model has the first size
BOS, EOS = 1, 2
SMOOTHING, CLIP, FACTOR, WARMUP, STEPS = 0.1, 0.5, 1.0, 50, 10
LENGTHS = [[(4, 3), (1, 5), (6, 1)], [(2, 2), (5, 4)]]  # (source, target) of the sentences of each batch


def interleaved_sinusoids(length):
    table = torch.zeros(length, D_MODEL)
    for p in range(length):
        for k in range(D_MODEL // 2):
            angle = p / 10000 ** (2 * k / D_MODEL)
            table[p, 2 * k], table[p, 2 * k + 1] = math.sin(angle), math.cos(angle)
    return table


class Model(torch.nn.Module):
    def __init__(self, norm_first, tying, activation):
        super().__init__()
        target = SOURCE_VOCABULARY if tying == "all" else TARGET_VOCABULARY
        settings = dict(d_model=D_MODEL, nhead=HEADS, dim_feedforward=D_FF, dropout=0.0,
                        activation=activation, batch_first=True, norm_first=norm_first)
        final = (lambda: torch.nn.LayerNorm(D_MODEL)) if norm_first else (lambda: None)
        self.source = torch.nn.Embedding(SOURCE_VOCABULARY, D_MODEL)
        self.target = self.source if tying == "all" else torch.nn.Embedding(target, D_MODEL)
        self.encoder = torch.nn.TransformerEncoder(
            torch.nn.TransformerEncoderLayer(**settings), LAYERS, final())
        self.decoder = torch.nn.TransformerDecoder(
            torch.nn.TransformerDecoderLayer(**settings), LAYERS, final())
        self.output = torch.nn.Linear(D_MODEL, target, bias=tying == "none")
        if tying != "none":
            self.output.weight = self.target.weight
        self.tying = tying

    def embed(self, table, ids):
        return math.sqrt(D_MODEL) * table(ids) + interleaved_sinusoids(ids.shape[1])

    def forward(self, source, source_padding, target, target_padding):
        memory = self.encoder(self.embed(self.source, source), src_key_padding_mask=source_padding)
        causal = torch.ones(target.shape[1], target.shape[1], dtype=torch.bool).triu(1)
        hidden = self.decoder(self.embed(self.target, target), memory, tgt_mask=causal,
                              tgt_key_padding_mask=target_padding,
                              memory_key_padding_mask=source_padding)
        return memory, hidden, self.output(hidden)

    def windows(self):
        """calque's name -> (PyTorch's parameter, the view of it that is calque's tensor)."""
        same, turned = (lambda x: x), (lambda x: x.transpose(0, -1))
        queries, keys_values = (lambda x: turned(x[:D_MODEL])), (lambda x: turned(x[D_MODEL:]))
        found = {}

        def linear(name, module):
            found[name + ".weight"] = module.weight, turned
            found[name + ".bias"] = module.bias, same

        def norm(name, module):
            found[name + ".gain"], found[name + ".bias"] = (module.weight, same), (module.bias, same)

        def self_attention(name, module):
            found[name + ".qkv.weight"] = module.in_proj_weight, turned
            found[name + ".qkv.bias"] = module.in_proj_bias, same
            linear(name + ".output", module.out_proj)

        def cross_attention(name, module):
            found[name + ".query.weight"] = module.in_proj_weight, queries
            found[name + ".query.bias"] = module.in_proj_bias, queries
            found[name + ".key_value.weight"] = module.in_proj_weight, keys_values
            found[name + ".key_value.bias"] = module.in_proj_bias, keys_values
            linear(name + ".output", module.out_proj)

        if self.tying == "all":
            found["embedding.weight"] = self.source.weight, same
        else:
            found["source_embedding.weight"] = self.source.weight, same
            found["target_embedding.weight"] = self.target.weight, same
        for side, stack in ("encoder", self.encoder), ("decoder", self.decoder):
            for i, layer in enumerate(stack.layers):
                at = f"{side}.layers.{i}."
                sublayers = ["self_attention", "feed_forward"]
                self_attention(at + "self_attention", layer.self_attn)
                if side == "decoder":
                    sublayers.insert(1, "cross_attention")
                    cross_attention(at + "cross_attention", layer.multihead_attn)
                linear(at + "feed_forward.inner", layer.linear1)
                linear(at + "feed_forward.outer", layer.linear2)
                for number, sublayer in enumerate(sublayers, 1):
                    norm(at + sublayer + "_norm", getattr(layer, f"norm{number}"))
            if stack.norm is not None:
                norm(side + ".norm", stack.norm)
        if self.tying == "none":
            found["output.weight"], found["output.bias"] = (
                (self.output.weight, same), (self.output.bias, same))
        return found


def padded(sentences):
    ids = torch.zeros(len(sentences), max(map(len, sentences)), dtype=torch.long)
    padding = torch.ones_like(ids, dtype=torch.bool)
    for i, sentence in enumerate(sentences):
        ids[i, :len(sentence)] = torch.tensor(sentence)
        padding[i, :len(sentence)] = False
    return ids, padding


class Batch:
    def __init__(self, lengths, target_vocabulary, random):
        sources = [list(random.integers(3, SOURCE_VOCABULARY, s - 1)) + [EOS] for s, _ in lengths]
        targets = [list(random.integers(3, target_vocabulary, t)) for _, t in lengths]
        self.inputs = padded(sources) + padded([[BOS] + target for target in targets])
        self.expected = torch.tensor(sum(([*target, EOS] for target in targets), []))
        self.recorded = {
            "source": sum(sources, []), "source_lengths": list(map(len, sources)),
            "decoder_input": sum(([BOS] + target for target in targets), []),
            "expected": self.expected.tolist(),
            "target_lengths": [len(target) + 1 for target in targets]}

    def loss(self, model):
        memory, hidden, logits = model(*self.inputs)
        memory, real = memory[~self.inputs[1]], ~self.inputs[3]
        hidden, logits = hidden[real], logits[real]
        loss = F.cross_entropy(logits, self.expected, label_smoothing=SMOOTHING, reduction="sum")
        nll = F.cross_entropy(logits, self.expected, reduction="sum")
        correct = (logits.argmax(1) == self.expected).sum()
        return dict(memory=memory, hidden=hidden, logits=logits, loss=loss, nll=nll, correct=correct)


def train(model, batches):
    adam = torch.optim.Adam(model.parameters(), lr=0, betas=(0.9, 0.98), eps=1e-9)
    losses, norms = [], []
    for step in range(1, STEPS + 1):
        batch = batches[step % len(batches)]
        adam.param_groups[0]["lr"] = (
            FACTOR * D_MODEL ** -0.5 * min(step ** -0.5, step * WARMUP ** -1.5))
        adam.zero_grad()
        loss = batch.loss(model)["loss"] / len(batch.expected)
        loss.backward()
        norms.append(torch.nn.utils.clip_grad_norm_(model.parameters(), CLIP))
        adam.step()
        losses.append(loss.item())
    return losses, norms


def write(path, tensors):
    """The safetensors format: a length, a JSON table of names, types, shapes and offsets, the values."""
    table, blobs, offset = {}, [], 0
    for name, tensor in tensors.items():
        array = np.asarray(tensor.detach() if torch.is_tensor(tensor) else tensor)
        kind = "F32" if array.dtype.kind == "f" else "I32"
        blob = np.ascontiguousarray(array, "<f4" if kind == "F32" else "<i4").tobytes()
        table[name] = dict(dtype=kind, shape=list(array.shape),
                           data_offsets=[offset, offset + len(blob)])
        offset += len(blob)
        blobs.append(blob)
    header = json.dumps(table, separators=(",", ":")).encode()
    path.write_bytes(struct.pack("<Q", len(header)) + header + b"".join(blobs))


def record(placement, tying, activation, seed):
    torch.manual_seed(seed)
    random = np.random.default_rng(seed)
    model = Model(placement == "pre", tying, activation)
    with torch.no_grad():
        for parameter in model.parameters():  # no value stays 0 or 1, which would hide mistakes
            if parameter.dim() == 1:
                parameter += 0.2 * torch.randn(parameter.shape)
            parameter.copy_(parameter.float())
        model.source.weight.mul_(0.35).copy_(model.source.weight.float())
        if tying != "all":
            model.target.weight.mul_(0.35).copy_(model.target.weight.float())
    windows = model.windows()
    see = lambda what: {name: view(getattr(parameter, what)).clone()
                        for name, (parameter, view) in windows.items()}
    batches = [Batch(lengths, model.output.out_features, random) for lengths in LENGTHS]
    tensors = {"initial." + name: value for name, value in see("data").items()}
    for i, batch in enumerate(batches):
        tensors |= {f"batch{i}.{name}": np.array(ids) for name, ids in batch.recorded.items()}
    found = batches[0].loss(model)
    tensors |= found
    (found["loss"] / len(batches[0].expected)).backward()
    tensors |= {"gradient." + name: value for name, value in see("grad").items()}
    losses, norms = train(model, batches)
    tensors |= {"steps.loss": np.array(losses), "steps.gradient_norm": np.array(norms)}
    tensors |= {"trained." + name: value for name, value in see("data").items()}
    assert len({id(p) for p, _ in windows.values()}) == len(list(model.parameters()))
    folder = pathlib.Path(__file__).parent / "transformer"
    folder.mkdir(exist_ok=True)
    write(folder / f"{placement}-{tying}-{activation}.safetensors", tensors)
    print(placement, tying, activation, "losses", *(f"{x:.4f}" for x in losses), "norms",
          *(f"{x:.2f}" for x in norms))


if __name__ == "__main__":
    torch.set_default_dtype(torch.float64)
    torch.set_num_threads(1)
    variants = itertools.product(["post", "pre"], ["all", "target", "none"], ["relu", "gelu"])
    for number, variant in enumerate(variants):
        record(*variant, seed=100 + number)
