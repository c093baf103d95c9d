#!/usr/bin/env python3
"""Records the results of PyTorch's optimizers, gradient clipping and schedules for tests/optim.

Writes optim.json beside this script, in double precision, for the float and the double build. Needs PyTorch 2.9, the
first with Muon.

  python3 tests/reference/optim_record.py
"""
import json
import math
import pathlib

import torch

STEPS = 10
SHAPES = {"weight": [3, 5], "bias": [7]}
MATRICES = {"wide": [3, 5], "tall": [6, 2], "square": [4, 4]}

torch.manual_seed(20170612)
torch.set_default_dtype(torch.float64)


def rounded(tensor):
    """Numbers that float holds exactly, so that both builds start from the same ones."""
    return torch.round(tensor * 1024) / 1024


INITIAL = {name: rounded(torch.randn(shape)) for name, shape in SHAPES.items()}
# Norms from well below to well above the clipping limit.
GRADIENTS = [
    {name: rounded(torch.randn(shape) * 10 ** (0.3 * step - 1)) for name, shape in SHAPES.items()}
    for step in range(STEPS)
]

MATRIX_INITIAL = {name: rounded(torch.randn(shape)) for name, shape in MATRICES.items()}
MATRIX_GRADIENTS = [
    {name: rounded(torch.randn(shape) * 10 ** (0.3 * step - 1)) for name, shape in MATRICES.items()}
    for step in range(STEPS)
]

CASES = {
    "adam": (torch.optim.Adam, dict(lr=0.01, betas=(0.9, 0.98), eps=1e-9), 0),
    "adam large epsilon": (torch.optim.Adam, dict(lr=0.01, betas=(0.8, 0.999), eps=0.1), 0),
    "adam coupled decay": (torch.optim.Adam, dict(lr=0.01, betas=(0.9, 0.98), eps=1e-9, weight_decay=0.1), 0),
    "adam clipped": (torch.optim.Adam, dict(lr=0.01, betas=(0.9, 0.98), eps=1e-9), 8.0),
    "adamw": (torch.optim.AdamW, dict(lr=0.01, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.1), 0),
    "sgd": (torch.optim.SGD, dict(lr=0.01), 0),
    "sgd clipped": (torch.optim.SGD, dict(lr=0.01), 8.0),
    "sgd decay": (torch.optim.SGD, dict(lr=0.01, weight_decay=0.1), 0),
    "momentum": (torch.optim.SGD, dict(lr=0.01, momentum=0.9), 0),
    "nesterov": (torch.optim.SGD, dict(lr=0.01, momentum=0.9, nesterov=True), 0),
    "nesterov decay": (torch.optim.SGD, dict(lr=0.01, momentum=0.9, nesterov=True, weight_decay=0.1), 0),
}


def flat(tensors):
    return {name: tensor.detach().flatten().tolist() for name, tensor in tensors.items()}


def run(make, settings, limit):
    weights = {name: torch.nn.Parameter(value.clone()) for name, value in INITIAL.items()}
    optimizer = make(weights.values(), **settings)
    norms, first = [], None
    for gradients in GRADIENTS:
        for name, weight in weights.items():
            weight.grad = gradients[name].clone()
        norms.append(float(torch.nn.utils.clip_grad_norm_(weights.values(), limit or math.inf)))
        optimizer.step()
        first = first or flat(weights)
    return {"norms": norms, "after_first": first, "after_last": flat(weights)}


class InDouble(torch.utils._python_dispatch.TorchDispatchMode):
    """PyTorch's Muon rounds the matrices of its iteration to bfloat16; here they stay double."""

    def __torch_dispatch__(self, op, types, args=(), kwargs=None):
        kwargs = dict(kwargs or {})
        if kwargs.get("dtype") is torch.bfloat16:
            kwargs["dtype"] = torch.float64
        return op(*args, **kwargs)


def run_muon(weight_decay):
    weights = {name: torch.nn.Parameter(value.clone()) for name, value in MATRIX_INITIAL.items()}
    optimizer = torch.optim.Muon(
        weights.values(), lr=0.01, weight_decay=weight_decay, momentum=0.95, adjust_lr_fn="match_rms_adamw"
    )
    first = None
    for gradients in MATRIX_GRADIENTS:
        for name, weight in weights.items():
            weight.grad = gradients[name].clone()
        with InDouble():
            optimizer.step()
        first = first or flat(weights)
    return {"after_first": first, "after_last": flat(weights)}


def rates(make_scheduler, steps, lr):
    """The learning rates of the updates 1 to `steps`."""
    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=lr)
    scheduler = make_scheduler(optimizer)
    seen = []
    for _ in range(steps):
        seen.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        scheduler.step()
    return seen


def noam(step):
    return 2.0 * 512 ** -0.5 * min(step ** -0.5, step * 10 ** -1.5)


lr_scheduler = torch.optim.lr_scheduler
SCHEDULES = {
    # factor 2, d_model 512, 10 steps of warm-up; PyTorch counts the steps from 0.
    "noam": rates(lambda o: lr_scheduler.LambdaLR(o, lambda n: noam(n + 1)), 40, 1.0),
    # Without warm-up: the first rate is the peak.
    "cosine from 0.5 to 0.1 in 20": rates(lambda o: lr_scheduler.CosineAnnealingLR(o, 20, 0.1), 21, 0.5),
    "linear from 0.5 to 0.1 in 20": rates(lambda o: lr_scheduler.LinearLR(o, 1.0, 0.2, 20), 31, 0.5),
}

record = {
    "torch": torch.__version__,
    "shapes": SHAPES,
    "initial": flat(INITIAL),
    "gradients": [flat(g) for g in GRADIENTS],
    "cases": {name: run(*case) for name, case in CASES.items()},
    "schedules": SCHEDULES,
    "muon": {
        "initial": flat(MATRIX_INITIAL),
        "gradients": [flat(g) for g in MATRIX_GRADIENTS],
        "cases": {"muon": run_muon(0), "muon decay": run_muon(0.1)},
    },
}
with open(pathlib.Path(__file__).with_name("optim.json"), "w") as out:
    json.dump(record, out, indent=None, separators=(",", ":"))
    out.write("\n")
