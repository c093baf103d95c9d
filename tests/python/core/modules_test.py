"""Modules, models, parameters, optimisers and schedules."""

import calque.core as c
import numpy as np
import pytest

random = np.random.default_rng(5)
SMALL = dict(d_model=8, d_ff=16, heads=2, dropout=0.0)


def normal(*shape):
    return random.normal(size=shape).astype(np.float32)


def built(make, seed=1):
    parameters = c.Parameters()
    module = make(parameters)
    parameters.initialise(seed=seed)
    return parameters, module


def test_parameters_are_named_views_of_one_buffer():
    parameters, layer = built(lambda p: c.Linear(p / "encoder" / 0, 3, 2))
    assert list(parameters) == ["encoder.0.weight", "encoder.0.bias"] and len(parameters) == 2
    assert parameters.count == 8 and "encoder.0.bias" in parameters and "bias" not in parameters
    weight = parameters["encoder.0.weight"]
    weight[:] = 2
    parameters["encoder.0.bias"][:] = [1, -1]
    x = normal(4, 3)
    np.testing.assert_allclose(layer(x).numpy(), x @ weight + [1, -1], rtol=1e-5)
    assert {n: v.shape for n, v in parameters.items()} == {"encoder.0.weight": (3, 2), "encoder.0.bias": (2,)}
    with pytest.raises(KeyError):
        parameters["bias"]
    assert "encoder" in repr(parameters) and "total" in repr(parameters)


def test_initial_values_depend_on_name_and_seed():
    values = [built(lambda p: c.Linear(p / name, 3, 2), seed)[0][f"{name}.weight"]
              for name, seed in (("a", 1), ("a", 1), ("b", 1), ("a", 2))]
    assert np.array_equal(values[0], values[1])
    assert not np.array_equal(values[0], values[2]) and not np.array_equal(values[0], values[3])


def test_a_view_outlives_its_parameters():
    weight = built(lambda p: c.Linear(p, 100, 100))[0]["weight"]
    others = [built(lambda p: c.Linear(p, 100, 100), seed=2) for _ in range(3)]
    assert len(others) == 3 and np.array_equal(weight, built(lambda p: c.Linear(p, 100, 100))[0]["weight"])


def test_a_module_computes_only_with_values():
    parameters = c.Parameters()
    layer = c.Linear(parameters, 3, 2)
    own = (c.Path(parameters) / "own").parameter("scale", 2, initial=1)
    for call in (lambda: layer(normal(1, 3)), lambda: own + 1, lambda: parameters["weight"],
                 lambda: np.asarray(own), lambda: own.numpy(), lambda: own.item(), lambda: own[0],
                 lambda: c.matmul(normal(1, 3), layer.weight), lambda: own.__dlpack__(), lambda: c.variable(own)):
        with pytest.raises(ValueError, match=r"no values yet; call parameters.initialise\(seed\)"):
            call()
    with pytest.raises(ValueError, match="needs parameters with values"):
        c.Adam(parameters)
    repr(own)
    parameters.initialise()
    assert own.numpy().tolist() == [1, 1]
    with pytest.raises(ValueError, match="is added after allocate"):
        c.Linear(parameters / "late", 3, 2)


def test_initial_values_may_be_numbers_arrays_or_distributions():
    parameters = c.Parameters()
    for name, initial in (("ones", 1), ("given", normal(2, 3)), ("normal", c.normal(2)), ("within", c.uniform(0.1)),
                          ("same", c.constant(3)), ("glorot", c.xavier_uniform(2, 3))):
        (parameters / "p").parameter(name, (2, 3), initial=initial)
    with pytest.raises(ValueError, match=r"initial values of shape \[2\] for shape \[2, 3\]"):
        (parameters / "p").parameter("bad", (2, 3), initial=[1, 2])
    with pytest.raises(ValueError, match="'wait' is none of weight, bias"):
        (parameters / "p").parameter("bad", 2, role="wait")
    with pytest.raises(ValueError, match="two parameters named p.ones"):
        (parameters / "p").parameter("ones", 2)
    parameters.initialise()
    assert (parameters["p.ones"] == 1).all() and (parameters["p.same"] == 3).all()
    assert 0 < np.abs(parameters["p.within"]).max() <= 0.1 < np.abs(parameters["p.normal"]).max()


