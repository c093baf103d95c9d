#!/usr/bin/env python3
"""Records PyTorch's values and gradients of calque's fused ops in tests/core/pytorch.json.

  python3 tests/reference/core.py
"""

import json
import os

import torch
import torch.nn.functional as F

torch.manual_seed(7)
torch.set_default_dtype(torch.float64)


def rounded(tensor):
    return [float("%.9g" % v) for v in tensor.detach().flatten().tolist()]


def record(name, inputs, function, **settings):
    """Records one case. The output's gradient is a fixed pattern, which the test computes too."""
    leaves = [x.clone().requires_grad_() for x in inputs]
    y = function(*leaves)
    pattern = torch.cos(torch.arange(y.numel(), dtype=torch.float64)).reshape(y.shape)
    y.backward(pattern)
    return {
        "name": name,
        "settings": settings,
        "inputs": [{"shape": list(x.shape), "values": rounded(x)} for x in inputs],
        "output": rounded(y),
        "gradients": [rounded(x.grad) for x in leaves],
    }


def unseen(n, window, dilation, n_global):
    """The mask of sparse attention: true where a query does not see a key."""
    i, j = torch.arange(n)[:, None], torch.arange(n)[None, :]
    near = ((i - j).abs() <= window * dilation) & ((i - j) % dilation == 0)
    return ~(near | (i < n_global) | (j < n_global))


def attention(queries, keys, heads, causal, sparse=None):
    """Attention, sentence by sentence."""

    def function(q, k, v):
        rows, at, seen = [], 0, 0
        for n, m in zip(queries, keys):
            parts = [x.reshape(-1, heads, x.shape[1] // heads).transpose(0, 1)
                     for x in (q[at:at + n], k[seen:seen + m], v[seen:seen + m])]
            scores = parts[0] @ parts[1].transpose(1, 2) / parts[0].shape[2] ** 0.5
            if causal:
                scores = scores.masked_fill(torch.ones(n, m).triu(1).bool(), float("-inf"))
            if sparse:
                scores = scores.masked_fill(unseen(n, *sparse), float("-inf"))
            rows.append((scores.softmax(2) @ parts[2]).transpose(0, 1).reshape(n, -1))
            at, seen = at + n, seen + m
        return torch.cat(rows)

    return function


def agreeing(expected, smoothing, agreement):
    """R-Drop: the mean loss of two passes, plus agreement / 4 times the sum of both divergences."""

    def function(x, y, w, b):
        logits = [F.linear(x, w, b), F.linear(y, w, b)]
        losses = [F.cross_entropy(z, torch.tensor(expected), label_smoothing=smoothing,
                                  reduction="sum") for z in logits]
        log_p, log_q = [z.log_softmax(1) for z in logits]
        divergences = [F.kl_div(a, b, log_target=True, reduction="sum")
                       for a, b in ((log_p, log_q), (log_q, log_p))]
        return sum(losses) / 2 + agreement / 4 * sum(divergences)

    return function


def negative_sampling(candidates):
    """The first candidate of each row is expected, the others are not."""

    def function(x, w):
        scores = torch.einsum("rd,rkd->rk", x, w[torch.tensor(candidates)])
        labels = torch.zeros_like(scores)
        labels[:, 0] = 1
        return F.binary_cross_entropy_with_logits(scores, labels, reduction="sum")

    return function


def lstm(x, state, w, u, b, c):
    """One step of an LSTM. A state is the hidden state and the cell, side by side."""
    return torch.cat(torch.lstm_cell(x, state.chunk(2, 1), w, u, b, c), 1)


def attend_once(ranges):
    """Each query attends to its own range of keys: additive scores with `v`, else dot products."""

    def function(q, keys, values, *v):
        rows = []
        for query, (begin, end) in zip(q, ranges):
            k = keys[begin:end]
            scores = torch.tanh(query + k) @ v[0] if v else k @ query
            rows.append(scores.softmax(0) @ values[begin:end])
        return torch.stack(rows)

    return function


def main():
    r = torch.randn
    cases = []
    for name, function in (("relu", F.relu), ("gelu", F.gelu), ("silu", F.silu)):
        cases.append(record("linear " + name, [r(7, 12), r(12, 19), r(19)],
                            lambda x, w, b, f=function: f(F.linear(x, w.t(), b))))
    cases.append(record("residual_norm", [r(5, 33), r(5, 33), r(33), r(33)],
                        lambda x, y, g, b: F.layer_norm(x + y, (33,), g, b, 1e-5)))
    for heads, causal, queries, keys in ((1, False, [3, 5], [4, 2]), (2, True, [6, 1], [6, 1]),
                                         (3, False, [20, 2], [9, 17])):
        d = heads * 8
        cases.append(record("attention", [r(sum(queries), d), r(sum(keys), d), r(sum(keys), d)],
                            attention(queries, keys, heads, causal), heads=heads, causal=causal,
                            queries=queries, keys=keys))
    for smoothing in (0.0, 0.1):
        expected = [3, 0, 40, 22, 3]
        cases.append(record(
            "projected_cross_entropy", [r(5, 16), r(41, 16), r(41)],
            lambda x, w, b, e=smoothing: F.cross_entropy(
                F.linear(x, w, b), torch.tensor(expected), label_smoothing=e, reduction="sum"),
            smoothing=smoothing, expected=expected))
    cases.append(record("agreeing_cross_entropy", [r(5, 16), r(5, 16), r(41, 16), r(41)],
                        agreeing(expected, 0.1, 3.0), smoothing=0.1, agreement=3.0,
                        expected=expected))
    for causal, sparse in ((False, [3, 1, 0]), (False, [2, 3, 2]), (True, [4, 2, 1])):
        queries = [34, 2]
        cases.append(record("attention", [r(sum(queries), 8) for _ in range(3)],
                            attention(queries, queries, 2, causal, sparse), heads=2, causal=causal,
                            queries=queries, keys=queries, sparse=sparse))
    for name, cell, width, gates in (("gru", torch.gru_cell, 1, 3), ("lstm", lstm, 2, 4)):
        cases.append(record(name, [r(5, 11), r(5, width * 9), r(gates * 9, 11), r(gates * 9, 9),
                                   r(gates * 9), r(gates * 9)], cell))
    ranges = [[0, 4], [9, 15], [4, 5]]
    for v in ([r(12)], []):
        cases.append(record("attend_once", [r(3, 12), r(15, 12), r(15, 7)] + v,
                            attend_once(ranges), ranges=sum(ranges, [])))
    candidates = [[3, 0, 40], [22, 3, 3], [7, 8, 9]]
    cases.append(record("negative_sampling", [r(3, 16), r(41, 16)],
                        negative_sampling(candidates), candidates=sum(candidates, [])))
    here = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(here, "..", "core", "pytorch.json"), "w", encoding="utf-8") as file:
        json.dump({"torch": torch.__version__, "cases": cases}, file)


if __name__ == "__main__":
    main()
