#!/usr/bin/env python3
"""Trains PyTorch's own Transformer layers on calque's batches: the same initial weights, the same sentences
in the same updates, the same recipe. Only the dropout masks differ.

  build/release/bench/export_batches runs/multi30k --updates 1000 --out exported
  bench/peers/same_batches.py exported --run runs/multi30k-pytorch
  calque plot runs/multi30k runs/multi30k-pytorch --svg curves.svg

The run folder gets the config and a metrics.jsonl like calque's own. Only configs like
configs/multi30k.yaml are supported (post-norm, relu, adam, inverse_sqrt or auto, tied: all); others are
refused. With auto, the exported updates are the whole run, and learning_rate must be set.
"""
import argparse
import json
import math
import pathlib
import shutil
import struct
import sys
import time

import torch
import torch.nn.functional as F


def config_value(text, key):
    """The value of a key in the config that calque saved, which has every key once."""
    for line in text.splitlines():
        name, _, value = line.strip().partition(": ")
        if name == key:
            return value
    sys.exit(f"same_batches: the config has no {key}")


class Recipe:
    def __init__(self, path):
        text = path.read_text()
        known = {"norm": "post", "norm_kind": "layer", "activation": "relu", "positions": "interleaved", "tied": "all",
                 "optimizer": "adam", "weight_decay": "0", "ema": "0",
                 "attention_dropout": "0", "activation_dropout": "0",
                 "precision": "float32", "r_drop": "0"}
        for key, value in known.items():
            if config_value(text, key) != value:
                sys.exit(f"same_batches: {key} is {config_value(text, key)}, but only {value} is supported")
        integer, number = (lambda key: int(config_value(text, key))), (lambda key: float(config_value(text, key)))
        self.d_model, self.d_ff, self.heads = integer("d_model"), integer("d_ff"), integer("heads")
        self.encoder_layers, self.decoder_layers = integer("encoder_layers"), integer("decoder_layers")
        self.dropout, self.norm_epsilon = number("dropout"), number("norm_epsilon")
        self.betas = tuple(map(float, config_value(text, "betas").strip("[]").split(",")))
        self.epsilon, self.clip_norm, self.smoothing = number("epsilon"), number("clip_norm"), number("label_smoothing")
        self.peak, self.warmup = number("learning_rate"), integer("warmup_steps")
        self.seed, self.rise, self.schedule = integer("seed"), number("dropout_epochs"), config_value(text, "schedule")
        self.first = number("warmup_from") if self.schedule == "inverse_sqrt" else 0.0
        if self.schedule not in ("inverse_sqrt", "auto") or self.peak == 0:
            sys.exit("same_batches: needs schedule: inverse_sqrt or auto, and a learning_rate")

    def dropout_at(self, epochs):
        return self.dropout * (min(1, epochs / self.rise) if self.rise > 0 else 1)

    def rate(self, step, updates):
        if self.schedule == "auto":
            done = (step - 1) / updates
            return self.peak * min(1, max(step / self.warmup, 4 * done), (1 - done) / 0.75)
        if step < self.warmup:
            return self.first + (self.peak - self.first) * step / self.warmup
        return self.peak * math.sqrt(max(1, self.warmup) / step)


def safetensors(path):
    """{name: tensor} of a file of 32-bit floats."""
    content = path.read_bytes()
    length = struct.unpack("<Q", content[:8])[0]
    header = json.loads(content[8 : 8 + length])
    header.pop("__metadata__", None)
    tensors = {}
    for name, entry in header.items():
        begin, end = (8 + length + offset for offset in entry["data_offsets"])
        tensors[name] = torch.frombuffer(bytearray(content[begin:end]), dtype=torch.float32).view(entry["shape"])
    return tensors