def test_a_frozen_parameter_gets_no_gradient():
    parameters, layer = built(lambda p: c.Linear(p, 3, 2))
    parameters.freeze("weight")
    with c.Tape():
        c.sum(layer(normal(4, 3))).backward()
    assert parameters.tensor("weight").grad is None
    assert parameters.tensor("bias").grad.numpy().tolist() == [4, 4]
    parameters.clear_gradients()
    assert parameters.tensor("bias").grad.numpy().tolist() == [0, 0]


@pytest.mark.parametrize("name, make, call", [
    ("norm", lambda p: c.Norm(p, norm_kind="rms", **SMALL), lambda m, x: m(x)),
    ("feed forward", lambda p: c.FeedForward(p, activation="gelu", **SMALL), lambda m, x: m(x)),
    ("mixture", lambda p: c.Mixture(p, experts={"count": 3, "active": 2, "shared": True}, **SMALL), lambda m, x: m(x)),
    ("positions", lambda p: c.Positions(p, positions="learned", **SMALL), lambda m, x: m(x, [2, 3])),
    ("self-attention", lambda p: c.SelfAttention(p, "causal", **SMALL), lambda m, x: m(x, [2, 3])),
    ("cross-attention", lambda p: c.CrossAttention(p, **SMALL), lambda m, x: m(x, [2, 3], x * 2, [2, 3])),
    ("stack", lambda p: c.SelfAttentionStack(p, 2, norm_placement="pre", activation="silu", **SMALL), lambda m, x: m(x, [2, 3])),
    ("decoder", lambda p: c.Decoder(p, 1, activation="silu", **SMALL), lambda m, x: m(x, [2, 3], x * 2, [2, 3])),
    ("recurrent", lambda p: c.RecurrentLayer(p, 8, 4, cell="lstm", direction="backward"), lambda m, x: m(x, [2, 3])),
    ("both directions", lambda p: c.BidirectionalLayer(p, 8, 4), lambda m, x: m(x, [2, 3])),
])
def test_layers_are_built_by_options_and_have_gradients(name, make, call):
    _, module = built(make)
    c.gradcheck(lambda x: call(module, x), normal(5, 8), step=0.01, rtol=0.03, atol=5e-3)


def test_embedding_and_output_may_share_a_table():
    class Tied:
        def __init__(self, path):
            self.embedding = c.Embedding(path / "embedding", 5, 4)
            self.output = c.OutputProjection(path / "output", self.embedding)

    parameters, model = built(Tied)
    assert list(parameters) == ["embedding.weight"]
    hidden = model.embedding([1, c.no_token])
    assert hidden.numpy()[1].tolist() == [0] * 4
    np.testing.assert_allclose(hidden.numpy()[0], 2 * parameters["embedding.weight"][1], rtol=1e-6)
    logits = model.output(hidden).numpy()
    np.testing.assert_allclose(logits, hidden.numpy() @ parameters["embedding.weight"].T, rtol=1e-5, atol=1e-6)
    loss = model.output.loss(hidden, [2, 3])
    log_p = logits - np.log(np.exp(logits).sum(1, keepdims=True))
    assert loss.nll == pytest.approx(-(log_p[0, 2] + log_p[1, 3]), rel=1e-5) and loss.tokens == 2


def learns(loss_of, parameters, steps=60, rate=0.01):
    optimizer = c.Adam(parameters, clip_norm=1)
    losses = []
    for step in range(1, steps + 1):
        with c.Tape(step=step):
            parameters.clear_gradients()
            loss = loss_of()
            loss.loss.backward()
        assert optimizer.update(rate, 1 / loss.tokens).finite
        losses.append(loss.nll / loss.tokens)
    assert optimizer.steps == steps
    return losses[-1] < 0.5 * losses[0]


