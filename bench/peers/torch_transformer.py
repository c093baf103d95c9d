"""One training step of the encoder-decoder Transformer in PyTorch, as fast as PyTorch alone goes on a CPU.

Each sublayer is one autograd.Function whose backward is written by hand: few kernels, results in
place, weight gradients straight into one flat buffer, one byte kept for each dropout mask element.
Activations are [time, batch, d_model], so that a head of a sentence is a strided matrix and attention
copies nothing. Sublayers are post-norm: norm(x + dropout(f(x))), as in the paper.
"""
import math
from dataclasses import dataclass

import numpy
import torch

aten = torch.ops.aten


@dataclass(frozen=True)
class Preset:
    encoder_layers: int
    decoder_layers: int
    d_model: int
    d_ff: int
    heads: int
    dropout: float


PRESETS = {
    "tiny": Preset(4, 4, 128, 256, 4, 0.3),
    "small": Preset(3, 3, 256, 1024, 4, 0.3),
    "base": Preset(6, 6, 512, 2048, 8, 0.1),
}


def parameter_shapes(preset, vocabulary):
    d, ff = preset.d_model, preset.d_ff
    shapes = {"embedding": (vocabulary, d)}

    def sublayer(name, weights):
        for weight, shape in weights.items():
            shapes[f"{name}.{weight}"] = shape
        shapes[f"{name}.gain"] = shapes[f"{name}.shift"] = (d,)

    def layer(name, cross):
        attention = {"qkv": (d, 3 * d), "qkv_bias": (3 * d,), "out": (d, d), "out_bias": (d,)}
        sublayer(f"{name}.self", attention)
        if cross:
            sublayer(f"{name}.cross", {"q": (d, d), "q_bias": (d,), "kv": (d, 2 * d), "kv_bias": (2 * d,),
                                       "out": (d, d), "out_bias": (d,)})
        sublayer(f"{name}.ff", {"up": (d, ff), "up_bias": (ff,), "down": (ff, d), "down_bias": (d,)})

    for i in range(preset.encoder_layers):
        layer(f"encoder.{i}", cross=False)
    for i in range(preset.decoder_layers):
        layer(f"decoder.{i}", cross=True)
    return shapes


class Sublayer:
    """The weights of one sublayer and, under the same names with d_ before, their gradients."""


class Weights:
    """All parameters as windows into one flat tensor, and their gradients into another."""

    def __init__(self, shapes, flat, gradient):
        self.values, self.gradients, at = {}, {}, 0
        for name, shape in shapes.items():
            size = math.prod(shape)
            self.values[name] = flat[at : at + size].view(shape)
            self.gradients[name] = gradient[at : at + size].view(shape)
            at += size

    def initialise(self):
        for name, value in self.values.items():
            if name == "embedding":
                value.normal_(0, value.size(1) ** -0.5)
            elif name.endswith("gain"):
                value.fill_(1)
            elif value.dim() == 2:
                torch.nn.init.xavier_uniform_(value)

    def sublayer(self, name):
        sublayer = Sublayer()
        for full, value in self.values.items():
            if full.startswith(name + "."):
                weight = full[len(name) + 1 :]
                setattr(sublayer, weight, value)
                setattr(sublayer, "d_" + weight, self.gradients[full])
        return sublayer


