"""Tensors with reverse-mode autograd, modules and optimisers.

    import numpy as np
    from calque.core import Tape, mean, square, tensor, variable

    x = tensor(np.random.rand(21, 3).astype(np.float32))   # shares the array's memory
    w = variable(np.zeros((3, 1), np.float32))              # a leaf: backward() fills w.grad
    with Tape():
        loss = mean(square(x @ w - 1))
        loss.backward()
    w.numpy()[:] -= 0.5 * w.grad.numpy()
    w.clear_grad()

Numbers are float32, tensors are contiguous, and a module is any object whose constructor takes a
Path. docs/autograd.md describes all parts.
"""

from __future__ import annotations

from .. import _native as _package
from ..figure import Figure
from . import ops
from ._native import (Adafactor, Adam, BidirectionalLayer, Classifier, Constant, CosineDecay, CrossAttention,
                      Decoder, Embedding, Encoder, FeedForward, Initial, InverseSqrt, LanguageModel, Linear,
                      LinearDecay, MaskedLm, Mixture, Muon, Noam, Norm, Optimizer, OutputProjection, Parameters,
                      Path, Positions, RecurrentLayer, RecurrentTranslator, Segments, SelfAttention,
                      SelfAttentionStack, Sgd, Tape, Tensor, TokenLoss, Transformer, UpdateReport,
                      VisionTransformer, WeightAverage, WholeRun, Word2Vec, no_grad, no_token)
from .docs import (backward, constant, from_dlpack, full, normal, tensor, uniform, variable, xavier_uniform,
                   zeros)
from .draw import draw
from .gradcheck import GradientMismatch, gradcheck
from .ops import *  # noqa: F403
from .python_op import op

Error = _package.Error
threads, set_threads = _package.threads, _package.set_threads

__all__ = [
    "Adafactor", "Adam", "BidirectionalLayer", "Classifier", "Constant", "CosineDecay", "CrossAttention",
    "Decoder", "Embedding", "Encoder", "Error", "FeedForward", "Figure", "GradientMismatch", "Initial",
    "InverseSqrt", "LanguageModel", "Linear", "LinearDecay", "MaskedLm", "Mixture", "Muon", "Noam", "Norm",
    "Optimizer", "OutputProjection", "Parameters", "Path", "Positions", "RecurrentLayer",
    "RecurrentTranslator", "Segments", "SelfAttention", "SelfAttentionStack", "Sgd", "Tape", "Tensor",
    "TokenLoss", "Transformer", "UpdateReport", "VisionTransformer", "WeightAverage", "WholeRun", "Word2Vec",
    "backward", "constant", "draw", "from_dlpack", "full", "gradcheck", "no_grad", "no_token", "normal", "op",
    "set_threads", "tensor", "threads", "uniform", "variable", "xavier_uniform", "zeros",
    *ops.__all__,
]
