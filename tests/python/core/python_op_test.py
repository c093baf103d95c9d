"""Ops written in Python, the check of gradients, and the drawing of a graph."""

import xml.dom.minidom

import calque
import calque.core as c
import numpy as np
import pytest


@c.op
def cube(x):
    """x^3."""
    return x**3, lambda dy: 3 * x**2 * dy


@c.op
def scaled_product(a, b, scale=1.0):
    return scale * a * b, lambda dy: (scale * b * dy, scale * a * dy)


@c.op(tensors=True)
def softplus(x):
    return c.log(1 + c.exp(x)), lambda dy: c.sigmoid(x) * dy


def test_ops_in_python_have_gradients():
    x = np.array([[1, -2, 0.5]], np.float32)
    assert calque.op is c.op and cube.__doc__ == "x^3."
    assert cube(c.tensor(x)).numpy().tolist() == (x**3).tolist()
    c.gradcheck(cube, x)
    c.gradcheck(softplus, x)
    c.gradcheck(lambda a, b: c.sum(scaled_product(a, b, scale=2.0) * a), x, x + 1)


def test_an_op_may_leave_a_gradient_out():
    @c.op
    def first(a, b):
        return a + 0 * b, lambda dy: (dy, None)

    a, b = c.variable([1.0]), c.variable([2.0])
    with c.Tape():
        c.sum(first(a, b)).backward()
    assert a.grad.numpy().tolist() == [1] and b.grad.numpy().tolist() == [0]


def test_without_a_variable_nothing_is_recorded():
    with c.Tape() as tape:
        assert not cube(c.tensor([2.0])).requires_grad and len(tape) == 0


def test_an_exception_in_backward_reaches_the_caller():
    @c.op
    def broken(x):
        def backward(dy):
            raise KeyError("no gradient today")

        return x, backward

    w = c.variable([1.0])
    with pytest.raises(KeyError, match="no gradient today"):
        with c.Tape():
            c.sum(broken(w * 2)).backward()
    w.clear_grad()
    with c.Tape():
        c.sum(cube(w)).backward()
    assert w.grad.numpy().tolist() == [3]


@pytest.mark.parametrize("returned, message", [
    (np.zeros(3, np.float32), r"broken: backward\(\) returns a gradient of shape \[3\] for an input of shape \[1\]"),
    ((None, None), r"broken: backward\(\) returns 2 gradients for 1 inputs"),
])
def test_a_gradient_that_does_not_fit_is_refused(returned, message):
    @c.op
    def broken(x):
        return x, lambda dy: returned

    w = c.variable([1.0])
    with c.Tape(), pytest.raises(ValueError, match=message):
        c.sum(broken(w)).backward()


def test_the_values_that_an_op_sees_are_read_only():
    @c.op
    def spoil(x):
        x[0] = 1
        return x, None

    with pytest.raises(ValueError, match="read-only"):
        spoil(c.tensor([2.0]))


def test_backward_may_run_another_tape():
    @c.op(tensors=True)
    def inner_slope(x):
        def backward(dy):
            leaf = c.variable(x)
            with c.Tape():
                c.sum(c.square(leaf)).backward()
            return leaf.grad * dy

        return c.square(x), backward

    w = c.variable([3.0])
    with c.Tape():
        c.sum(inner_slope(w)).backward()
    assert w.grad.numpy().tolist() == [6]


def test_gradcheck_finds_a_wrong_gradient():
    @c.op
    def wrong(x):
        return x**2, lambda dy: 1.9 * x * dy

    with pytest.raises(c.GradientMismatch, match=r"input 0\[1\]: the gradient is .*, but the slope is "):
        c.gradcheck(wrong, [0.0, 2.0])


def drawing_of(names=True):
    x, w, b = c.tensor(np.ones((4, 3), np.float32)), c.variable(np.ones((3, 2), np.float32)), c.variable([0.0, 1])
    with c.Tape():
        loss = c.mean(c.square(c.relu(x @ w + b)))
        c.exp(w)  # the loss does not depend on it
        loss.backward()
    return c.draw(loss, {"w": w, "b": b} if names else None).svg


def test_a_drawing_shows_ops_leaves_shapes_and_times():
    svg = drawing_of()
    texts = [t.firstChild.data for t in xml.dom.minidom.parseString(svg).getElementsByTagName("text")]
    for word in ("matmul", "add", "relu", "square", "mean", "w", "b", "constant", "[3, 2]"):
        assert word in texts
    assert "exp" not in texts and sum("µs + " in t or "ms + " in t for t in texts) == 5
    assert svg.count("<path d=\"M") == 1 + 7  # the arrow head, and an edge for each input


def test_names_are_optional_and_escaped():
    assert "leaf" in drawing_of(names=False)
    w = c.variable([1.0])
    with c.Tape():
        assert "&lt;w&gt;" in str(c.draw(c.exp(w), {"<w>": w}))


def test_a_drawing_includes_the_ops_of_modules_and_of_python(tmp_path):
    parameters = c.Parameters()
    network = c.FeedForward(parameters / "network", d_model=4, d_ff=8, heads=2)
    parameters.initialise()
    with c.Tape():
        loss = c.sum(cube(network(np.ones((2, 4), np.float32))))
        picture = c.draw(loss, parameters)
    picture.save(str(tmp_path / "graph.svg"))
    text = (tmp_path / "graph.svg").read_text()
    assert text.count(">linear<") == 2 and ">cube<" in text and "network.inner.weight" in text


def test_only_what_was_recorded_is_drawn():
    with pytest.raises(ValueError, match="was not recorded on a tape"):
        c.draw(c.tensor([1.0]))
    w = c.variable([1.0])
    with c.Tape():
        old = c.exp(w)
    with c.Tape():
        c.exp(w)
    with pytest.raises(ValueError, match="not the last one of this thread"):
        c.draw(old)