class Dropout:
    """Masks of one random byte an element, compared in one pass (PyTorch's own CPU dropout draws its
    numbers one by one). The probability is a multiple of 1/256, and the scale fits it exactly."""

    def __init__(self, probability, seed):
        self.threshold = round(probability * 256)
        self.scale = 256 / (256 - self.threshold)
        self.generator = numpy.random.Generator(numpy.random.SFC64(seed))

    def bytes_like(self, x):
        if self.threshold == 0:
            return None
        words = self.generator.integers(0, 2**64 - 1, (x.numel() + 7) // 8, numpy.uint64, endpoint=True)
        return torch.from_numpy(words.view(numpy.uint8))[: x.numel()].view(x.shape)

    def mask(self, random, like):
        return torch.ge(random, self.threshold, out=torch.empty_like(like))

    def add(self, x, y, random):
        """x + dropout(y)"""
        if random is None:
            return x + y
        return torch.addcmul(x, y, self.mask(random, y), value=self.scale)

    def scaled(self, dy, random):
        """The gradient before the dropout."""
        if random is None:
            return dy
        return self.mask(random, dy).mul_(dy).mul_(self.scale)


def rows(x):
    return x.view(-1, x.size(-1))


def product_gradients(x, dy, d_weight, d_bias):
    torch.mm(x.t(), dy, out=d_weight)
    torch.sum(dy, 0, out=d_bias)


class Residual:
    """norm(x + dropout(y)) at the end of each sublayer, and its way back."""

    @staticmethod
    def forward(ctx, x, y, w, dropout):
        ctx.random = dropout.bytes_like(y)
        ctx.sum = dropout.add(x, y, ctx.random)
        out, ctx.mean, ctx.rstd = torch.native_layer_norm(ctx.sum, (x.size(-1),), w.gain, w.shift, 1e-5)
        return out

    @staticmethod
    def backward(ctx, dout, w, dropout):
        """Gradients of x, for the sublayer to add its own to, and of y."""
        dx, d_gain, d_shift = aten.native_layer_norm_backward(
            dout, ctx.sum, (dout.size(-1),), ctx.mean, ctx.rstd, w.gain, w.shift, (True, True, True))
        w.d_gain.copy_(d_gain)
        w.d_shift.copy_(d_shift)
        return dx, dropout.scaled(dx, ctx.random)


def heads_of(x, parts, heads):
    """[time, batch, parts * d] -> for each part a view [batch * heads, time, d_head]."""
    time, batch, width = x.shape
    split = x.view(time, batch, parts, heads, width // parts // heads)
    if parts == 1:
        return [split.view(time, batch * heads, -1).transpose(0, 1)]
    # The heads of all sentences merge into one axis only if a part is inside a head.
    split = x.view(time, batch * heads, parts, width // parts // heads)
    return [split[:, :, part].transpose(0, 1) for part in range(parts)]


def attend(q, k, v, mask, out):
    """softmax(q k^T / sqrt(d_head) + mask) v into `out`; the probabilities."""
    scale = q.size(-1) ** -0.5
    if mask is None:
        scores = torch.empty(q.size(0), q.size(1), k.size(1)).baddbmm_(q, k.transpose(1, 2), beta=0, alpha=scale)
    else:
        scores = torch.baddbmm(mask, q, k.transpose(1, 2), alpha=scale)
    p = torch._softmax(scores, -1, False, out=scores)
    torch.bmm(p, v, out=out)
    return p


def attend_backward(dout, p, q, k, v, dq, dk, dv):
    dp = torch.bmm(dout, v.transpose(1, 2))
    torch.bmm(p.transpose(1, 2), dout, out=dv)
    aten._softmax_backward_data.out(dp, p, -1, torch.float32, grad_input=dp)
    dp.mul_(q.size(-1) ** -0.5)
    torch.bmm(dp, k, out=dq)
    torch.bmm(dp.transpose(1, 2), q, out=dk)


class SelfAttention(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w, mask, heads, dropout):
        qkv = torch.addmm(w.qkv_bias, rows(x), w.qkv).view(*x.shape[:2], -1)
        mixed = torch.empty_like(x)
        q, k, v = heads_of(qkv, 3, heads)
        p = attend(q, k, v, mask, heads_of(mixed, 1, heads)[0])
        ctx.saved = x, w, qkv, p, mixed, heads, dropout
        y = torch.addmm(w.out_bias, rows(mixed), w.out).view_as(x)
        return Residual.forward(ctx, x, y, w, dropout)

    @staticmethod
    def backward(ctx, dout):
        x, w, qkv, p, mixed, heads, dropout = ctx.saved
        dx, dy = Residual.backward(ctx, dout, w, dropout)
        product_gradients(rows(mixed), rows(dy), w.d_out, w.d_out_bias)
        d_mixed = torch.mm(rows(dy), w.out.t()).view_as(x)
        d_qkv = torch.empty_like(qkv)
        attend_backward(heads_of(d_mixed, 1, heads)[0], p, *heads_of(qkv, 3, heads), *heads_of(d_qkv, 3, heads))
        product_gradients(rows(x), rows(d_qkv), w.d_qkv, w.d_qkv_bias)
        rows(dx).addmm_(rows(d_qkv), w.qkv.t())
        return dx, None, None, None, None


class CrossAttention(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, memory, w, mask, heads, dropout):
        q = torch.addmm(w.q_bias, rows(x), w.q).view_as(x)
        kv = torch.addmm(w.kv_bias, rows(memory), w.kv).view(*memory.shape[:2], -1)
        mixed = torch.empty_like(x)
        p = attend(*heads_of(q, 1, heads), *heads_of(kv, 2, heads), mask, heads_of(mixed, 1, heads)[0])
        ctx.saved = x, memory, w, q, kv, p, mixed, heads, dropout
        y = torch.addmm(w.out_bias, rows(mixed), w.out).view_as(x)
        return Residual.forward(ctx, x, y, w, dropout)

    @staticmethod
    def backward(ctx, dout):
        x, memory, w, q, kv, p, mixed, heads, dropout = ctx.saved
        dx, dy = Residual.backward(ctx, dout, w, dropout)
        product_gradients(rows(mixed), rows(dy), w.d_out, w.d_out_bias)
        d_mixed = torch.mm(rows(dy), w.out.t()).view_as(x)
        dq, d_kv = torch.empty_like(q), torch.empty_like(kv)
        attend_backward(heads_of(d_mixed, 1, heads)[0], p, *heads_of(q, 1, heads), *heads_of(kv, 2, heads),
                        *heads_of(dq, 1, heads), *heads_of(d_kv, 2, heads))
        product_gradients(rows(x), rows(dq), w.d_q, w.d_q_bias)
        product_gradients(rows(memory), rows(d_kv), w.d_kv, w.d_kv_bias)
        rows(dx).addmm_(rows(dq), w.q.t())
        return dx, torch.mm(rows(d_kv), w.kv.t()).view_as(memory), None, None, None, None


class FeedForward(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w, dropout):
        hidden = torch.addmm(w.up_bias, rows(x), w.up).relu_()
        ctx.saved = x, w, hidden, dropout
        return Residual.forward(ctx, x, torch.addmm(w.down_bias, hidden, w.down).view_as(x), w, dropout)

    @staticmethod
    def backward(ctx, dout):
        x, w, hidden, dropout = ctx.saved
        dx, dy = Residual.backward(ctx, dout, w, dropout)
        product_gradients(hidden, rows(dy), w.d_down, w.d_down_bias)
        d_hidden = torch.mm(rows(dy), w.down.t())
        aten.threshold_backward.grad_input(d_hidden, hidden, 0, grad_input=d_hidden)
        product_gradients(rows(x), d_hidden, w.d_up, w.d_up_bias)
        rows(dx).addmm_(d_hidden, w.up.t())
        return dx, None, None


class Embed(torch.autograd.Function):
    """dropout(sqrt(d_model) E[ids] + positions); `anchor` only makes autograd come here."""

    @staticmethod
    def forward(ctx, anchor, ids, table, d_table, positions, dropout):
        x = torch.nn.functional.embedding(ids, table)
        torch.add(positions[: ids.size(0)], x, alpha=math.sqrt(table.size(1)), out=x)
        random = dropout.bytes_like(x)
        ctx.saved = ids, d_table, random, dropout
        return dropout.scaled(x, random)

    @staticmethod
    def backward(ctx, dx):
        ids, d_table, random, dropout = ctx.saved
        dx = dropout.scaled(dx, random)
        found = aten.embedding_dense_backward(dx, ids, d_table.size(0), -1, False)
        d_table.add_(found, alpha=math.sqrt(d_table.size(1)))  # the loss has written there before
        return (None,) * 6


class SmoothedLoss(torch.autograd.Function):
    """Projection on the embedding and label-smoothed cross-entropy, summed over real target tokens.

    The logits exist for some rows at a time. With p = softmax(h E^T) the gradient of the logits is
    p - eps/V - (1 - eps) onehot(y); its last two terms are of rank one and sparse, so of the large
    matrix only p is ever touched, once.
    """
    ROWS = 512

    @staticmethod
    def forward(ctx, hidden, index, expected, table, d_table, smoothing, scale):
        h = rows(hidden).index_select(0, index)
        vocabulary = table.size(0)
        dh, loss, first = torch.empty_like(h), 0.0, True
        column_sum = table.sum(0)
        for begin in range(0, h.size(0), SmoothedLoss.ROWS):
            some, y = h[begin : begin + SmoothedLoss.ROWS], expected[begin : begin + SmoothedLoss.ROWS]
            wanted = table.index_select(0, y)
            p = torch.mm(some, table.t())
            torch._softmax(p, -1, False, out=p)
            log_p = p.gather(1, y[:, None]).squeeze(1).clamp_(min=1e-37).log_()
            # sum_v log p_v = sum_v z_v - V logsumexp(z), where logsumexp(z) = z_y - log p_y
            z_y = (some * wanted).sum(1)
            sum_log_p = torch.mv(some, column_sum) - vocabulary * (z_y - log_p)
            loss -= float((1 - smoothing) * log_p.sum() + smoothing / vocabulary * sum_log_p.sum())
            out = torch.mm(p, table, out=dh[begin : begin + SmoothedLoss.ROWS])
            out.sub_(column_sum, alpha=smoothing / vocabulary).sub_(wanted, alpha=1 - smoothing).mul_(scale)
            d_table.addmm_(p.t(), some, beta=0 if first else 1, alpha=scale)
            first = False
        d_table.sub_(h.sum(0), alpha=scale * smoothing / vocabulary)
        onehot = aten.embedding_dense_backward(h, expected, vocabulary, -1, False)
        d_table.sub_(onehot, alpha=scale * (1 - smoothing))
        ctx.saved = index, dh, hidden.shape
        return torch.tensor(loss)

    @staticmethod
    def backward(ctx, _):
        index, dh, shape = ctx.saved
        d_hidden = dh if dh.size(0) == shape[0] * shape[1] else torch.zeros(
            shape[0] * shape[1], shape[2]).index_copy_(0, index, dh)
        return (d_hidden.view(shape),) + (None,) * 6


def sinusoids(length, d_model):
    position = torch.arange(length)[:, None]
    frequency = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10000.0) / d_model))
    table = torch.empty(length, d_model)
    table[:, 0::2], table[:, 1::2] = torch.sin(position * frequency), torch.cos(position * frequency)
    return table[:, None]  # [time, 1, d_model]


