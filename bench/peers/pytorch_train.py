#!/usr/bin/env python3
"""Training speed of a Transformer in PyTorch on this machine's CPU: the peer of bench/train_step, which
does the same work on sentences of the same lengths.

  pytorch_train.py tiny|small|base [--steps 20] [--workers 2] [--plain] [--precision bfloat16] [--json]
  pytorch_train.py tiny --check      # loss and gradients against plain PyTorch

By default it runs the fastest version found (torch_transformer.py): backward passes written by
hand, and one single-threaded process per core, each with a share of every batch. This is faster
than one process with as many threads, because PyTorch's small kernels then run in parallel. Weights
and gradients are in shared memory; each worker updates its part of the weights with the gradients
of all workers.

With --plain it runs the model in the usual style of PyTorch (plain_transformer.py): autograd, in
one process with a thread per core.

OpenBLAS, where PyTorch uses it, runs its fastest kernels regardless of the environment, unless
--keep-kernels is given.
"""
import argparse
import os
import sys

from environment import with_environment


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("preset", choices=("tiny", "small", "base"))
    parser.add_argument("--steps", type=int, default=20, help="measured steps")
    parser.add_argument("--warmup", type=int, default=4, help="steps before the measured steps")
    parser.add_argument("--workers", type=int, default=len(os.sched_getaffinity(0)), help="processes")
    parser.add_argument("--threads", type=int, default=1, help="threads of each process")
    parser.add_argument("--plain", action="store_true", help="plain modules and autograd in one process")
    parser.add_argument("--precision", choices=("float32", "bfloat16"), default="float32",
                        help="operands of products with weights (with --plain: autocast)")
    parser.add_argument("--keep-kernels", action="store_true", help="keep the environment's OPENBLAS_CORETYPE")
    parser.add_argument("--tokens", type=int, default=4096, help="the most target tokens of a batch")
    parser.add_argument("--vocabulary", type=int, default=8000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true", help="print only one line of JSON")
    parser.add_argument("--check", action="store_true", help="compare with plain PyTorch instead")
    return parser.parse_args()


if __name__ == "__main__":
    OPTIONS = arguments()  # before PyTorch is loaded, which takes seconds
    with_environment(OPTIONS.keep_kernels)

import json
import math
import mmap
import multiprocessing
import statistics
import time
import traceback

import batches
import torch
from torch_transformer import PRESETS, Batch, Products, Transformer, Weights, parameter_shapes


def shared(size):
    """A tensor of zeros shared by forked processes."""
    return torch.frombuffer(mmap.mmap(-1, size * 4), dtype=torch.float32)


class AdamShard:
    """Adam of one worker's part of the flat weights, in slices that stay in the cache."""
    SLICE = 1 << 16

    def __init__(self, weights, gradients, begin, end):
        self.slices = []
        for b in range(begin, end, self.SLICE):
            part = slice(b, min(end, b + self.SLICE))
            moments = torch.zeros(part.stop - b), torch.zeros(part.stop - b)
            self.slices.append((weights[part], *moments, [g[part] for g in gradients]))
        self.buffer = torch.empty(self.SLICE)

    def step(self, number, rate, beta1=0.9, beta2=0.98, epsilon=1e-9):
        root = math.sqrt(1 - beta2**number)
        for w, m, v, (g, *others) in self.slices:
            for other in others:
                g.add_(other)
            m.lerp_(g, 1 - beta1)
            v.mul_(beta2).addcmul_(g, g, value=1 - beta2)
            spread = torch.sqrt(v, out=self.buffer[: v.numel()]).add_(epsilon * root)
            w.addcdiv_(m, spread, value=-rate * root / (1 - beta1**number))


class Sgemm:
    """The best FLOP/s of a large matrix product while every worker computes one."""

    def __init__(self):
        shapes = [(1024, 1024, 1024), (2048, 2048, 2048), (4096, 512, 2048)]
        self.cases = [(torch.randn(m, k), torch.randn(k, n), torch.empty(m, n)) for m, n, k in shapes]

    def bytes(self):
        return 4 * sum(matrix.numel() for case in self.cases for matrix in case)

    def best(self):
        rates = []
        for a, b, c in self.cases:
            begin = time.perf_counter()
            torch.mm(a, b, out=c)
            rates.append(2 * a.size(0) * a.size(1) * b.size(1) / (time.perf_counter() - begin))
        return max(rates)


def peak_memory(besides):
    """In bytes: the peak of this process's own memory, less `besides`, and what it shares with the other
    workers."""
    with open("/proc/self/status") as status:
        fields = dict(line.split(":", 1) for line in status)
    kib = {name: int(fields[name].split()[0]) for name in ("VmHWM", "RssFile", "RssShmem")}
    common = kib["RssFile"] + kib["RssShmem"]
    return (kib["VmHWM"] - common) * 1024 - besides, common * 1024


def noam(step, d_model, warmup=4000):
    return d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)


