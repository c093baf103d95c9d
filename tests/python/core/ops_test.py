"""Every op: its value is NumPy's, its gradient is its slope."""

from math import erf, sqrt

import calque.core as c
import numpy as np
import pytest

random = np.random.default_rng(3)


def normal(*shape):
    return random.normal(size=shape).astype(np.float32)


def positive(*shape):
    return np.abs(normal(*shape)) + np.float32(0.5)


def off_zero(*shape):  # relu has no slope at 0
    x = normal(*shape)
    return x + np.where(x < 0, -0.2, 0.2).astype(np.float32)


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def gelu(x):
    return x * (1 + np.vectorize(erf)(x / sqrt(2))) / 2


def gelu_tanh(x):
    return x * (1 + np.tanh(sqrt(2 / np.pi) * (x + 0.044715 * x**3))) / 2


def swiglu(x):
    a, b = np.split(x, 2, -1)
    return a * sigmoid(a) * b


def norm(x, gain, bias):
    return gain * (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5) + bias


def rms(x, gain):
    return gain * x / np.sqrt((x**2).mean(-1, keepdims=True) + 1e-5)


def rotated(x):  # one sentence, columns [2, 6) as a head of 4 numbers
    y = x.copy()
    for p in range(len(x)):
        for k in range(2):
            angle = p * 10000.0 ** (-2 * k / 4)
            a, b = x[p, 2 + k], x[p, 4 + k]
            y[p, 2 + k] = a * np.cos(angle) - b * np.sin(angle)
            y[p, 4 + k] = a * np.sin(angle) + b * np.cos(angle)
    return y


def attended(q, k, v, causal=False):  # sentences of 2 and 3 tokens, 2 heads
    rows = []
    for part in (slice(0, 2), slice(2, 5)):
        heads = []
        for h in (slice(0, 3), slice(3, 6)):
            scores = q[part, h] @ k[part, h].T / np.sqrt(3)
            if causal:
                scores = np.where(np.tril(np.ones_like(scores)) > 0, scores, -np.inf)
            heads.append(softmax(scores) @ v[part, h])
        rows.append(np.concatenate(heads, 1))
    return np.concatenate(rows)


def gru(x, u, s):
    (xr, xz, xn), (ur, uz, un) = np.split(x, 3, 1), np.split(u, 3, 1)
    r, z = sigmoid(xr + ur), sigmoid(xz + uz)
    n = np.tanh(xn + r * un)
    return n + z * (s - n)


def lstm(x, u, s):
    i, f, n, o = np.split(x + u, 4, 1)
    cell = sigmoid(f) * s[:, 3:] + sigmoid(i) * np.tanh(n)
    return np.concatenate([sigmoid(o) * np.tanh(cell), cell], 1)


def once(q, k, x, v=None):  # row 0 sees the keys [0, 2), row 1 none, row 2 the keys [2, 5)
    rows = []
    for r, (begin, end) in enumerate(RANGES):
        keys = k[begin:end]
        scores = keys @ q[r] if v is None else np.tanh(q[r] + keys) @ v
        rows.append(softmax(scores) @ x[begin:end] if end > begin else np.zeros(x.shape[1]))
    return np.array(rows)


def cross_entropy(logits):
    log_p = np.log(softmax(logits))
    return -(0.9 * log_p[np.arange(4), EXPECTED] + 0.1 * log_p.mean(-1)).sum()


def agreeing(x, y, w, b):
    p, q = x @ w.T + b, y @ w.T + b
    log_p, log_q = np.log(softmax(p)), np.log(softmax(q))
    kl = (np.exp(log_p) * (log_p - log_q) + np.exp(log_q) * (log_q - log_p)).sum()
    return (cross_entropy(p) + cross_entropy(q)) / 2 + 5 / 4 * kl


def distilled(x, w, b):
    p, q = x @ w.T + b, TEACHER[0] @ TEACHER[1].T + TEACHER[2]
    kl = (softmax(q) * (np.log(softmax(q)) - np.log(softmax(p)))).sum()
    return 0.7 * cross_entropy(p) + 0.3 * kl


