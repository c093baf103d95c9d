"""Ops written in Python, with their gradients."""

from __future__ import annotations

import functools
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union, overload

import numpy as np

from . import _native
from ._native import Tensor, no_grad, tensor

Backward = Callable[[Any], Any]  # dy -> the gradient of each input
Forward = Callable[..., Tuple[Any, Backward]]


def _as_tensor(values: Any) -> Tensor:
    return values if isinstance(values, Tensor) else tensor(np.ascontiguousarray(values, dtype=np.float32))


def _inside(x: Tensor, tensors: bool) -> Any:
    """What the functions of the op see: the values of an input, which they cannot change."""
    if tensors:
        return x.detach()
    view = x.numpy()
    view.flags.writeable = False
    return view


def _gradients(returned: Any, count: int, name: str) -> List[Optional[Tensor]]:
    several = isinstance(returned, (tuple, list))
    if not several and count != 1:
        raise ValueError(f"{name}: backward() returns one gradient for {count} inputs")
    return [None if g is None else _as_tensor(g) for g in (returned if several else [returned])]


@overload
def op(function: Forward) -> Callable[..., Tensor]: ...
@overload
def op(*, tensors: bool = ..., name: str = ...) -> Callable[[Forward], Callable[..., Tensor]]: ...
def op(function: Optional[Forward] = None, *, tensors: bool = False, name: str = "") -> Any:
    """Makes an op of a function that returns its result and its backward pass.

        @op
        def cube(x):
            return x ** 3, lambda dy: 3 * x ** 2 * dy

    The tensors among the positional arguments are the inputs; the function sees them as read-only
    NumPy arrays, and everything else as it is. backward(dy) receives the gradient of the result and
    returns the gradient of each input: one array, or a tuple with None where there is none. With
    tensors=True both functions see and may return tensors, and may call the other ops. An exception
    in backward() reaches the caller of the backward pass.
    """
    if function is None:
        return functools.partial(_op, tensors=tensors, name=name)
    return _op(function, tensors=tensors, name=name)


def _op(function: Forward, *, tensors: bool, name: str) -> Callable[..., Tensor]:
    title = name or getattr(function, "__name__", "op")

    @functools.wraps(function)
    def call(*arguments: Any, **keywords: Any) -> Tensor:
        inputs = [x for x in arguments if isinstance(x, Tensor)]
        with no_grad():
            seen = [_inside(x, tensors) if isinstance(x, Tensor) else x for x in arguments]
            values, backward = function(*seen, **keywords)
            y = _as_tensor(values).detach()

        def run(dy: Tensor) -> List[Optional[Tensor]]:
            with no_grad():
                return _gradients(backward(dy if tensors else dy.numpy()), len(inputs), title)

        return _native.record_op(title, y, inputs, run)

    return call
