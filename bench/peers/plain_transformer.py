"""The encoder-decoder Transformer in the usual style of PyTorch: modules, autograd, one process.

It is optimised where the code stays clear: activations are [time, batch, d_model], so that the queries,
keys and values of the heads are views; attention to sources without padding has no mask; the loss skips
padding and computes its gradient in place; dropout masks come from random bytes; Adam updates all tensors
together. Token id 1 is <s>, 2 is </s>.
"""
import math

import torch
import torch.nn.functional as F
from torch import nn

from torch_transformer import Dropout as Masks
from torch_transformer import sinusoids


def padded(lengths, vocabulary, generator):
    """Random ids [time, batch], in which each sentence ends in </s>, and a mask that is false at padding."""
    lengths = torch.tensor(lengths)
    ids = torch.randint(3, vocabulary, (int(lengths.max()), len(lengths)), generator=generator)
    ids[lengths - 1, torch.arange(len(lengths))] = 2
    return ids, torch.arange(len(ids))[:, None] < lengths


class Batch:
    """Random ids for sentence pairs of these lengths, which do not count <s> and </s>, and their masks."""

    def __init__(self, pairs, vocabulary, heads, generator):
        self.source, source_real = padded([source + 1 for source, _ in pairs], vocabulary, generator)
        output, real = padded([target + 1 for _, target in pairs], vocabulary, generator)
        self.input = torch.cat([torch.ones(1, len(pairs), dtype=torch.long), output[:-1]])
        self.real_indices = real.view(-1).nonzero().squeeze(1)
        self.expected = output.view(-1)[self.real_indices]
        self.source_tokens, self.target_tokens = int(source_real.sum()), len(self.real_indices)
        self.positions = self.source.numel() + self.input.numel()
        self.source_mask = None
        if not source_real.all():
            mask = torch.zeros(source_real.shape).masked_fill_(~source_real, -math.inf)
            self.source_mask = mask.t().repeat_interleave(heads, 0)[:, None]  # [batch heads, 1, keys]
        self.causal_mask = torch.full((len(output), len(output)), -math.inf).triu(1)


class Masked(torch.autograd.Function):
    """x times a dropout mask, whose elements are 0 or 1 / (1 - p)."""

    @staticmethod
    def forward(context, x, mask):
        context.save_for_backward(mask)
        return x * mask

    @staticmethod
    def backward(context, dy):
        return dy * context.saved_tensors[0], None


class Dropout(nn.Module):
    def __init__(self, probability, seed):
        super().__init__()
        self.masks = Masks(probability, seed)

    def forward(self, x):
        random = self.masks.bytes_like(x)
        if random is None:
            return x
        return Masked.apply(x, self.masks.mask(random, x).mul_(self.masks.scale))


class SmoothedLoss(torch.autograd.Function):
    """The output projection and the summed label-smoothed cross-entropy. The gradient of the logits
    is computed in the memory of the log-probabilities."""

    @staticmethod
    def forward(context, hidden, table, expected, smoothing):
        log_p = torch.log_softmax((hidden @ table.t()).float(), -1)  # float32, also in autocast
        right = log_p.gather(1, expected[:, None])
        loss = (smoothing - 1) * right.sum() - smoothing / len(table) * log_p.sum()
        slope = log_p.exp_().sub_(smoothing / len(table))
        slope.scatter_add_(1, expected[:, None], slope.new_full((len(expected), 1), smoothing - 1))
        context.save_for_backward(hidden, table, slope)
        return loss

    @staticmethod
    def backward(context, scale):
        hidden, table, slope = context.saved_tensors
        return (slope @ table).mul_(scale), (slope.t() @ hidden).mul_(scale), None, None


def linear(rows, cols):
    layer = nn.Linear(cols, rows)
    nn.init.xavier_uniform_(layer.weight)
    nn.init.zeros_(layer.bias)
    return layer