def sampled(x, w):
    s = np.einsum("rd,rkd->rk", x, w[np.array(CANDIDATES)])
    return -(np.log(sigmoid(s[:, 0])) + np.log(sigmoid(-s[:, 1:])).sum(1)).sum()


RANGES = [(0, 2), (2, 2), (2, 5)]
EXPECTED = [2, 0, 4, 2]
CANDIDATES = [[0, 1], [3, 0], [2, 2]]
x23, x235 = normal(2, 3), normal(2, 3, 5)
TWO = [2, 3]  # sentences of 2 and 3 tokens

# name: (op over the inputs, the same in NumPy, inputs)
FROZEN = normal(4, 8)
TEACHER = normal(4, 2), normal(6, 2), normal(6)
CASES = {
    "exp": (c.exp, np.exp, [x235]),
    "log": (c.log, np.log, [positive(2, 3)]),
    "square": (c.square, np.square, [x235]),
    "sqrt": (c.sqrt, np.sqrt, [positive(2, 3)]),
    "tanh": (c.tanh, np.tanh, [x235]),
    "sigmoid": (c.sigmoid, sigmoid, [x235]),
    "relu": (c.relu, lambda x: np.maximum(x, 0), [off_zero(2, 3, 5)]),
    "gelu": (c.gelu, gelu, [x235]),
    "gelu_tanh": (c.gelu_tanh, gelu_tanh, [x235]),
    "silu": (c.silu, lambda x: x * sigmoid(x), [x235]),
    "swiglu": (c.swiglu, swiglu, [normal(3, 6)]),
    "geglu": (c.geglu, lambda x: gelu(x[:, :3]) * x[:, 3:], [normal(3, 6)]),
    "geglu_tanh": (c.geglu_tanh, lambda x: gelu_tanh(x[:, :3]) * x[:, 3:], [normal(3, 6)]),
    "dropout": (lambda x: c.dropout(1 * x, 0.0), lambda x: x, [x23]),
    "sum": (c.sum, np.sum, [x235]),
    "mean": (c.mean, np.mean, [x235]),
    "sum_of_rows": (c.sum_of_rows, lambda x: x.sum((0, 1)), [x235]),
    "sum_in_rows": (c.sum_in_rows, lambda x: x.sum(-1, keepdims=True), [x235]),
    "mean_in_rows": (c.mean_in_rows, lambda x: x.mean(-1, keepdims=True), [x235]),
    "max_in_rows": (c.max_in_rows, lambda x: x.max(-1, keepdims=True),
                    [np.array([[1, 3, 2], [5, -1, 0]], np.float32)]),
    "mean_of_segments": (lambda x: c.mean_of_segments(x, TWO),
                         lambda x: np.stack([x[:2].mean(0), x[2:].mean(0)]), [normal(5, 4)]),
    "matmul": (c.matmul, np.matmul, [normal(2, 3, 4), normal(2, 4, 2)]),
    "matmul of a transposed": (lambda a, b: c.matmul(a, b, "right"), lambda a, b: a @ b.T,
                               [normal(3, 4), normal(5, 4)]),
    "linear": (lambda x, w, b: c.linear(x, w, b, "relu"), lambda x, w, b: np.maximum(x @ w + b, 0),
               [positive(3, 4), positive(4, 2), positive(2)]),
    "linear without bias": (c.linear, np.matmul, [normal(3, 4), normal(4, 2)]),
    "adapted_linear": (
        lambda x, a, b, d: c.adapted_linear(x, FROZEN, FROZEN[0], a, [b, d], 0.5, 0),
        lambda x, a, b, d: x @ FROZEN + FROZEN[0] + 0.5 * np.concatenate([x @ a[:, :2] @ b, x @ a[:, 2:] @ d], 1),
        [normal(3, 4), normal(4, 4), normal(2, 3), normal(2, 5)]),
    "swap_axes": (lambda x: c.swap_axes(x, 0, 2), lambda x: x.swapaxes(0, 2), [x235]),
    "transpose": (c.transpose, lambda x: x.swapaxes(1, 2), [x235]),
    "slice_rows": (lambda x: c.slice_rows(x, 1, 3), lambda x: x[1:3], [normal(4, 3)]),
    "slice_cols": (lambda x: c.slice_cols(x, 1, 3), lambda x: x[:, 1:3], [normal(2, 4)]),
    "concat_rows": (lambda a, b: c.concat_rows([a, b]), lambda a, b: np.concatenate([a, b]),
                    [normal(2, 3), normal(1, 3)]),
    "concat_cols": (lambda a, b: c.concat_cols([a, b]), lambda a, b: np.concatenate([a, b], 1),
                    [normal(2, 3), normal(2, 1)]),
    "gather_rows": (lambda x: c.gather_rows(x, [2, 0, 2]), lambda x: x[[2, 0, 2]], [normal(3, 4)]),
    "pick_cols": (lambda x: c.pick_cols(x, [[1, 0], [2, 2]]),
                  lambda x: np.take_along_axis(x, np.array([[1, 0], [2, 2]]), 1), [x23]),
    "mix_rows": (lambda x, w: c.mix_rows(x, w, [2, 0, -1, 1]),
                 lambda x, w: np.stack([w[0, 0] * x[2] + w[0, 1] * x[0], w[1, 1] * x[1]]),
                 [normal(3, 4), normal(2, 2)]),
    "softmax": (c.softmax, softmax, [x235]),
    "log_softmax": (c.log_softmax, lambda x: np.log(softmax(x)), [x235]),
    "layer_norm": (c.layer_norm, norm, [normal(3, 8), normal(8), normal(8)]),
    "rms_norm": (c.rms_norm, rms, [normal(3, 8), normal(8)]),
    "residual": (lambda x, y: c.residual(x, y, 0.0), np.add, [normal(2, 3), normal(2, 3)]),
    "residual_norm": (lambda x, y, g, b: c.residual_norm(x, y, 0.0, g, b),
                      lambda x, y, g, b: norm(x + y, g, b),
                      [normal(3, 8), normal(3, 8), normal(8), normal(8)]),
    "residual_norm without bias": (lambda x, y, g: c.residual_norm(x, y, 0.0, g, None),
                                   lambda x, y, g: rms(x + y, g), [normal(3, 8), normal(3, 8), normal(8)]),
    "embedding": (lambda t: c.embedding(t, [1, c.no_token, 1], 2.0),
                  lambda t: 2 * np.stack([t[1], 0 * t[1], t[1]]), [normal(3, 4)]),
    "add_positions": (lambda x, t: c.add_positions(x, t, TWO),
                      lambda x, t: x + t[[0, 1, 0, 1, 2]], [normal(5, 4), normal(3, 4)]),
    "rotary": (lambda x: c.rotary(x, [3], 2, 6, 4, [1.0, 0.01]), rotated, [normal(3, 8)]),
    "attention": (lambda q, k, v: c.attention(q, k, v, TWO, TWO, heads=2), attended,
                  [normal(5, 6), normal(5, 6), normal(5, 6)]),
    "self_attention": (lambda x: c.self_attention(x, TWO, heads=2, causal=True),
                       lambda x: attended(*np.split(x, 3, 1), causal=True), [normal(5, 18)]),
    "cross_attention": (lambda q, kv: c.cross_attention(q, kv, TWO, TWO, heads=2),
                        lambda q, kv: attended(q, *np.split(kv, 2, 1)), [normal(5, 6), normal(5, 12)]),
    "gru_step": (c.gru_step, gru, [normal(2, 9), normal(2, 9), normal(2, 3)]),
    "lstm_step": (c.lstm_step, lstm, [normal(2, 12), normal(2, 12), normal(2, 6)]),
    "attend_once": (lambda q, k, x, v: c.attend_once(q, k, x, v, RANGES), once,
                    [normal(3, 4), normal(5, 4), normal(5, 2), normal(4)]),
    "attend_once by products": (lambda q, k, x: c.attend_once(q, k, x, None, RANGES), once,
                                [normal(3, 4), normal(5, 4), normal(5, 2)]),
    "projected_cross_entropy": (
        lambda x, w, b: c.projected_cross_entropy(x, w, b, EXPECTED, 0.1).loss,
        lambda x, w, b: cross_entropy(x @ w.T + b), [normal(4, 3), normal(6, 3), normal(6)]),
    "projected_log_probabilities": (
        lambda x, w, b: c.projected_log_probabilities(x, w, b, EXPECTED),
        lambda x, w, b: np.log(softmax(x @ w.T + b))[np.arange(4), EXPECTED][:, None],
        [normal(4, 3), normal(6, 3), normal(6)]),
    "agreeing_cross_entropy": (
        lambda x, y, w, b: c.agreeing_cross_entropy(x, y, w, b, EXPECTED, 0.1, 5).loss, agreeing,
        [normal(4, 3), normal(4, 3), normal(6, 3), normal(6)]),
    "distilled_cross_entropy": (
        lambda x, w, b: c.distilled_cross_entropy(x, w, b, *TEACHER, EXPECTED, 0.1, 0.3).loss, distilled,
        [normal(4, 3), normal(6, 3), normal(6)]),
    "cross_entropy": (lambda x: c.cross_entropy(x, EXPECTED, 0.1).loss, cross_entropy, [normal(4, 6)]),
    "negative_sampling": (lambda x, w: c.negative_sampling(x, w, CANDIDATES).loss, sampled,
                          [normal(3, 4), normal(5, 4)]),
    "operator +": (lambda a, b: b + a + 2 + a, lambda a, b: 2 * a + b + 2, [x235, normal(5)]),
    "operator -": (lambda a, b: (1 - a) - (b - a) - 3, lambda a, b: 1 - a - (b - a) - 3, [x23, normal(3)]),
    "operator *": (lambda a, b: 2 * (b * a) * 3, lambda a, b: 6 * a * b, [x23, normal(2, 1)]),
    "operator /": (lambda a, b: 2 / (b / a) / 4, lambda a, b: 2 / (b / a) / 4, [positive(2, 3), positive(3)]),
    "operator @": (lambda a, b: a @ b, np.matmul, [normal(2, 3), normal(3, 2)]),
    "operator **": (lambda a: -(a**3) + a**0.5, lambda a: -(a**3) + a**0.5, [positive(2, 3)]),
    "rows by index": (lambda x: c.concat_rows([x[1:3], x[-1:], x[0].reshape(1, -1)]),
                      lambda x: x[[1, 2, 2, 0]], [normal(3, 2)]),
}
WITHOUT_GRADIENT = {"attention_weights", "attend_once_weights", "log_probabilities"}


