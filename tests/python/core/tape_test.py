"""Tapes in Python: what is recorded, and what happens when scopes end in another order or elsewhere."""

import gc
import os
import threading
import time

import calque.core as c
import numpy as np
import pytest


def test_gradients_add_up_until_they_are_cleared():
    w = c.variable([1.0, 2.0])
    for _ in range(2):
        with c.Tape() as tape:
            loss = c.sum(w * 3)
            assert len(tape) == 2
            loss.backward()
            assert len(tape) == 0
    assert w.grad.numpy().tolist() == [6, 6]


def test_a_seed_may_be_a_number_or_a_tensor():
    w = c.variable([1.0, 2.0])
    with c.Tape():
        c.backward(c.sum(w), 2.5)
    with c.Tape():
        c.backward(w * 2, [1.0, 10.0])
    assert w.grad.numpy().tolist() == [4.5, 22.5]


def test_what_cannot_run_backward_says_why():
    w = c.variable([1.0, 2.0])
    with pytest.raises(ValueError, match="there is no tape"):
        c.sum(w).backward()
    with c.Tape():
        y = w * 2
        with pytest.raises(ValueError, match=r"\[2\], not a single number; give a seed"):
            y.backward()
        with pytest.raises(ValueError, match="the seed is"):
            y.backward([1.0])
        with pytest.raises(ValueError, match="was not recorded"):
            c.sum(c.tensor([1.0])).backward()
        loss = c.sum(y)
        loss.backward()
        with pytest.raises(ValueError, match="runs backward once"):
            loss.backward()
        with pytest.raises(ValueError, match="is freed by backward"):
            loss.grad
        with pytest.raises(ValueError, match="graph has been freed"):
            y + 1


def test_an_exception_ends_the_tape():
    w = c.variable([1.0])
    with pytest.raises(ZeroDivisionError):
        with c.Tape():
            1 / 0
    assert not (w * 2).requires_grad


def test_no_grad_hides_the_tape():
    w = c.variable([1.0])
    with c.Tape():
        with c.no_grad():
            assert not (w * 2).requires_grad
            with c.Tape():
                assert (w * 2).requires_grad
        assert (w * 2).requires_grad


def test_a_tape_is_used_once():
    tape = c.Tape()
    with pytest.raises(ValueError, match="before its `with`"):
        len(tape)
    with tape:
        pass
    with pytest.raises(ValueError, match="each `with` needs a new one"):
        with tape:
            pass


def test_scopes_may_end_out_of_order():
    w = c.variable([1.0])
    outer, hidden, inner = c.Tape(), c.no_grad(), c.Tape()
    for scope in (outer, hidden, inner):
        scope.__enter__()
    outer.__exit__(None, None, None)
    assert (w * 2).requires_grad
    inner.__exit__(None, None, None)
    assert not (w * 2).requires_grad
    hidden.__exit__(None, None, None)
    assert not (w * 2).requires_grad


def test_a_generator_may_keep_its_tape_open():
    w = c.variable([3.0])

    def steps():
        while True:
            with c.Tape():
                yield c.sum(c.square(w))

    running = steps()
    next(running)
    next(running).backward()
    assert w.grad.numpy().tolist() == [6]
    running.close()
    assert not (w * 2).requires_grad


def test_an_abandoned_tape_ends():
    w = c.variable([1.0])
    c.Tape().__enter__()
    gc.collect()
    assert not (w * 2).requires_grad


def in_thread(function):
    result = []

    def run():
        try:
            result.append(function())
        except BaseException as error:
            result.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    return result[0]


def test_a_tape_belongs_to_its_thread():
    w = c.variable([1.0])
    tape = c.Tape().__enter__()
    loss = c.sum(c.square(w))
    assert "there is no tape" in str(in_thread(loss.backward))
    assert "belongs to another thread" in str(in_thread(lambda: len(tape)))
    assert "another thread" in str(in_thread(lambda: tape.__exit__(None, None, None)))
    assert not (w * 2).requires_grad  # it has ended all the same


def test_a_thread_may_end_with_its_tape_open():
    w = c.variable([1.0])
    kept = []

    @c.op
    def same(x):
        return x, lambda dy: dy

    def leave_open():
        tape = c.Tape().__enter__()
        kept.extend([tape, same(w) * w])

    in_thread(leave_open)
    del kept[:]
    gc.collect()


def test_eight_threads_train_alone_and_on_shared_leaves():
    shared = c.variable(np.zeros(1000, np.float32))
    results = {}

    def train(number):
        a = np.random.default_rng(number).normal(size=(50, 8)).astype(np.float32)
        w = c.variable(np.zeros((8, 1), np.float32))
        for step in range(60):
            with c.Tape(step=step):
                loss = c.mean(c.square(a @ w - 1)) + c.sum(shared)
                loss.backward()
            w.numpy()[:] -= np.float32(0.1) * w.grad.numpy()
            w.clear_grad()
        results[number] = w.numpy().copy()

    threads = [threading.Thread(target=train, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (shared.grad.numpy() == 8 * 60).all()
    together = dict(results)
    train(3)
    assert len(together) == 8 and np.array_equal(together[3], results[3])


def test_other_python_threads_run_during_a_long_op():
    a = np.ones((1500, 1500), np.float32)
    times = []
    stop = threading.Event()

    def watch():
        while not stop.is_set():
            times.append(time.perf_counter())
            time.sleep(0.001)

    thread = threading.Thread(target=watch)
    thread.start()
    spans = []
    for _ in range(3):
        begin = time.perf_counter()
        c.matmul(a, a)
        spans.append((begin, time.perf_counter()))
    stop.set()
    thread.join()
    # In the middle half of an op, where a thread that holds the GIL would let no other run.
    assert any((3 * begin + end) / 4 < t < (begin + 3 * end) / 4 for begin, end in spans for t in times)


def test_a_forked_child_computes_on_one_thread():
    a = np.random.default_rng(0).normal(size=(300, 300)).astype(np.float32)
    w = c.variable(a)
    before = c.threads()
    c.set_threads(2)
    expected = c.matmul(a, a).numpy()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            same = np.array_equal(c.matmul(a, a).numpy(), expected) and c.threads() == 1
            with c.Tape():
                c.sum(c.square(w @ a)).backward()
            try:
                c.set_threads(2)
            except ValueError as error:
                status = 0 if same and "spawn" in str(error) and w.grad.numpy().any() else 2
        finally:
            os._exit(status)
    c.set_threads(before)
    assert os.waitpid(child, 0)[1] == 0


def test_a_check_names_the_first_op_that_is_not_finite():
    w = c.variable([0.0])
    with pytest.raises(c.Error, match=r"op 0 \(log\) is not finite"):
        with c.Tape(check=True):
            c.log(w)
