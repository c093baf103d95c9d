#!/usr/bin/env python3
"""Training speed of a GPT in PyTorch on this machine, or a whole run.

  bench/peers/gpt_train.py small|large TEXT [--steps 40] [--warmup 5] [--precision bfloat16]
  bench/peers/gpt_train.py small TEXT --run FOLDER --validation TEXT --steps 2000 --rate 0.003

small has the sizes, batches and dropout of configs/shakespeare-small.yaml, large those of
configs/shakespeare.yaml. The model has pre-norm layers without biases, GELU, learned position embeddings
and tied embeddings; it uses PyTorch's fused attention and fused AdamW. Each window of an update begins at a
random character of the text. Prints one line of JSON with the tokens per second of the median update and
the loss of the last update.

With --run the learning rate rises over 100 updates to --rate and falls along a cosine to a tenth of it, as in
nanoGPT, and FOLDER gets a metrics.jsonl like calque's own. The validation loss is the mean over all
characters of the validation text, in windows that follow each other.
"""
import argparse
import json
import math
import os
import pathlib
import statistics
import time

import torch
from torch import nn
from torch.nn import functional as F

SHAPES = {  # layers, heads, width, context, windows per update, dropout
    "small": (4, 4, 128, 64, 12, 0.0),
    "large": (6, 6, 384, 256, 64, 0.2),
}