def test_every_op_has_a_case():
    assert set(c.ops.__all__) - WITHOUT_GRADIENT <= {name.split()[0] for name in CASES}


@pytest.mark.parametrize("name", CASES)
def test_the_value_is_that_of_numpy(name):
    op, reference, inputs = CASES[name]
    value = op(*map(c.tensor, inputs)).numpy()
    expected = reference(*(x.astype(np.float64) for x in inputs))
    assert value.shape == np.shape(expected)
    np.testing.assert_allclose(value, expected, rtol=2e-5, atol=2e-6)


@pytest.mark.parametrize("name", CASES)
def test_the_gradient_is_the_slope(name):
    op, _, inputs = CASES[name]
    c.gradcheck(op, *inputs)


def test_weights_and_probabilities():
    q, k, v = normal(5, 6), normal(5, 6), normal(4)
    weights = c.attention_weights(q, k, TWO, TWO, heads=2)
    assert [w.shape for w in weights] == [(2, 2, 2), (2, 3, 3)]
    np.testing.assert_allclose(weights[1].numpy()[1], softmax(q[2:, 3:] @ k[2:, 3:].T / np.sqrt(3)), rtol=1e-5)
    shares = c.attend_once_weights(normal(3, 4), normal(5, 4), v, RANGES)
    assert [s.shape for s in shares] == [(2,), (0,), (3,)]
    x, w = normal(4, 3), normal(6, 3)
    np.testing.assert_allclose(c.log_probabilities(x, w, None, EXPECTED).numpy(),
                               np.log(softmax(x @ w.T))[np.arange(4), EXPECTED], rtol=1e-5)


