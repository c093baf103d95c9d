#!/usr/bin/env python3
"""Records PyTorch's results of a mixture of experts for tests/nn/mixture_test.cpp.

  python3 tests/reference/experts.py      (needs torch >= 1.12 and numpy; takes a second)

For 4 experts, of which each token uses 2, writes tests/reference/experts.safetensors: inputs, weights, the
output, the losses of the router, and the gradients of sum(output * seed) + losses. PyTorch computes every
expert for every token, in double; unused experts have weight 0. Names and shapes are calque's.
"""
import pathlib

import torch

from transformer import write

D_MODEL, WIDTH, EXPERTS, ACTIVE, TOKENS = 6, 5, 4, 2, 9
BALANCE, Z_LOSS = 0.3, 0.05


def main():
    torch.set_default_dtype(torch.float64)
    torch.manual_seed(300)
    draw = lambda *shape: torch.randn(*shape).float().double().requires_grad_()
    x, router, seed = draw(TOKENS, D_MODEL), draw(D_MODEL, EXPERTS), draw(TOKENS, D_MODEL)
    networks = [[draw(D_MODEL, WIDTH), draw(WIDTH), draw(WIDTH, D_MODEL), draw(D_MODEL)] for _ in range(EXPERTS)]
    logits = x @ router
    best, chosen = logits.topk(ACTIVE, dim=1)
    gates = torch.zeros(TOKENS, EXPERTS).scatter(1, chosen, best.softmax(1))
    output = sum(gates[:, e:e + 1] * (torch.relu(x @ w1 + b1) @ w2 + b2)
                 for e, (w1, b1, w2, b2) in enumerate(networks))
    counts = (gates > 0).sum(0)
    assert counts.min() > 0
    balance = BALANCE * EXPERTS / (ACTIVE * TOKENS) * (counts * logits.softmax(1).sum(0)).sum()
    z_loss = Z_LOSS * (logits.logsumexp(1) ** 2).sum()
    ((output * seed).sum() + balance + z_loss).backward()
    tensors = {"x": x, "seed": seed, "output": output, "losses": balance + z_loss, "counts": counts,
               "router": router, "gradient.x": x.grad, "gradient.router": router.grad}
    for e, network in enumerate(networks):
        for name, tensor in zip(("inner.weight", "inner.bias", "outer.weight", "outer.bias"), network):
            tensors |= {f"experts.{e}.{name}": tensor, f"gradient.experts.{e}.{name}": tensor.grad}
    write(pathlib.Path(__file__).parent / "experts.safetensors", tensors)
    print(f"losses {(balance + z_loss).item():.4f}, loads {counts.tolist()}")


if __name__ == "__main__":
    main()
