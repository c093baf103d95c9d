"""One training step of the encoder-decoder Transformer in PyTorch, as fast as possible on a CPU.

Each sublayer is one autograd.Function whose backward pass is written by hand: few kernels, results
in place, weight gradients in one flat buffer, one byte per element of a dropout mask. Activations
are [batch * time, d_model]; the queries, keys and values of each head are gathered into separate
matrices. PyTorch multiplies these matrices one by one, so attention processes short sentences in groups,
with a mask that separates them. Sublayers are post-norm: norm(x + dropout(f(x))), as in the paper.

With `Products.rounded` the operands and results of products with weights are bfloat16, which oneDNN
multiplies. Results are converted back to float32, except those of the feed-forward sublayer's inner
layer. An operand of two products is rounded once.
"""
import itertools
import math
from dataclasses import dataclass

import numpy
import torch

aten = torch.ops.aten


class Products:
    rounded = False


def operand(x):
    """x in the type of a product's operands."""
    return x.bfloat16() if Products.rounded else x


def whole(x):
    """The result of a product in float32."""
    return x.float() if Products.rounded else x


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
    """The weights of one sublayer and, under the same names with the prefix d_, their gradients."""

    def ready(self):
        """Called before a step: stores the weights as operands of products, with the prefix p_."""
        for name in ("qkv", "q", "kv", "out", "up", "down"):
            for weight in (name, name + "_bias"):
                if hasattr(self, weight):
                    setattr(self, "p_" + weight, operand(getattr(self, weight)))


class Weights:
    """All parameters as views of one flat tensor, and their gradients as views of another."""

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
    """Masks of one random byte per element, compared in one pass (PyTorch's own CPU dropout draws its
    numbers one by one). The probability is rounded to a multiple of 1/256, which the scale fits exactly."""

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
        """dropout(dy), also the gradient of the dropout's input."""
        if random is None:
            return dy
        return self.mask(random, dy).mul_(dy).mul_(self.scale)


def product_gradients(x, dy, d_weight, d_bias):
    """Writes the gradients of a weight and its bias; x is an operand. Returns dy as an operand."""
    if not Products.rounded:
        torch.mm(x.t(), dy, out=d_weight)
        torch.sum(dy, 0, out=d_bias)
        return dy
    torch.sum(dy, 0, dtype=torch.float32, out=d_bias)
    rounded = operand(dy)
    d_weight.copy_(torch.mm(x.t(), rounded))
    return rounded


def add_product(x, a, b):
    """x + a b, in place of x."""
    return x.add_(torch.mm(a, b)) if Products.rounded else x.addmm_(a, b)


class Residual:
    """norm(x + dropout(y)) at the end of each sublayer, and its backward pass."""

    @staticmethod
    def forward(ctx, x, y, w, dropout):
        ctx.random = dropout.bytes_like(y)
        ctx.sum = dropout.add(x, y, ctx.random)
        out, ctx.mean, ctx.rstd = torch.native_layer_norm(ctx.sum, (x.size(-1),), w.gain, w.shift, 1e-5)
        return out

    @staticmethod
    def backward(ctx, dout, w, dropout):
        """The gradients of x, to which the sublayer adds its own, and of y."""
        dx, d_gain, d_shift = aten.native_layer_norm_backward(
            dout, ctx.sum, (dout.size(-1),), ctx.mean, ctx.rstd, w.gain, w.shift, (True, True, True))
        w.d_gain.copy_(d_gain)
        w.d_shift.copy_(d_shift)
        return dx, dropout.scaled(dx, ctx.random)


def split_heads(x, parts, heads, group):
    """[tokens, parts * d] -> [parts, heads * tokens / group, group, d_head]"""
    split = x.view(x.size(0), parts, heads, -1).permute(1, 2, 0, 3)
    return split.reshape(parts, -1, group, split.size(3))


def join_heads(x, heads):
    """The inverse of split_heads()."""
    parts, d_head = x.size(0), x.size(3)
    return x.view(parts, heads, -1, d_head).permute(2, 0, 1, 3).reshape(-1, parts * heads * d_head)