def test_dropout_needs_a_tape_and_depends_on_its_seed():
    x = np.ones(1000, np.float32)
    assert np.array_equal(c.dropout(x, 0.5).numpy(), x)

    def dropped(seed):
        with c.Tape(seed=seed):
            return c.dropout(x, 0.5).numpy()

    c.gradcheck(lambda x: c.dropout(x, 0.4), x[:20])
    assert set(dropped(1)) == {0, 2}
    assert np.array_equal(dropped(1), dropped(1)) and not np.array_equal(dropped(1), dropped(2))


def test_attention_of_many_tokens_takes_its_options_too():  # it runs without the GIL
    qkv = normal(1000, 24)
    narrow = c.self_attention(qkv, [1000], heads=2, causal=True, sparsity={"window": 3}).numpy()
    assert np.array_equal(narrow[:50], c.self_attention(qkv[:50], [50], heads=2, causal=True,
                                                        sparsity={"window": 3}).numpy())


def test_sparse_attention_takes_its_options_as_a_dict():
    qkv = normal(9, 6)
    full = c.self_attention(qkv, [9]).numpy()
    assert np.array_equal(c.self_attention(qkv, [9], sparsity={"window": 8}).numpy(), full)
    assert not np.array_equal(c.self_attention(qkv, [9], sparsity={"window": 1}).numpy(), full)
    with pytest.raises(TypeError, match="there is no option 'windw'; the options are window, dilation"):
        c.self_attention(qkv, [9], sparsity={"windw": 1})


