"""What methods take: texts, one or many, with a progress bar on long work."""

from __future__ import annotations

import contextlib
from typing import Any, Callable, Iterable, Iterator, Sequence, TypeVar

from ._native import Error

Item = TypeVar("Item")


def check_text(text: object, what: str) -> str:
    """Returns the text, or raises an error that calls it `what`."""
    if not isinstance(text, str):
        raise TypeError(f"{what} must be a str, not {type(text).__name__}")
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise Error(f"{what}: character {error.start} is half of a surrogate pair") from None
    return text


def texts_of(texts: Iterable[str], what: str = "text") -> list[str]:
    """Any iterable of strings, such as a pandas column, as a list."""
    if isinstance(texts, (bytes, bytearray)):
        raise TypeError(f"{what}s must be str, not bytes; decode them first")
    return [check_text(text, f"{what} {i}") for i, text in enumerate(texts)]


def blocks(items: Sequence[Item], size: int) -> Iterator[tuple[int, Sequence[Item]]]:
    """The index of the first item of each block, and the block."""
    for first in range(0, len(items), size):
        yield first, items[first : first + size]


@contextlib.contextmanager
def shown_progress(total: int, wanted: bool | None, unit: str = "texts") -> Iterator[Callable[[int], None] | None]:
    """A function that gets the number of finished items, or None if nobody looks.

    With `wanted` None, a tqdm bar appears after two seconds of work, if tqdm is installed and the
    output is a terminal or a notebook.
    """
    if wanted is False or (wanted is None and total < 2):
        yield None
        return
    try:
        from tqdm.auto import tqdm
    except ImportError:
        if wanted:
            raise Error("progress=True needs the package tqdm") from None
        yield None
        return
    options: Any = {"disable": None if wanted is None else False}  # None: unless on a terminal
    bar: Any = tqdm(total=total, unit=unit, leave=False, delay=0 if wanted else 2, **options)

    def show(done: int) -> None:
        bar.update(done - bar.n)

    try:
        yield show
    finally:
        bar.close()
