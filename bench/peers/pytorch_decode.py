#!/usr/bin/env python3
"""Translation speed of a Transformer of the preset small in PyTorch on this machine's CPU: the peer of
bench/decode, with random weights of the same sizes and sources of the same lengths.

  pytorch_decode.py [greedy] [beam] [single] [--sentences 1000] [--written 30]

It uses what makes PyTorch fast. Keys and values of earlier steps are kept in one tensor per layer,
allocated once. Queries, keys and values are one product. The keys and values of a source are
computed once and shared by its beam. Sentences are sorted by length, so that a batch has almost no
padding. Log-probabilities are computed only for the candidates of the beam, from one logsumexp per
row. With random weights a beam changes its hypotheses at nearly every step, so the caches are
gathered, as in fairseq.

The processors are used in two ways, one batch per process (--workers 2 --threads 1) or all threads
for one batch (--workers 1 --threads 2), and the faster one is printed. OpenBLAS, where PyTorch uses
it, runs its fastest kernels regardless of the environment, unless --keep-kernels is given.
"""
import argparse
import os

from environment import with_environment


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cases", nargs="*", metavar="greedy|beam|single")
    parser.add_argument("--sentences", type=int, default=1000)
    parser.add_argument("--written", type=int, default=30, help="tokens per translation, with </s>")
    parser.add_argument("--beam", type=int, default=5)
    parser.add_argument("--vocabulary", type=int, default=8000)
    parser.add_argument("--rows", type=int, default=0, help="hypotheses per batch (default: the faster of 128 and 512)")
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--keep-kernels", action="store_true", help="keep the environment's OPENBLAS_CORETYPE")
    options = parser.parse_args()
    options.cases = options.cases or ["greedy", "beam", "single"]
    if set(options.cases) - {"greedy", "beam", "single"}:
        parser.error("the cases are greedy, beam and single")
    return options


if __name__ == "__main__":
    OPTIONS = arguments()  # before PyTorch is loaded, which takes seconds
    with_environment(OPTIONS.keep_kernels)

import math
import multiprocessing
import random
import time

import batches
import torch
import torch.nn.functional as F

LAYERS, D_MODEL, D_FF, HEADS = 3, 256, 1024, 4
HEAD = D_MODEL // HEADS


def weights(vocabulary):
    """One dictionary per layer, and the embedding, which is also the output projection."""
    def matrix(rows, cols):
        return torch.empty(rows, cols).uniform_(-1, 1) * math.sqrt(6 / (rows + cols))

    def layer(cross):
        sizes = {"qkv": (D_MODEL, 3 * D_MODEL), "out": (D_MODEL, D_MODEL), "up": (D_MODEL, D_FF), "down": (D_FF, D_MODEL)}
        if cross:
            sizes.update(q=(D_MODEL, D_MODEL), kv=(D_MODEL, 2 * D_MODEL), cross_out=(D_MODEL, D_MODEL))
        return {name: (matrix(*size), torch.zeros(size[1])) for name, size in sizes.items()}

    return {"embedding": torch.randn(vocabulary, D_MODEL) / math.sqrt(D_MODEL),
            "encoder": [layer(False) for _ in range(LAYERS)], "decoder": [layer(True) for _ in range(LAYERS)],
            "gain": torch.ones(D_MODEL), "shift": torch.zeros(D_MODEL)}


def positions(count):
    angles = torch.arange(count)[:, None] / 10000 ** (torch.arange(0, D_MODEL, 2)[None] / D_MODEL)
    return torch.stack((angles.sin(), angles.cos()), 2).reshape(count, D_MODEL)