class Model(torch.nn.Module):
    def __init__(self, recipe, vocabulary, longest=1024):
        super().__init__()
        self.scale, self.dropout = math.sqrt(recipe.d_model), recipe.dropout
        settings = dict(d_model=recipe.d_model, nhead=recipe.heads, dim_feedforward=recipe.d_ff, dropout=recipe.dropout,
                        activation="relu", layer_norm_eps=recipe.norm_epsilon)
        self.table = torch.nn.Parameter(torch.empty(vocabulary, recipe.d_model))
        self.encoder = torch.nn.ModuleList(
            torch.nn.TransformerEncoderLayer(**settings) for _ in range(recipe.encoder_layers))
        self.decoder = torch.nn.ModuleList(
            torch.nn.TransformerDecoderLayer(**settings) for _ in range(recipe.decoder_layers))
        for layer in [*self.encoder, *self.decoder]:
            layer.dropout.p = layer.self_attn.dropout = 0.0  # off in the feed-forward and on attention weights
        for layer in self.decoder:
            layer.multihead_attn.dropout = 0.0
        angle = torch.arange(longest)[:, None] / 10000 ** (torch.arange(0, recipe.d_model, 2) / recipe.d_model)
        self.dropped = [m for m in self.modules() if isinstance(m, torch.nn.Dropout) and m.p > 0]
        self.register_buffer("positions", torch.stack([angle.sin(), angle.cos()], -1).view(longest, 1, recipe.d_model))

    def set_dropout(self, probability):
        self.dropout = probability
        for module in self.dropped:
            module.p = probability

    def load(self, tensors):
        """From tensors under calque's names, whose matrices are [in, out]."""
        def linear(module, name):
            module.weight.copy_(tensors.pop(name + ".weight").t())
            module.bias.copy_(tensors.pop(name + ".bias"))

        def attention(module, name, parts):
            module.in_proj_weight.copy_(torch.cat([tensors.pop(f"{name}.{part}.weight") for part in parts], 1).t())
            module.in_proj_bias.copy_(torch.cat([tensors.pop(f"{name}.{part}.bias") for part in parts]))
            linear(module.out_proj, name + ".output")

        self.table.copy_(tensors.pop("embedding.weight"))
        for side, layers in ("encoder", self.encoder), ("decoder", self.decoder):
            for i, layer in enumerate(layers):
                at, sublayers = f"{side}.layers.{i}.", ["self_attention", "feed_forward"]
                attention(layer.self_attn, at + "self_attention", ["qkv"])
                if side == "decoder":
                    attention(layer.multihead_attn, at + "cross_attention", ["query", "key_value"])
                    sublayers.insert(1, "cross_attention")
                linear(layer.linear1, at + "feed_forward.inner")
                linear(layer.linear2, at + "feed_forward.outer")
                for number, sublayer in enumerate(sublayers, 1):
                    norm = getattr(layer, f"norm{number}")
                    norm.weight.copy_(tensors.pop(f"{at}{sublayer}_norm.gain"))
                    norm.bias.copy_(tensors.pop(f"{at}{sublayer}_norm.bias"))
        if tensors:
            sys.exit(f"same_batches: unknown weights: {', '.join(tensors)}")

    def embed(self, ids):
        rows = F.embedding(ids, self.table) * self.scale + self.positions[: len(ids)]
        return F.dropout(rows, self.dropout, self.training)

    def loss(self, pairs, smoothing):
        """Sums over the real target tokens: the label-smoothed loss and the negative log-likelihood."""
        source, no_source = padded([source for source, _ in pairs])
        target, no_target = padded([target for _, target in pairs])
        inputs = torch.cat([torch.ones_like(target[:1]), target[:-1]])
        memory = self.embed(source)
        for layer in self.encoder:
            memory = layer(memory, src_key_padding_mask=no_source)
        x, later = self.embed(inputs), torch.ones(len(inputs), len(inputs), dtype=torch.bool).triu(1)
        for layer in self.decoder:
            x = layer(x, memory, tgt_mask=later, memory_key_padding_mask=no_source)
        real = ~no_target.t()
        log_p, expected = torch.log_softmax(F.linear(x[real], self.table), -1), target[real]
        return F.nll_loss(log_p, expected, reduction="sum") * (1 - smoothing) - smoothing * log_p.mean(1).sum(), \
            F.nll_loss(log_p.detach(), expected, reduction="sum")


