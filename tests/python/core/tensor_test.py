"""Tensors and arrays: what is shared, what is copied, what is refused, and how long it lives."""

import array
import gc
import subprocess
import sys
import weakref

import calque.core as c
import numpy as np
import pytest


def matrix(rows=2, cols=3):
    return np.arange(rows * cols, dtype=np.float32).reshape(rows, cols)


def shares(x, a):
    return np.shares_memory(np.asarray(x), a)


def test_a_contiguous_writable_array_is_shared():
    a = matrix()
    x = c.tensor(a)
    a[0, 0] = 7
    assert shares(x, a) and x[0].numpy()[0] == 7
    x.numpy()[1, 1] = -1
    assert a[1, 1] == -1


def read_only():
    a = matrix()
    a.flags.writeable = False
    return a


def unaligned():
    return np.frombuffer(bytearray(25), np.float32, 6, offset=1)


REFUSED = [(matrix().T, r"strides \(4, 12\)"), (matrix()[:, ::2], "strides"), (matrix()[::-1], "strides"),
           (read_only(), "read-only"), (unaligned(), "unaligned")]


@pytest.mark.parametrize("a, message", REFUSED)
def test_other_arrays_are_copied_or_refused_with_the_reason(a, message):
    x = c.tensor(a)
    assert not shares(x, a) and np.array_equal(x.numpy(), a)
    with pytest.raises(ValueError, match=message):
        c.tensor(a, copy=False)


def test_copy_always_copies():
    a = matrix()
    assert not shares(c.tensor(a, copy=True), a) and shares(c.tensor(a, copy=False), a)
    x = c.tensor(a)
    assert not shares(c.tensor(x, copy=True), a) and shares(c.tensor(x), a)


@pytest.mark.parametrize("dtype", [np.float64, np.float16, np.int32, np.uint8, bool, np.complex64, ">f4", "f4,f4"])
def test_arrays_of_other_types_are_refused(dtype):
    with pytest.raises(TypeError, match="calque computes in float32"):
        c.tensor(np.zeros(3, dtype))


@pytest.mark.parametrize("given, shape", [
    (2, ()), (1.5, ()), (np.float64(2), ()), (np.float32(2), ()), (np.int64(2), ()), ([], (0,)), ([1, 2.5], (2,)),
    ([[1], [2]], (2, 1)), ([[], []], (2, 0)), (((1, 2), (3, 4)), (2, 2)), (np.zeros((0, 3), np.float32), (0, 3)),
    (np.zeros((), np.float32), ()), (array.array("f", [1, 2]), (2,)), (range(3), (3,)),
    (memoryview(np.ones(2, np.float32)), (2,)), ([np.ones(2), [3, 4]], (2, 2)),
])
def test_numbers_lists_and_buffers_become_tensors(given, shape):
    x = c.tensor(given)
    assert x.shape == shape
    np.testing.assert_array_equal(x.numpy(), np.array(given, np.float32).reshape(shape))


@pytest.mark.parametrize("given", [[1, [2]], [[1, 2], [3]], [[1], 2], [[[1]], [1]]])
def test_lists_of_different_lengths_are_refused(given):
    with pytest.raises(ValueError, match="lists of different lengths"):
        c.tensor(given)


def test_too_many_axes_are_refused():
    nested = 1.0
    for _ in range(7):
        nested = [nested]
    for given in (nested, np.zeros((1,) * 7, np.float32)):
        with pytest.raises(ValueError, match="6"):
            c.tensor(given)
    endless = []
    endless.append(endless)
    with pytest.raises(ValueError, match="nested deeper than 6"):
        c.tensor(endless)


@pytest.mark.parametrize("given", [None, "12", b"12", {1: 2}, object(), ["a"], [None]])
def test_other_objects_are_type_errors(given):
    with pytest.raises(TypeError):
        c.tensor(given)


def test_an_object_with_array_is_read():
    class Column:
        def __array__(self, dtype=None, copy=None):
            return matrix()

    assert c.tensor(Column()).shape == (2, 3)


def test_a_tensor_keeps_its_array_alive_and_lets_it_go():
    a = matrix(100, 100)
    alive = weakref.ref(a)
    x = c.tensor(a)
    y = x.reshape(-1)
    del a, x
    gc.collect()
    assert alive() is not None and y.numpy()[-1] == 9999
    del y
    assert alive() is None


def test_an_array_keeps_its_tensor_alive():
    a = c.full((100, 100), 3).numpy()
    gc.collect()
    others = [c.full((100, 100), 4) for _ in range(10)]
    assert len(others) == 10 and (a == 3).all()
    view = memoryview(c.tensor([1, 2, 3]))
    assert view.tolist() == [1, 2, 3]