def test_every_model_learns_what_it_is_shown():
    ids, lengths, expected = [1, 3, 4, 1, 5], [3, 2], [3, 4, 2, 5, 2]
    images = normal(2, 24)
    for make, loss in (
        (lambda p: c.LanguageModel(p, vocabulary=7, layers=1, **SMALL),
         lambda m: m.loss(ids, expected, lengths, train=True)),
        (lambda p: c.Transformer(p, source_vocabulary=7, target_vocabulary=7, encoder_layers=1,
                                 decoder_layers=1, **SMALL),
         lambda m: m.loss([3, 2, 4, 2], [2, 2], ids, expected, lengths, train=True)),
        (lambda p: c.RecurrentTranslator(p, source_vocabulary=7, target_vocabulary=7, d_model=8, hidden=8,
                                         dropout=0),
         lambda m: m.loss([3, 2, 4, 2], [2, 2], ids, expected, lengths, train=True)),
        (lambda p: c.MaskedLm(p, vocabulary=7, layers=1, **SMALL),
         lambda m: m.loss(ids, lengths, [1, 4], [3, 5], train=True)),
        (lambda p: c.Classifier(p, vocabulary=7, layers=1, head={"classes": 3, "pooling": "mean"}, **SMALL),
         lambda m: m.loss(ids, lengths, [2, 0], train=True)),
        (lambda p: c.VisionTransformer(p, layers=1, height=4, width=6, patch=2, head={"classes": 3}, **SMALL),
         lambda m: m.loss(images, [2, 0], train=True)),
        (lambda p: c.Word2Vec(p, vocabulary=7, d_model=8),
         lambda m: m.loss([1, 2, 3], [1, 2], [4, 5, 6, 5, 4, 6])),
    ):
        parameters, model = built(make)
        assert learns(lambda: loss(model), parameters), type(model)
        assert model.options.get("vocabulary", 7) == 7


def test_parts_of_models_fit_together():
    _, model = built(lambda p: c.Transformer(p, source_vocabulary=7, target_vocabulary=9, tying="none",
                                             encoder_layers=1, decoder_layers=1, **SMALL))
    memory = model.encode([3, 2, 4, 2], [2, 2])
    hidden = model.decode([1, 3, 1], [2, 1], memory, [2, 2])
    assert model.logits(hidden).shape == (3, 9)
    _, encoder = built(lambda p: c.Encoder(p, vocabulary=7, layers=1, segment_kinds=2, **SMALL))
    assert encoder([3, 2, 4, 2], [4], [0, 0, 1, 1]).shape == (4, 8)
    _, language_model = built(lambda p: c.LanguageModel(p, vocabulary=7, layers=1, **SMALL))
    assert language_model.logits(language_model.hidden([1, 2], c.Segments([2]))).shape == (2, 7)


def test_the_experts_of_a_mixture_are_parameters():
    parameters, layer = built(lambda p: c.Mixture(p, experts={"count": 3, "active": 1}, **SMALL))
    assert parameters["router"].shape == (8, 3)
    before = layer(normal(4, 8)).numpy()
    for name, value in parameters.items():
        if name != "router":
            value[:] = 0
    assert before.any() and not layer(normal(4, 8)).numpy().any()


def test_images_have_the_pixels_of_the_model():
    parameters, model = built(lambda p: c.VisionTransformer(p, layers=1, height=4, width=6, channels=3, patch=2,
                                                            head={"classes": 5, "pooling": "mean"}, **SMALL))
    assert model.logits(normal(2, 72)).shape == (2, 5) and parameters["patches.weight"].shape == (12, 8)
    with pytest.raises(ValueError, match="images of 71 numbers, not 72"):
        model.logits(normal(2, 71))


def test_an_average_of_weights_is_in_use_in_its_block():
    parameters, layer = built(lambda p: c.Linear(p, 1, 1))
    weight = parameters["weight"]
    first = weight.copy()
    average = c.WeightAverage(parameters, decay=0.75, start="constant")
    weight += 4
    average.follow(1)
    with average:
        np.testing.assert_allclose(weight, first + 1, rtol=1e-6)
        for call in (lambda: average.follow(2), average.__enter__):
            with pytest.raises(ValueError, match="have the averaged weights"):
                call()
    np.testing.assert_array_equal(weight, first + 4)
    assert average.state["ema"][0] == pytest.approx(first.item() + 1)
    with pytest.raises(RuntimeError, match="in the block"), average:
        raise RuntimeError("in the block")
    np.testing.assert_array_equal(weight, first + 4)