def attend(q, k, v, mask):
    """softmax(q k^T / sqrt(d_head) + mask) v, and the probabilities."""
    scale = q.size(-1) ** -0.5
    if mask is None:
        scores = torch.bmm(q, k.transpose(1, 2)).mul_(scale)
    else:
        scores = torch.baddbmm(mask, q, k.transpose(1, 2), alpha=scale)
    p = torch._softmax(scores, -1, False, out=scores)
    return torch.bmm(p, v), p


def attend_backward(dout, p, q, k, v, dq, dk, dv):
    dp = torch.bmm(dout, v.transpose(1, 2))
    torch.bmm(p.transpose(1, 2), dout, out=dv)
    aten._softmax_backward_data.out(dp, p, -1, torch.float32, grad_input=dp)
    dp.mul_(q.size(-1) ** -0.5)
    torch.bmm(dp, k, out=dq)
    torch.bmm(dp.transpose(1, 2), q, out=dk)


class SelfAttention(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w, mask, heads, group, dropout):
        rounded = operand(x)
        qkv = whole(split_heads(torch.addmm(w.p_qkv_bias, rounded, w.p_qkv), 3, heads, group))
        out, p = attend(*qkv, mask)
        mixed = join_heads(operand(out)[None], heads)
        ctx.saved = rounded, w, qkv, p, mixed, heads, group, dropout
        return Residual.forward(ctx, x, whole(torch.addmm(w.p_out_bias, mixed, w.p_out)), w, dropout)

    @staticmethod
    def backward(ctx, dout):
        x, w, qkv, p, mixed, heads, group, dropout = ctx.saved
        dx, dy = Residual.backward(ctx, dout, w, dropout)
        dy = product_gradients(mixed, dy, w.d_out, w.d_out_bias)
        (d_mixed,) = whole(split_heads(torch.mm(dy, w.p_out.t()), 1, heads, group))
        d_qkv = torch.empty_like(qkv)
        attend_backward(d_mixed, p, *qkv, *d_qkv)
        d_qkv = product_gradients(x, join_heads(d_qkv, heads), w.d_qkv, w.d_qkv_bias)
        return add_product(dx, d_qkv, w.p_qkv.t()), None, None, None, None, None


class CrossAttention(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, _, memory, w, mask, heads, groups, dropout):
        """The encoder's output is passed twice: for its gradient, and as an operand (`memory`)."""
        rounded = operand(x)
        (q,) = whole(split_heads(torch.addmm(w.p_q_bias, rounded, w.p_q), 1, heads, groups[0]))
        kv = whole(split_heads(torch.addmm(w.p_kv_bias, memory, w.p_kv), 2, heads, groups[1]))
        out, p = attend(q, *kv, mask)
        mixed = join_heads(operand(out)[None], heads)
        ctx.saved = rounded, memory, w, q, kv, p, mixed, heads, groups, dropout
        return Residual.forward(ctx, x, whole(torch.addmm(w.p_out_bias, mixed, w.p_out)), w, dropout)

    @staticmethod
    def backward(ctx, dout):
        x, memory, w, q, kv, p, mixed, heads, groups, dropout = ctx.saved
        dx, dy = Residual.backward(ctx, dout, w, dropout)
        dy = product_gradients(mixed, dy, w.d_out, w.d_out_bias)
        (d_mixed,) = whole(split_heads(torch.mm(dy, w.p_out.t()), 1, heads, groups[0]))
        dq, d_kv = torch.empty_like(q), torch.empty_like(kv)
        attend_backward(d_mixed, p, q, *kv, dq, *d_kv)
        dq = product_gradients(x, join_heads(dq[None], heads), w.d_q, w.d_q_bias)
        d_kv = product_gradients(memory, join_heads(d_kv, heads), w.d_kv, w.d_kv_bias)
        dx, d_memory = add_product(dx, dq, w.p_q.t()), whole(torch.mm(d_kv, w.p_kv.t()))
        return dx, d_memory, None, None, None, None, None, None