def test_the_tape_keeps_an_array_alive_until_backward():
    w = c.variable(np.ones((3, 2), np.float32))
    a = matrix()
    alive = weakref.ref(a)
    with c.Tape():
        loss = c.sum(c.tensor(a) @ w)
        del a
        gc.collect()
        assert alive() is not None
        loss.backward()
        assert alive() is None
    np.testing.assert_array_equal(w.grad.numpy(), [[3, 3], [5, 5], [7, 7]])


def test_a_gradient_is_a_copy_that_outlives_the_next_step():
    w = c.variable([1.0, 2.0])
    with c.Tape():
        c.sum(c.square(w)).backward()
    before = w.grad.numpy()
    w.clear_grad()
    assert before.tolist() == [2, 4] and w.grad.numpy().tolist() == [0, 0]
    assert c.tensor([1.0]).grad is None


def test_numpy_asarray_obeys_dtype_and_copy():
    x = c.tensor(matrix())
    assert np.asarray(x, dtype=np.float64).dtype == np.float64
    assert not shares(x, np.array(x)) and np.array_equal(np.array(x), matrix())
    assert shares(x, np.asarray(x))
    assert isinstance(matrix() + x, c.Tensor) and isinstance(np.float32(2) * x, c.Tensor)


def test_dlpack_to_numpy_and_back_shares_memory():
    x = c.tensor(matrix())
    a = np.from_dlpack(x)
    assert a.shape == (2, 3) and shares(x, a)
    y = c.from_dlpack(matrix(3, 2))
    assert y.shape == (3, 2) and y.numpy()[2, 1] == 5
    source = matrix()
    alive = weakref.ref(source)
    z = c.from_dlpack(source)
    del source
    gc.collect()
    assert alive() is not None and z[1].numpy().tolist() == [3, 4, 5]
    del z
    assert alive() is None


def test_an_array_from_dlpack_keeps_the_tensor_alive():
    a = np.from_dlpack(c.full(1000, 2))
    more = [c.full(1000, 5) for _ in range(10)]
    assert len(more) == 10 and (a == 2).all()
    c.tensor([1.0]).__dlpack__()  # a capsule that nobody takes


@pytest.mark.parametrize("given, error", [(np.zeros(3), TypeError), (matrix().T, ValueError), ([1.0], TypeError),
                                          (np.zeros(3, np.int32), TypeError)])
def test_dlpack_refuses_other_types_and_layouts(given, error):
    with pytest.raises(error, match="from_dlpack"):
        c.from_dlpack(given)


def test_dlpack_with_torch():
    torch = pytest.importorskip("torch")
    x = c.tensor(matrix())
    t = torch.from_dlpack(x)
    t[0, 0] = 42
    assert x[0].numpy()[0] == 42
    y = c.from_dlpack(torch.ones(2, 2))
    assert y.numpy().tolist() == [[1, 1], [1, 1]]


def test_reshape_rows_and_numbers():
    x = c.tensor(matrix())
    assert x.reshape(3, -1).shape == x.reshape((3, 2)).shape == (3, 2)
    assert x.reshape(6).shape == (6,) and shares(x.reshape(6), x.numpy())
    assert len(x) == 2 and x.ndim == 2 and x.size == 6 and [r.shape for r in x] == [(3,), (3,)]
    assert c.sum(x).item() == float(c.sum(x)) == 15
    for bad in (lambda: x.reshape(4), lambda: x.reshape(-1, -1), lambda: x.item(), lambda: x**2.5):
        with pytest.raises(ValueError):
            bad()
    for bad in (lambda: x[2], lambda: x[-3], lambda: x[::2], lambda: c.tensor(1)[0]):
        with pytest.raises(IndexError):
            bad()
    with pytest.raises(TypeError, match="select rows"):
        x[0, 1]


def test_the_text_of_a_tensor_shows_its_numbers():
    assert repr(c.tensor([1, 2])) == "Tensor([1., 2.])"
    assert repr(c.variable([1])) == "Tensor([1.], variable)"
    assert len(repr(c.zeros((1000, 1000)))) < 600


def test_denormals_of_the_caller_survive_an_op():
    c.relu(np.ones((1000, 100), np.float32))
    assert np.float32(1e-40) * np.float32(0.5) > 0


def test_import_loads_numpy_only_with_core():
    code = "import sys, calque; assert 'numpy' not in sys.modules; calque.core; assert 'numpy' in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