def work(rank, options, plan, flat, gradients, barrier, results):
    """One worker: forward and backward on its share of every batch, then its part of the update."""
    torch.set_num_threads(options.threads)
    torch.set_flush_denormal(True)
    preset = PRESETS[options.preset]
    generator = torch.Generator().manual_seed(options.seed * 1000 + rank)
    weights = Weights(parameter_shapes(preset, options.vocabulary), flat, gradients[rank])
    model = Transformer(preset, weights, seed=options.seed * 1000 + rank)
    cut = [len(flat) * i // options.workers // 16 * 16 for i in range(options.workers)] + [len(flat)]
    adam = AdamShard(flat, gradients, cut[rank], cut[rank + 1])
    shares = [Batch(pairs[rank :: options.workers], options.vocabulary, preset.heads, generator) for pairs in plan]
    totals = [sum(target + 1 for _, target in pairs) for pairs in plan]

    sgemm, seconds, rates, losses = Sgemm(), [], [], []
    for number, (batch, total) in enumerate(zip(shares, totals), 1):
        barrier.wait()
        rates.append(sgemm.best())
        barrier.wait()
        begin = time.perf_counter()
        loss = model.step(batch, 1 / total)
        barrier.wait()
        adam.step(number, noam(number, preset.d_model))
        barrier.wait()
        seconds.append(time.perf_counter() - begin)
        losses.append(loss / total)
    padding = sum(b.positions for b in shares), sum(b.source_tokens + b.target_tokens for b in shares)
    results.put((rank, seconds, rates, losses, padding, peak_memory(besides=sgemm.bytes())))


def guarded_work(*args):
    try:
        work(*args)
    except BaseException:
        traceback.print_exc()
        args[5].abort()  # the other workers stop waiting
        os._exit(1)


def run(options, plan):
    preset = PRESETS[options.preset]
    shapes = parameter_shapes(preset, options.vocabulary)
    size = sum(math.prod(shape) for shape in shapes.values())
    flat, gradients = shared(size), [shared(size) for _ in range(options.workers)]
    torch.manual_seed(options.seed)
    torch.set_num_threads(1)  # no thread may exist when the workers fork
    Weights(shapes, flat, gradients[0]).initialise()

    fork = multiprocessing.get_context("fork")
    barrier, results = fork.Barrier(options.workers), fork.Queue()
    workers = [fork.Process(target=guarded_work, args=(rank, options, plan, flat, gradients, barrier, results))
               for rank in range(options.workers)]
    for worker in workers:
        worker.start()
    reports = []
    while len(reports) < len(workers):
        try:
            reports.append(results.get(timeout=1))
        except multiprocessing.queues.Empty:
            if any(worker.exitcode for worker in workers):
                sys.exit("pytorch_train.py: a worker failed")
    for worker in workers:
        worker.join()
    return sorted(reports), size


def run_plain(options, plan):
    import plain_transformer
    options.workers, options.threads = 1, len(os.sched_getaffinity(0))
    torch.set_num_threads(options.threads)
    torch.set_flush_denormal(True)
    preset = PRESETS[options.preset]
    generator = torch.Generator().manual_seed(options.seed)
    trainer = plain_transformer.Trainer(preset, options.vocabulary, options.seed)
    made = [plain_transformer.Batch(pairs, options.vocabulary, preset.heads, generator) for pairs in plan]
    sgemm, seconds, rates, losses = Sgemm(), [], [], []
    for number, batch in enumerate(made, 1):
        rates.append(sgemm.best())
        begin = time.perf_counter()
        losses.append(trainer.step(batch, noam(number, preset.d_model), Products.rounded))
        seconds.append(time.perf_counter() - begin)
    padding = sum(b.positions for b in made), sum(b.source_tokens + b.target_tokens for b in made)
    return [(0, seconds, rates, losses, padding, peak_memory(besides=sgemm.bytes()))], trainer.size()


def summary(options, plan, reports, size):
    first = options.warmup
    seconds = reports[0][1][first:]
    sgemm = [sum(rates) for rates in zip(*(report[2] for report in reports))][first:]
    tokens = [sum(s + t + 2 for s, t in pairs) for pairs in plan[first:]]
    positions, real = (sum(report[4][i] for report in reports) for i in (0, 1))
    own, common = sum(report[5][0] for report in reports), max(report[5][1] for report in reports)
    return {
        "program": "plain pytorch" if options.plain else "pytorch",
        "preset": options.preset,
        "precision": options.precision,
        "parameters": size,
        "workers": options.workers,
        "threads": options.threads,
        "steps": len(seconds),
        "tokens_per_s": round(statistics.median(n / s for n, s in zip(tokens, seconds))),
        "step_ms": round(1000 * statistics.median(seconds), 2),
        "sgemm_gflops": round(max(sgemm) / 1e9, 1),
        "peak_memory_mb": round((own + common) / 1e6),
        "padding": round(1 - real / positions, 4),
        "first_loss": round(sum(report[3][0] for report in reports), 4),
        "last_loss": round(sum(report[3][-1] for report in reports), 4),
    }


def main(options):
    Products.rounded = options.precision == "bfloat16"
    if options.check:
        import check_gradients
        return check_gradients.main(options)
    steps = options.warmup + options.steps
    plan = batches.cut(batches.multi30k_lengths(), options.tokens, options.seed)
    plan = [batch for batch in plan if len(batch) >= options.workers]
    plan = (plan * (steps // len(plan) + 1))[:steps]
    report = summary(options, plan, *(run_plain if options.plain else run)(options, plan))
    if options.json:
        print(json.dumps(report))
    else:
        for name, value in report.items():
            print(f"{name:16} {value}")


if __name__ == "__main__":
    main(OPTIONS)