class FeedForward(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w, dropout):
        rounded = operand(x)
        hidden = torch.addmm(w.p_up_bias, rounded, w.p_up).relu_()
        ctx.saved = rounded, w, hidden, dropout
        return Residual.forward(ctx, x, whole(torch.addmm(w.p_down_bias, hidden, w.p_down)), w, dropout)

    @staticmethod
    def backward(ctx, dout):
        x, w, hidden, dropout = ctx.saved
        dx, dy = Residual.backward(ctx, dout, w, dropout)
        dy = product_gradients(hidden, dy, w.d_down, w.d_down_bias)
        d_hidden = torch.mm(dy, w.p_down.t())
        aten.threshold_backward.grad_input(d_hidden, hidden, 0, grad_input=d_hidden)
        product_gradients(x, d_hidden, w.d_up, w.d_up_bias)
        return add_product(dx, d_hidden, w.p_up.t()), None, None


class Embed(torch.autograd.Function):
    """dropout(sqrt(d_model) E[ids] + positions); `anchor` makes autograd call backward()."""

    @staticmethod
    def forward(ctx, anchor, ids, table, d_table, positions, dropout):
        x = torch.nn.functional.embedding(ids, table)
        torch.add(positions[: ids.size(1)], x, alpha=math.sqrt(table.size(1)), out=x)
        x = x.view(-1, x.size(-1))
        random = dropout.bytes_like(x)
        ctx.saved = ids, d_table, random, dropout
        return dropout.scaled(x, random)

    @staticmethod
    def backward(ctx, dx):
        ids, d_table, random, dropout = ctx.saved
        dx = dropout.scaled(dx, random)
        found = aten.embedding_dense_backward(dx, ids.view(-1), d_table.size(0), -1, False)
        d_table.add_(found, alpha=math.sqrt(d_table.size(1)))  # added to what the loss has written
        return (None,) * 6


class SmoothedLoss(torch.autograd.Function):
    """Projection on the embedding and label-smoothed cross-entropy, summed over real target tokens.

    The logits are computed for one block of rows at a time. With p = softmax(h E^T) the gradient of the
    logits is p - eps/V - (1 - eps) onehot(y). The last two terms are of rank one and sparse, so p is the only
    large matrix.
    """
    ROWS = 1024

    @staticmethod
    def forward(ctx, hidden, index, expected, table, d_table, smoothing, scale):
        h = hidden.index_select(0, index)
        vocabulary = table.size(0)
        dh, loss, first = torch.empty_like(h), 0.0, True
        column_sum, rounded_table = table.sum(0), operand(table)
        for begin in range(0, h.size(0), SmoothedLoss.ROWS):
            some, y = h[begin : begin + SmoothedLoss.ROWS], expected[begin : begin + SmoothedLoss.ROWS]
            wanted = table.index_select(0, y)
            rounded = operand(some)
            p = whole(torch.mm(rounded, rounded_table.t()))
            torch._softmax(p, -1, False, out=p)
            log_p = p.gather(1, y[:, None]).squeeze(1).clamp_(min=1e-37).log_()
            # sum_v log p_v = sum_v z_v - V logsumexp(z), where logsumexp(z) = z_y - log p_y
            z_y = (some * wanted).sum(1)
            sum_log_p = torch.mv(some, column_sum) - vocabulary * (z_y - log_p)
            loss -= float((1 - smoothing) * log_p.sum() + smoothing / vocabulary * sum_log_p.sum())
            out, p = dh[begin : begin + SmoothedLoss.ROWS], operand(p)
            if Products.rounded:
                out.copy_(torch.mm(p, rounded_table))
                d_table.zero_() if first else None
                d_table.add_(torch.mm(p.t(), rounded), alpha=scale)
            else:
                torch.mm(p, table, out=out)
                d_table.addmm_(p.t(), some, beta=0 if first else 1, alpha=scale)
            out.sub_(column_sum, alpha=smoothing / vocabulary).sub_(wanted, alpha=1 - smoothing).mul_(scale)
            first = False
        d_table.sub_(h.sum(0), alpha=scale * smoothing / vocabulary)
        onehot = aten.embedding_dense_backward(h, expected, vocabulary, -1, False)
        d_table.sub_(onehot, alpha=scale * (1 - smoothing))
        ctx.saved = index, dh, hidden.shape
        return torch.tensor(loss)

    @staticmethod
    def backward(ctx, _):
        index, dh, shape = ctx.saved
        if dh.size(0) < shape[0]:  # padding has no loss
            dh = torch.zeros(shape).index_copy_(0, index, dh)
        return (dh,) + (None,) * 6


