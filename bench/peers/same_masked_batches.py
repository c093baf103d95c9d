#!/usr/bin/env python3
"""Trains PyTorch's own encoder layers as a masked language model on calque's batches: the same initial weights,
the same masked windows in the same updates, the same learning rates.

  calque train bert.yaml --run runs/bert
  build/release/bench/export_batches runs/bert --updates 500 --out exported
  bench/peers/same_masked_batches.py exported --run runs/bert-pytorch
  calque plot runs/bert runs/bert-pytorch --svg curves.svg

The run folder gets the config and a metrics.jsonl like calque's own. Only BERT's shape is supported: post-norm,
gelu, learned positions, tied, with the masked head, trained by adam; others are refused.
"""
import argparse
import json
import math
import pathlib
import shutil
import sys
import time

import torch
import torch.nn.functional as F

from same_batches import config_value, safetensors

KNOWN = {"task": "masked-lm", "norm": "post", "norm_kind": "layer", "activation": "gelu", "positions": "learned",
         "tied": "all", "masked_head": "true", "qk_norm": "false", "optimizer": "adam", "weight_decay": "0", "ema": "0",
         "attention_dropout": "0", "activation_dropout": "0", "precision": "float32", "r_drop": "0",
         "label_smoothing": "0"}


class Model(torch.nn.Module):
    def __init__(self, text, tensors):
        super().__init__()
        d_model = int(config_value(text, "d_model"))
        epsilon, self.dropout = float(config_value(text, "norm_epsilon")), float(config_value(text, "dropout"))
        self.scale = math.sqrt(d_model)
        self.table = torch.nn.Parameter(torch.empty_like(tensors["embedding.weight"]))
        self.positions = torch.nn.Parameter(torch.empty_like(tensors["positions.weight"]))
        self.first_norm = torch.nn.LayerNorm(d_model, epsilon)
        self.layers = torch.nn.ModuleList(
            torch.nn.TransformerEncoderLayer(d_model, int(config_value(text, "heads")), int(config_value(text, "d_ff")),
                                             self.dropout, "gelu", epsilon, batch_first=True)
            for _ in range(int(config_value(text, "layers"))))
        for layer in self.layers:
            layer.dropout.p = layer.self_attn.dropout = 0.0  # off in the feed-forward and on attention weights
        self.dense = torch.nn.Linear(d_model, d_model)
        self.last_norm = torch.nn.LayerNorm(d_model, epsilon)
        self.bias = torch.nn.Parameter(torch.empty_like(tensors["masked.output.bias"]))

    def load(self, tensors):
        """From tensors under calque's names, whose matrices are [in, out]."""
        def linear(module, name):
            module.weight.copy_(tensors.pop(name + ".weight").t())
            module.bias.copy_(tensors.pop(name + ".bias"))

        def norm(module, name):
            module.weight.copy_(tensors.pop(name + ".gain"))
            module.bias.copy_(tensors.pop(name + ".bias"))

        self.table.copy_(tensors.pop("embedding.weight"))
        self.positions.copy_(tensors.pop("positions.weight"))
        self.bias.copy_(tensors.pop("masked.output.bias"))
        norm(self.first_norm, "embedding_norm")
        for i, layer in enumerate(self.layers):
            at, attention = f"layers.{i}.", layer.self_attn
            attention.in_proj_weight.copy_(tensors.pop(at + "self_attention.qkv.weight").t())
            attention.in_proj_bias.copy_(tensors.pop(at + "self_attention.qkv.bias"))
            linear(attention.out_proj, at + "self_attention.output")
            linear(layer.linear1, at + "feed_forward.inner")
            linear(layer.linear2, at + "feed_forward.outer")
            norm(layer.norm1, at + "self_attention_norm")
            norm(layer.norm2, at + "feed_forward_norm")
        linear(self.dense, "masked.dense")
        norm(self.last_norm, "masked.norm")
        if tensors:
            sys.exit(f"same_masked_batches: unknown weights: {', '.join(tensors)}")

    def sums(self, windows):
        """The summed loss of the chosen tokens, their number, and how many of them are predicted correctly."""
        pad = lambda column, fill: torch.nn.utils.rnn.pad_sequence(
            [torch.tensor(window[column]) for window in windows], batch_first=True, padding_value=fill)
        ids, expected = pad(0, 0), pad(1, -1)
        lengths = torch.tensor([len(window[0]) for window in windows])
        padding = torch.arange(ids.shape[1]) >= lengths[:, None]
        x = self.first_norm(F.embedding(ids, self.table) * self.scale + self.positions[: ids.shape[1]])
        x = F.dropout(x, self.dropout, self.training)
        for layer in self.layers:
            x = layer(x, src_key_padding_mask=padding)
        chosen = expected >= 0
        x = self.last_norm(F.gelu(self.dense(x[chosen])))
        logits, expected = F.linear(x, self.table, self.bias), expected[chosen]
        right = int((logits.argmax(-1) == expected).sum())
        return F.cross_entropy(logits, expected, reduction="sum"), len(expected), right


