"""What functions of calque.core accept in place of a tensor, of token ids and of segments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Sequence, Union

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ._native import Segments, Tensor

    TensorLike = Union[Tensor, float, NDArray[np.float32], Sequence[Any]]
    IntegersLike = Union[NDArray[np.signedinteger[Any]], Sequence[int], Sequence[Sequence[int]]]
    SegmentsLike = Union[Segments, IntegersLike]
else:
    TensorLike = IntegersLike = SegmentsLike = Any