class Batch:
    """Random ids for pairs of lengths; padded, with </s> at the ends and <s> before the targets."""

    def __init__(self, pairs, vocabulary, heads, generator):
        def padded(lengths):
            ids = torch.randint(3, vocabulary, (max(lengths), len(lengths)), generator=generator)
            length = torch.tensor(lengths)
            ids[length - 1, torch.arange(len(lengths))] = 2
            return ids, torch.arange(max(lengths))[:, None] < length  # [time, batch]

        self.source, real = padded([source + 1 for source, _ in pairs])
        self.source_tokens = int(real.sum())
        self.source_mask = None
        if not real.all():
            mask = torch.zeros(real.shape).masked_fill_(~real, float("-inf"))
            self.source_mask = mask.t()[:, None].repeat_interleave(heads, 0)  # [batch * heads, 1, time]
        output, real = padded([target + 1 for _, target in pairs])
        self.input = torch.cat([torch.ones(1, len(pairs), dtype=torch.long), output[:-1]])
        self.real = real.view(-1).nonzero().squeeze(1)
        self.expected = output.view(-1)[self.real]
        self.target_tokens = len(self.real)
        self.positions = self.source.numel() + self.input.numel()
        self.causal = torch.full((len(output), len(output)), float("-inf")).triu_(1)