def validate(model, windows):
    model.eval()
    total = torch.zeros(3, dtype=torch.double)
    with torch.no_grad():
        for first in range(0, len(windows), 64):
            total += torch.tensor([float(part) for part in model.sums(windows[first : first + 64])])
    model.train()
    return float(total[0] / total[1]), float(total[2] / total[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("exported", type=pathlib.Path, help="what bench/export_batches wrote")
    parser.add_argument("--run", type=pathlib.Path, required=True, help="folder for config.yaml and metrics.jsonl")
    parser.add_argument("--every", type=int, default=50, help="updates between two records of each kind")
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    text = (options.exported / "config.yaml").read_text()
    for key, value in KNOWN.items():
        if f"{key}: " in text and config_value(text, key) != value:  # the config has only the keys of its task
            sys.exit(f"same_masked_batches: {key} is {config_value(text, key)}, but only {value} is supported")
    tensors = safetensors(options.exported / "initial.safetensors")
    torch.manual_seed(1)
    model = Model(text, tensors)
    with torch.no_grad():
        model.load(tensors)
    betas = tuple(map(float, config_value(text, "betas").strip("[]").split(",")))
    adam = torch.optim.Adam(model.parameters(), betas=betas, eps=float(config_value(text, "epsilon")))
    clip = float(config_value(text, "clip_norm")) or math.inf
    held_out = [json.loads(line) for line in open(options.exported / "validation.jsonl")]
    options.run.mkdir(parents=True, exist_ok=True)
    shutil.copy(options.exported / "config.yaml", options.run / "config.yaml")
    metrics, begin, interval = open(options.run / "metrics.jsonl", "w"), time.time(), []

    def write(kind, loss, **more):
        record = {"kind": kind, "step": step, "epoch": 0, "loss": loss, "nll": loss, "ppl": math.exp(loss), **more,
                  "timing": {"seconds": time.time() - begin}}
        print(json.dumps(record), file=metrics, flush=True)
        print(f"{kind} {step:6} loss {loss:.4f} ppl {math.exp(loss):.2f}", flush=True)

    for step, line in enumerate(open(options.exported / "updates.jsonl"), 1):
        update = json.loads(line)
        for group in adam.param_groups:
            group["lr"] = update["rate"]
        adam.zero_grad()
        loss, tokens, _ = model.sums(update["windows"])
        (loss / tokens).backward()
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), clip)
        adam.step()
        interval.append((float(loss.detach()), tokens))
        if step % options.every == 0:
            loss, tokens = (sum(part) for part in zip(*interval))
            write("train", loss / tokens, lr=update["rate"], grad_norm=float(norm))
            loss, accuracy = validate(model, held_out)
            write("valid", loss, accuracy=accuracy)
            interval = []


if __name__ == "__main__":
    main()