def sinusoids(length, d_model):
    position = torch.arange(length)[:, None]
    frequency = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10000.0) / d_model))
    table = torch.empty(length, d_model)
    table[:, 0::2], table[:, 1::2] = torch.sin(position * frequency), torch.cos(position * frequency)
    return table


def group_mask(real, queries, group, heads, causal):
    """0 where a query attends and -inf elsewhere, for groups of sentences side by side; None if every query
    attends to every key. real [batch, keys] marks the keys that are not padding."""
    batch, keys = real.shape
    allowed = real.view(-1, group, 1, keys).expand(-1, -1, queries, -1)
    if causal:
        allowed = allowed & torch.ones(queries, keys, dtype=torch.bool).tril()
    mask = torch.full((batch // group, group, queries, group, keys), float("-inf"))
    for i in range(group):
        mask[:, i, :, i].masked_fill_(allowed[:, i], 0)
    mask = mask.view(-1, group * queries, group * keys)
    if real.all():
        return mask[:1] if group > 1 or causal else None
    return mask.expand(heads, *mask.shape).reshape(-1, *mask.shape[1:])


class Batch:
    """Padded random ids for pairs of lengths, with </s> at the ends and <s> before the targets."""
    TOGETHER = 28  # approximate tokens per attention group; the fastest value on short sentences

    def __init__(self, pairs, vocabulary, heads, generator):
        longest = max(map(max, pairs)) + 1
        group = max(1, self.TOGETHER // longest)
        empty = -len(pairs) % group  # so that the last group is full

        def padded(lengths):
            length = torch.tensor(lengths + [0] * empty)
            ids = torch.randint(3, vocabulary, (len(length), max(lengths)), generator=generator)
            ids[torch.arange(len(lengths)), length[: len(lengths)] - 1] = 2
            return ids, torch.arange(ids.size(1)) < length[:, None]  # [batch, time]

        self.source, real = padded([source + 1 for source, _ in pairs])
        self.source_tokens = int(real.sum())
        self.source_keys = real
        self.source_keys[:, 0] = True  # an empty sentence must attend to some key
        output, real = padded([target + 1 for _, target in pairs])
        self.input = torch.cat([torch.ones(len(output), 1, dtype=torch.long), output[:, :-1]], 1)
        self.real = real.view(-1).nonzero().squeeze(1)
        self.expected = output.view(-1)[self.real]
        self.target_tokens = len(self.real)
        self.positions = self.source.numel() + self.input.numel()

        source_time, target_time = self.source.size(1), self.input.size(1)
        self.source_group, self.target_group = group * source_time, group * target_time
        self.source_mask = group_mask(self.source_keys, source_time, group, heads, causal=False)
        self.cross_mask = group_mask(self.source_keys, target_time, group, heads, causal=False)
        self.causal_mask = group_mask(torch.ones_like(real), target_time, group, heads, causal=True)


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
        for sublayer in itertools.chain(*self.encoder, *self.decoder):
            sublayer.ready()
        embed = lambda ids: Embed.apply(self.anchor, ids, self.table, self.d_table, self.positions, drop)
        memory = embed(batch.source)
        for attention, feed_forward in self.encoder:
            memory = SelfAttention.apply(memory, attention, batch.source_mask, heads, batch.source_group, drop)
            memory = FeedForward.apply(memory, feed_forward, drop)
        x, groups = embed(batch.input), (batch.target_group, batch.source_group)
        rounded = operand(memory.detach())
        for attention, cross, feed_forward in self.decoder:
            x = SelfAttention.apply(x, attention, batch.causal_mask, heads, batch.target_group, drop)
            x = CrossAttention.apply(x, memory, rounded, cross, batch.cross_mask, heads, groups, drop)
            x = FeedForward.apply(x, feed_forward, drop)
        loss = SmoothedLoss.apply(x, batch.real, batch.expected, self.table, self.d_table, smoothing, scale)
        loss.backward()
        return float(loss.detach())