class Attention(nn.Module):
    def __init__(self, d, heads, from_memory):
        super().__init__()
        self.heads, self.size, self.from_memory = heads, d // heads, from_memory
        self.query = linear(d, d) if from_memory else None
        self.projections = linear(2 * d if from_memory else 3 * d, d)
        self.output = linear(d, d)

    def parts(self, x, count):
        """`count` views [batch heads, time, size] of x, such as the queries, keys and values of each head."""
        return [part.transpose(0, 1) for part in x.view(len(x), -1, count, self.size).unbind(2)]

    def forward(self, x, memory, mask):
        if self.from_memory:
            q, (k, v) = self.parts(self.query(x), 1)[0], self.parts(self.projections(memory), 2)
        else:
            q, k, v = self.parts(self.projections(x), 3)
        scale = self.size**-0.5
        if mask is None:
            scores = torch.bmm(q, k.transpose(1, 2)) * scale
        else:
            scores = torch.baddbmm(mask, q, k.transpose(1, 2), alpha=scale)
        mixed = torch.bmm(scores.softmax(-1), v)
        return self.output(mixed.transpose(0, 1).reshape(x.shape))


class Layer(nn.Module):
    def __init__(self, preset, cross, seed):
        super().__init__()
        d = preset.d_model
        self.self_attention = Attention(d, preset.heads, from_memory=False)
        self.cross_attention = Attention(d, preset.heads, from_memory=True) if cross else None
        self.up, self.down = linear(preset.d_ff, d), linear(d, preset.d_ff)
        self.norms = nn.ModuleList(nn.LayerNorm(d) for _ in range(3 if cross else 2))
        self.dropout = Dropout(preset.dropout, seed)

    def forward(self, x, mask, memory=None, memory_mask=None):
        norms = iter(self.norms)
        x = next(norms)(x + self.dropout(self.self_attention(x, None, mask)))
        if self.cross_attention is not None:
            x = next(norms)(x + self.dropout(self.cross_attention(x, memory, memory_mask)))
        return next(norms)(x + self.dropout(self.down(F.relu(self.up(x), inplace=True))))


class Transformer(nn.Module):
    def __init__(self, preset, vocabulary, seed, longest=1024):
        super().__init__()
        d = preset.d_model
        self.table = nn.Parameter(torch.randn(vocabulary, d) * d**-0.5)
        self.encoder = nn.ModuleList(Layer(preset, False, seed + 1 + i) for i in range(preset.encoder_layers))
        self.decoder = nn.ModuleList(Layer(preset, True, seed + 101 + i) for i in range(preset.decoder_layers))
        self.dropout = Dropout(preset.dropout, seed)
        self.register_buffer("position_encoding", sinusoids(longest, d)[:, None])

    def embed(self, ids):
        rows = F.embedding(ids, self.table)
        return self.dropout(torch.add(self.position_encoding[: len(ids)], rows, alpha=math.sqrt(self.table.size(1))))

    def forward(self, batch, smoothing=0.1):
        """The sum of the losses of all target tokens that are not padding."""
        memory = self.embed(batch.source)
        for layer in self.encoder:
            memory = layer(memory, batch.source_mask)
        x = self.embed(batch.input)
        for layer in self.decoder:
            x = layer(x, batch.causal_mask, memory, batch.source_mask)
        hidden = x.view(-1, x.size(2)).index_select(0, batch.real_indices)
        return SmoothedLoss.apply(hidden, self.table, batch.expected, smoothing)


class Trainer:
    """A model and its Adam optimizer."""

    def __init__(self, preset, vocabulary, seed):
        torch.manual_seed(seed)
        self.model = Transformer(preset, vocabulary, seed)
        self.adam = torch.optim.Adam(self.model.parameters(), betas=(0.9, 0.98), eps=1e-9, foreach=True)

    def size(self):
        return sum(parameter.numel() for parameter in self.model.parameters())

    def step(self, batch, rate, autocast=False):
        for group in self.adam.param_groups:
            group["lr"] = rate
        self.adam.zero_grad(set_to_none=True)
        with torch.autocast("cpu", torch.bfloat16, enabled=autocast):
            loss = self.model(batch) / batch.target_tokens
        loss.backward()
        self.adam.step()
        return float(loss.detach())