def padded(sentences):
    """Ids [time, batch], and where the padding is [batch, time]."""
    lengths = torch.tensor([len(sentence) for sentence in sentences])
    ids = torch.nn.utils.rnn.pad_sequence([torch.tensor(sentence) for sentence in sentences])
    return ids, torch.arange(len(ids)) >= lengths[:, None]


def validate(model, pairs, smoothing):
    model.eval()
    sums, pairs = torch.zeros(2, dtype=torch.double), sorted(pairs, key=lambda pair: len(pair[1]))
    with torch.no_grad():
        for first in range(0, len(pairs), 128):
            sums += torch.tensor([float(part) for part in model.loss(pairs[first : first + 128], smoothing)])
    model.train()
    return (sums / sum(len(target) for _, target in pairs)).tolist()


def train_step(model, adam, batches, rate, recipe):
    """Returns the mean loss and nll over the target tokens of all batches, the gradient norm and the tokens."""
    for group in adam.param_groups:
        group["lr"] = rate
    adam.zero_grad()
    tokens, sums = sum(len(target) for batch in batches for _, target in batch), [0.0, 0.0]
    for batch in batches:
        loss, nll = model.loss(batch, recipe.smoothing)
        (loss / tokens).backward()
        sums = [sums[0] + float(loss.detach()), sums[1] + float(nll)]
    norm = torch.nn.utils.clip_grad_norm_(model.parameters(), recipe.clip_norm or math.inf)
    adam.step()
    return sums[0] / tokens, sums[1] / tokens, float(norm), tokens


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("exported", type=pathlib.Path, help="what bench/export_batches wrote")
    parser.add_argument("--run", type=pathlib.Path, required=True, help="folder for config.yaml and metrics.jsonl")
    parser.add_argument("--every", type=int, default=50, help="updates between two training records")
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    recipe = Recipe(options.exported / "config.yaml")
    tensors = safetensors(options.exported / "initial.safetensors")
    torch.manual_seed(recipe.seed)
    model = Model(recipe, len(tensors["embedding.weight"]))
    with torch.no_grad():
        model.load(tensors)
    adam = torch.optim.Adam(model.parameters(), betas=recipe.betas, eps=recipe.epsilon)
    held_out = [json.loads(line) for line in open(options.exported / "validation.jsonl")]
    options.run.mkdir(parents=True, exist_ok=True)
    shutil.copy(options.exported / "config.yaml", options.run / "config.yaml")
    metrics, begin, seen = open(options.run / "metrics.jsonl", "w"), time.time(), 0

    def write(kind, loss, nll, **more):
        record = {"kind": kind, "step": step, "epoch": update["epoch"], "loss": loss, "nll": nll, "ppl": math.exp(nll),
                  **more, "timing": {"seconds": time.time() - begin}}
        print(json.dumps(record), file=metrics, flush=True)
        print(f"{kind} {step:6} epoch {update['epoch']:6.2f} loss {loss:.4f} ppl {math.exp(nll):.2f}", flush=True)

    interval, previous = [], 0.0
    updates = sum(1 for _ in open(options.exported / "updates.jsonl"))
    for step, line in enumerate(open(options.exported / "updates.jsonl"), 1):
        update = json.loads(line)
        rate = recipe.rate(step, updates)
        model.set_dropout(recipe.dropout_at(previous))
        previous = update["epoch"]
        loss, nll, norm, tokens = train_step(model, adam, update["batches"], rate, recipe)
        seen += tokens
        interval.append((loss * tokens, nll * tokens, tokens))
        if step % options.every == 0:
            loss, nll, tokens = (sum(part) for part in zip(*interval))
            write("train", loss / tokens, nll / tokens, lr=rate, grad_norm=norm, tokens=seen)
            interval = []
        if update["ended"] or step == updates:
            before = time.time()
            losses = validate(model, held_out, recipe.smoothing)
            begin += time.time() - before  # only training counts
            write("valid", *losses)


if __name__ == "__main__":
    main()