class Translator:
    def __init__(self, vocabulary):
        torch.manual_seed(1)
        self.w = weights(vocabulary)
        self.table = self.w["embedding"].t()  # a view: [d_model, vocabulary]
        self.positions = positions(512)

    def product(self, x, layer, name):
        matrix, bias = layer[name]
        return torch.addmm(bias, x, matrix)

    def add_norm(self, x, y):
        return F.layer_norm(x + y, (D_MODEL,), self.w["gain"], self.w["shift"])

    def feed_forward(self, x, layer):
        return self.add_norm(x, self.product(self.product(x, layer, "up").relu_(), layer, "down"))

    def encode(self, ids, mask):
        """ids [sentences, length], mask [sentences, 1, 1, length] -> keys and values of each decoder layer."""
        count, length = ids.shape
        x = (self.w["embedding"][ids] * math.sqrt(D_MODEL) + self.positions[:length]).view(-1, D_MODEL)
        for layer in self.w["encoder"]:
            q, k, v = self.product(x, layer, "qkv").view(count, length, 3, HEADS, HEAD).permute(2, 0, 3, 1, 4)
            p = (q @ k.transpose(2, 3) / math.sqrt(HEAD) + mask).softmax(-1)
            seen = (p @ v).transpose(1, 2).reshape(-1, D_MODEL)
            x = self.add_norm(x, self.product(seen, layer, "out"))
            x = self.feed_forward(x, layer)
        memories = []
        for layer in self.w["decoder"]:
            k, v = self.product(x, layer, "kv").view(count, length, 2, HEADS, HEAD).permute(2, 0, 3, 1, 4)
            memories.append((k.transpose(2, 3).contiguous(), v.contiguous()))
        return memories

    def step(self, ids, step, cache, memories, mask, sentences):
        """One token of every hypothesis: ids [rows] -> logits [rows, vocabulary]."""
        rows, beam = len(ids), len(ids) // sentences
        x = self.w["embedding"][ids] * math.sqrt(D_MODEL) + self.positions[step]
        for layer, kv, (keys, values) in zip(self.w["decoder"], cache, memories):
            qkv = self.product(x, layer, "qkv").view(rows, 3, HEADS, HEAD)
            kv[:, :rows, :, step] = qkv[:, 1:].transpose(0, 1)
            k, v = kv[0, :rows, :, : step + 1], kv[1, :rows, :, : step + 1]
            p = (qkv[:, 0, :, None] @ k.transpose(2, 3) / math.sqrt(HEAD)).softmax(-1)
            x = self.add_norm(x, self.product((p @ v).view(rows, D_MODEL), layer, "out"))
            q = self.product(x, layer, "q").view(sentences, beam, HEADS, HEAD).transpose(1, 2)
            p = (q @ keys / math.sqrt(HEAD) + mask).softmax(-1)
            seen = (p @ values).transpose(1, 2).reshape(rows, D_MODEL)
            x = self.add_norm(x, self.product(seen, layer, "cross_out"))
            x = self.feed_forward(x, layer)
        return x @ self.table

    @torch.no_grad()
    def translate(self, lengths, beam, written, vocabulary):
        """Decodes a batch, `written` tokens per translation, the last of which is </s>; returns the scores."""
        sentences, longest = len(lengths), max(lengths) + 1
        ids = torch.randint(3, vocabulary, (sentences, longest))
        mask = torch.zeros(sentences, 1, 1, longest)
        for i, length in enumerate(lengths):
            mask[i, 0, 0, length + 1 :] = -math.inf
        memories = self.encode(ids, mask)
        cache = [torch.empty(2, sentences * beam, HEADS, written, HEAD) for _ in range(LAYERS)]
        last, scores = torch.full((sentences,), batches.BEGIN), torch.zeros(sentences, 1)
        first_rows = torch.arange(sentences)[:, None]
        for step in range(written - 1):
            logits = self.step(last, step, cache, memories, mask, sentences)
            normal = logits.logsumexp(1, keepdim=True)
            logits[:, batches.BEGIN] = logits[:, batches.END] = -math.inf
            width = scores.shape[1]
            top, tokens = logits.topk(beam, 1) if beam > 1 else logits.max(1, keepdim=True)
            total = (top - normal).view(sentences, width, -1) + scores[:, :, None]
            scores, best = total.view(sentences, -1).topk(beam, 1)
            last = tokens.view(sentences, -1).gather(1, best).view(-1)
            parents = (first_rows * width + best // beam).view(-1)
            if beam > 1:
                for kv in cache:
                    kv[:, : len(parents), :, : step + 1] = kv[:, parents, :, : step + 1]
        logits = self.step(last, written - 1, cache, memories, mask, sentences)
        return scores + (logits[:, batches.END] - logits.logsumexp(1)).view(sentences, -1)


def cut(lengths, beam, rows):
    """Batches of sentences of similar length, of about `rows` hypotheses each."""
    ordered = sorted(lengths, reverse=True)
    size = max(1, rows // beam)
    return [ordered[i : i + size] for i in range(0, len(ordered), size)]


def work(rank, options, plan, beam, barrier, results):
    torch.set_num_threads(options.threads)
    translator = Translator(options.vocabulary)
    translator.translate(plan[0], beam, options.written, options.vocabulary)  # warm-up
    barrier.wait()
    begin = time.perf_counter()
    for batch in plan[rank :: options.workers]:
        translator.translate(batch, beam, options.written, options.vocabulary)
    results.put((begin, time.perf_counter()))


def seconds_of(options, plan, beam):
    context = multiprocessing.get_context("spawn")
    barrier, results = context.Barrier(options.workers), context.Queue()
    processes = [context.Process(target=work, args=(rank, options, plan, beam, barrier, results))
                 for rank in range(options.workers)]
    for process in processes:
        process.start()
    times = [results.get() for _ in processes]
    for process in processes:
        process.join()
    return max(end for _, end in times) - min(begin for begin, _ in times)


def main(options):
    processors = len(os.sched_getaffinity(0))
    ways = [(processors, 1), (1, processors)]
    if options.workers or options.threads:
        ways = [(options.workers or 1, options.threads or 1)]
    lengths = [source for source, _ in batches.multi30k_lengths()]
    random.Random(1).shuffle(lengths)
    for case in options.cases:
        beam = options.beam if case == "beam" else 1
        chosen = lengths[: min(options.sentences, 100) if case == "single" else options.sentences]
        best = None
        for options.workers, options.threads in (ways if case != "single" else [(1, 1), (1, processors)]):
            for rows in [1] if case == "single" else [options.rows] if options.rows else [128, 512]:
                seconds = seconds_of(options, cut(chosen, beam, rows), beam)
                if best is None or seconds < best[0]:
                    best = (seconds, options.workers, options.threads, rows)
        seconds, workers, threads, rows = best
        name = f"beam {beam}" if beam > 1 else case
        print(f"{name:8}{len(chosen) / seconds:12.1f}{len(chosen) * options.written / seconds:12.1f}   "
              f"{workers} workers of {threads} threads, {rows} rows per batch", flush=True)


if __name__ == "__main__":
    main(OPTIONS)