@pytest.mark.parametrize("call, error, message", [
    (lambda: c.Transformer(c.Parameters(), d_modl=8), TypeError, "there is no option 'd_modl'; the options are d_model"),
    (lambda: c.Norm(c.Parameters(), d_model="x"), TypeError, "Norm: d_model cannot be 'x'"),
    (lambda: c.Norm(c.Parameters(), norm_kind="batch"), ValueError, "'batch' is none of layer, rms"),
    (lambda: c.FeedForward(c.Parameters(), d_model=6, heads=4), c.Error, "heads"),
    (lambda: c.LanguageModel(c.Parameters(), d_model=8, heads=2), c.Error, "vocabulary"),
    (lambda: c.Mixture(c.Parameters(), **SMALL), c.Error, "there are no experts"),
    (lambda: c.VisionTransformer(c.Parameters(), patch=5, **SMALL), c.Error, "patch is 5, which does not divide images"),
    (lambda: c.WeightAverage(built(lambda p: c.Linear(p, 1, 1))[0], decay=1), c.Error, "decay is 1"),
    (lambda: c.WeightAverage(c.Parameters()), ValueError, "needs parameters with values"),
    (lambda: c.Linear("encoder", 3, 2), TypeError, "a module is built at a Path"),
    (lambda: c.Linear(c.Parameters(), -1, 2), ValueError, "-1"),
])
def test_wrong_options_are_named(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_wrong_numbers_of_ids_are_refused():
    _, model = built(lambda p: c.LanguageModel(p, vocabulary=7, layers=1, **SMALL))
    for call in (lambda: model.hidden([1, 2, 3], [2]), lambda: model.hidden([7], [1]), lambda: model.hidden([-2], [1]),
                 lambda: model.loss([1, 2], [2], [2])):
        with pytest.raises(ValueError):
            call()


def test_sgd_moves_against_the_gradient_and_clips():
    parameters, layer = built(lambda p: c.Linear(p, 1, 1))
    parameters["weight"][:] = 0
    for scale, norm in ((1, 5), (0.5, 2.5)):
        optimizer = c.Sgd(parameters, clip_norm=1)
        before = parameters["weight"].copy()
        with c.Tape():
            parameters.clear_gradients()
            c.sum(layer([[3.0]]) + parameters.tensor("bias") * 3).backward()
        report = optimizer.update(0.1, scale)
        assert report.gradient_norm == pytest.approx(norm) and report.clip_factor == pytest.approx(1 / norm)
        np.testing.assert_allclose(before - parameters["weight"], 0.1 * 3 / 5, rtol=1e-5)


def test_the_state_of_an_optimiser_resumes_it_bit_for_bit():
    def step(parameters, layer, optimizer, number):
        with c.Tape():
            parameters.clear_gradients()
            c.sum(c.square(layer(np.full((2, 3), number, np.float32)))).backward()
        optimizer.update(0.01)

    for make in (lambda p: c.Adam(p, decay={"rate": 0.1}), lambda p: c.Sgd(p, momentum=0.9, kind="nesterov"),
                 c.Adafactor, c.Muon):
        parameters, layer = built(lambda p: c.Linear(p, 3, 2))
        optimizer = make(parameters)
        step(parameters, layer, optimizer, 1)
        others, other_layer = built(lambda p: c.Linear(p, 3, 2), seed=9)
        for name in parameters:
            others[name][:] = parameters[name]
        resumed = make(others)
        for name, values in optimizer.state.items():
            resumed.state[name][:] = values
        resumed.resume_at(optimizer.steps)
        step(parameters, layer, optimizer, 2)
        step(others, other_layer, resumed, 2)
        assert all(np.array_equal(parameters[name], others[name]) for name in parameters)


def test_an_update_that_is_not_finite_changes_nothing():
    parameters, layer = built(lambda p: c.Linear(p, 1, 1))
    before = parameters["weight"].copy()
    with c.Tape():
        c.sum(layer([[float("inf")]])).backward()
    assert not c.Adam(parameters).update(0.1).finite and np.array_equal(parameters["weight"], before)


def test_schedules():
    assert c.Noam(d_model=512, warmup_steps=4000)(4000) == pytest.approx((512 * 4000) ** -0.5)
    assert c.InverseSqrt(peak=1, warmup_steps=4)(16) == 0.5
    assert c.CosineDecay(peak=1, total_steps=10)(10) == pytest.approx(0)
    assert c.LinearDecay(peak=1, warmup_steps=2, total_steps=10)(6) == 0.5
    assert c.Constant(peak=0.5)(99) == 0.5
    assert c.WholeRun(peak=1, warmup_steps=10)(5, share_done=1) == 0
    assert repr(c.Constant(peak=0.5)) == "Constant(**{'peak': 0.5, 'warmup_steps': 0, 'warmup_from': 0.0})"
    with pytest.raises(ValueError, match="counts steps from 1, not 0"):
        c.Constant()(0)
    with pytest.raises(c.Error):
        c.LinearDecay(peak=-1)
    with pytest.raises(TypeError, match="no option 'warmup'"):
        c.Noam(warmup=3)