@pytest.mark.parametrize("call, message", [
    (lambda: c.matmul(normal(2, 3), normal(2, 3)), r"matmul.*\[2, 3\]"),
    (lambda: c.tensor(x23) + normal(4), r"\[4\].*\[2, 3\]"),
    (lambda: c.embedding(normal(3, 2), [3]), "3"),
    (lambda: c.gather_rows(normal(3, 2), [-1]), "-1"),
    (lambda: c.self_attention(normal(5, 6), [2, 2]), "self_attention"),
    (lambda: c.matmul(x23, x23, "middle"), "'middle' is none of none, left, right, both"),
    (lambda: c.rms_norm(x23, normal(2)), r"\[2, 3\]"),
])
def test_what_does_not_fit_is_a_value_error_with_both_shapes(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize("call, message", [
    (lambda: c.relu(None), "a tensor is made of numbers, lists or arrays of float32, not of NoneType"),
    (lambda: c.relu("text"), "not of str"),
    (lambda: c.relu(x23.astype(np.float64)), r"an array of float64.*x.astype\(numpy.float32\)"),
    (lambda: c.relu(np.array([1, 2])), "an array of int64"),
    (lambda: c.relu(np.array([True])), "an array of bool"),
    (lambda: c.embedding(x23, np.array([0.0])), "an array of float64 where integers are expected"),
    (lambda: c.embedding(x23, [0.5]), "float where integers are expected"),
    (lambda: c.relu([c.zeros(2), c.zeros(2)]), "concat_rows"),
])
def test_a_wrong_type_is_a_type_error_that_says_what_fits(call, message):
    with pytest.raises(TypeError, match=message):
        call()


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64])
def test_token_ids_may_have_any_integer_type(dtype):
    table = normal(3, 2)
    ids = np.array([2, 0, 1, 1], dtype)
    assert np.array_equal(c.embedding(table, ids).numpy(), table[ids])
    assert np.array_equal(c.embedding(table, ids[::2]).numpy(), table[ids[::2]])


def test_a_token_id_beyond_int32_is_refused():
    for ids in ([2**31], np.array([2**31]), np.array([2**63], np.uint64), [2**70]):
        with pytest.raises(ValueError, match="exceeds the range of int32"):
            c.embedding(x23, ids)