class Transformer:
    def __init__(self, preset, weights, seed, longest=1024):
        self.preset, self.table, self.d_table = preset, weights.values["embedding"], weights.gradients["embedding"]
        self.positions = sinusoids(longest, preset.d_model)
        self.dropout = Dropout(preset.dropout, seed)
        self.encoder = [[weights.sublayer(f"encoder.{i}.{name}") for name in ("self", "ff")]
                        for i in range(preset.encoder_layers)]
        self.decoder = [[weights.sublayer(f"decoder.{i}.{name}") for name in ("self", "cross", "ff")]
                        for i in range(preset.decoder_layers)]
        self.anchor = torch.zeros((), requires_grad=True)

    def step(self, batch, scale, smoothing=0.1):
        """The sum of the losses; the gradients, times `scale`, are in the flat buffer afterwards."""
        heads, drop = self.preset.heads, self.dropout
        embed = lambda ids: Embed.apply(self.anchor, ids, self.table, self.d_table, self.positions, drop)
        memory = embed(batch.source)
        for attention, feed_forward in self.encoder:
            memory = SelfAttention.apply(memory, attention, batch.source_mask, heads, drop)
            memory = FeedForward.apply(memory, feed_forward, drop)
        x = embed(batch.input)
        for attention, cross, feed_forward in self.decoder:
            x = SelfAttention.apply(x, attention, batch.causal, heads, drop)
            x = CrossAttention.apply(x, memory, cross, batch.source_mask, heads, drop)
            x = FeedForward.apply(x, feed_forward, drop)
        loss = SmoothedLoss.apply(x, batch.real, batch.expected, self.table, self.d_table, smoothing, scale)
        loss.backward()
        return float(loss)