class Layer(nn.Module):
    def __init__(self, width, heads, dropout):
        super().__init__()
        self.heads, self.dropout = heads, dropout
        self.attention_norm = nn.LayerNorm(width, bias=False)
        self.qkv = nn.Linear(width, 3 * width, bias=False)
        self.output = nn.Linear(width, width, bias=False)
        self.feed_forward_norm = nn.LayerNorm(width, bias=False)
        self.inner = nn.Linear(width, 4 * width, bias=False)
        self.outer = nn.Linear(4 * width, width, bias=False)

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = self.qkv(self.attention_norm(x)).split(width, dim=2)
        q, k, v = (t.view(batch, length, self.heads, width // self.heads).transpose(1, 2) for t in (q, k, v))
        drop = self.dropout if self.training else 0.0
        attended = F.scaled_dot_product_attention(q, k, v, dropout_p=drop, is_causal=True)
        attended = attended.transpose(1, 2).reshape(batch, length, width)
        x = x + F.dropout(self.output(attended), self.dropout, self.training)
        inner = F.gelu(self.inner(self.feed_forward_norm(x)))
        return x + F.dropout(self.outer(inner), self.dropout, self.training)


class Gpt(nn.Module):
    def __init__(self, vocabulary, layers, heads, width, context, dropout):
        super().__init__()
        self.dropout = dropout
        self.embedding = nn.Embedding(vocabulary, width)
        self.positions = nn.Embedding(context, width)
        self.layers = nn.ModuleList(Layer(width, heads, dropout) for _ in range(layers))
        self.norm = nn.LayerNorm(width, bias=False)
        for parameter in self.parameters():
            if parameter.dim() == 2:
                nn.init.normal_(parameter, std=0.02)
        for layer in self.layers:
            for residual in (layer.output, layer.outer):
                nn.init.normal_(residual.weight, std=0.02 / math.sqrt(2 * layers))

    def forward(self, ids, expected):
        x = self.embedding(ids) + self.positions(torch.arange(ids.shape[1]))
        x = F.dropout(x, self.dropout, self.training)
        for layer in self.layers:
            x = layer(x)
        logits = F.linear(self.norm(x), self.embedding.weight)
        return F.cross_entropy(logits.view(-1, logits.shape[-1]).float(), expected.reshape(-1))  # float32, also in autocast


class Curve:
    """The metrics.jsonl of a run, and its schedule."""
    WARMUP, EVERY = 100, 50

    def __init__(self, folder, validation, windows, context, steps, rate):
        folder.mkdir(parents=True, exist_ok=True)
        self.file = open(folder / "metrics.jsonl", "w", encoding="utf-8")
        self.validation, self.windows, self.context = validation, windows, context
        self.steps, self.rate, self.losses, self.begin = steps, rate, [], time.perf_counter()

    def rate_at(self, step):
        if step <= self.WARMUP:
            return self.rate * step / self.WARMUP
        done = (step - self.WARMUP) / max(1, self.steps - self.WARMUP)
        return self.rate * (0.1 + 0.9 * 0.5 * (1 + math.cos(math.pi * done)))

    def write(self, kind, step, epoch, loss):
        record = {"kind": kind, "step": step, "epoch": epoch, "loss": loss, "nll": loss, "ppl": math.exp(loss),
                  "tokens": step * self.windows * self.context, "timing": {"seconds": time.perf_counter() - self.begin}}
        print(json.dumps(record), file=self.file, flush=True)

    def validate(self, model):
        model.eval()
        total, count = 0.0, len(self.validation) - 1
        whole = count // self.context * self.context
        with torch.no_grad():
            inputs = self.validation[:whole].view(-1, self.context)
            expected = self.validation[1 : whole + 1].view(-1, self.context)
            for first in range(0, len(inputs), 256):
                part = slice(first, first + 256)
                total += model(inputs[part], expected[part]).item() * inputs[part].numel()
            if whole < count:
                rest = model(self.validation[None, whole:count], self.validation[None, whole + 1 :])
                total += rest.item() * (count - whole)
        model.train()
        return total / count

    def after(self, step, loss, characters, model, every):
        self.losses.append(loss)
        epoch = step * self.windows * self.context / characters
        if step % self.EVERY == 0:
            self.write("train", step, epoch, statistics.fmean(self.losses))
            self.losses = []
        if step % every == 0 or step == self.steps:
            begin = time.perf_counter()
            loss = self.validate(model)
            self.begin += time.perf_counter() - begin  # only training counts
            self.write("valid", step, epoch, loss)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("shape", choices=SHAPES)
    parser.add_argument("text")
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--warmup", type=int, default=5)
    parser.add_argument("--precision", choices=("float32", "bfloat16"), default="float32", help="bfloat16: autocast")
    parser.add_argument("--run", type=pathlib.Path, help="trains for --steps updates and writes FOLDER/metrics.jsonl")
    parser.add_argument("--validation", help="with --run: the text of the validation loss")
    parser.add_argument("--validate-every", type=int, default=100, help="with --run: in updates")
    parser.add_argument("--rate", type=float, default=1e-3, help="the learning rate, with --run its peak")
    options = parser.parse_args()
    if (options.run is None) != (options.validation is None):
        parser.error("--run and --validation belong together")
    torch.set_num_threads(len(os.sched_getaffinity(0)))
    torch.manual_seed(1)
    layers, heads, width, context, windows, dropout = SHAPES[options.shape]
    with open(options.text, encoding="utf-8") as file:
        text = file.read()
    symbols = {symbol: number for number, symbol in enumerate(sorted(set(text)))}
    ids = torch.tensor([symbols[symbol] for symbol in text])
    model = Gpt(len(symbols), layers, heads, width, context, dropout)
    matrices = [p for p in model.parameters() if p.dim() == 2]
    others = [p for p in model.parameters() if p.dim() != 2]
    optimizer = torch.optim.AdamW([{"params": matrices, "weight_decay": 0.1}, {"params": others, "weight_decay": 0.0}],
                                  lr=options.rate, betas=(0.9, 0.99), fused=True)
    seconds, curve = [], None
    if options.run is not None:
        options.warmup = 0
        with open(options.validation, encoding="utf-8") as file:
            held_out = torch.tensor([symbols[symbol] for symbol in file.read()])
        curve = Curve(options.run, held_out, windows, context, options.steps, options.rate)
    for step in range(options.warmup + options.steps):
        begin = time.perf_counter()
        if curve is not None:
            for group in optimizer.param_groups:
                group["lr"] = curve.rate_at(step + 1)
        starts = torch.randint(len(ids) - context - 1, (windows,)).tolist()
        inputs = torch.stack([ids[start : start + context] for start in starts])
        expected = torch.stack([ids[start + 1 : start + context + 1] for start in starts])
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=options.precision == "bfloat16"):
            loss = model(inputs, expected)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        last = loss.item()
        if step >= options.warmup:
            seconds.append(time.perf_counter() - begin)
        if curve is not None:
            curve.after(step + 1, last, len(ids), model, options.validate_every)
    print(json.dumps({"tokens_per_s": windows * context / statistics.median(seconds), "loss": last,
                      "precision": options.precision,
                      "torch": torch.__version__, "parameters": sum(p.numel() for p in model.parameters())}))


if __name__ == "__main__":
    main()
