"""Training data that comes from Python: written to the folder of the run, as the files of a corpus.

So the run resumes from the command line too, and the hash of its data covers it.
"""

from __future__ import annotations

import filecmp
import os
from typing import Any, Callable, Iterable, Mapping

from ._native import Error
from ._texts import check_text

_SPLITS = ("train", "validation", "test")


def write_data(config: dict[str, Any], run: str, trained: bool) -> dict[str, Any]:
    """The config with the paths of files instead of data from Python, which it writes.

    If the run has been `trained`, the data must be what it was.
    """
    data = config.get("data")
    if not isinstance(data, Mapping):
        return config
    written = dict(data)
    for split in _SPLITS:
        rows = data.get(split)
        if rows is not None and not _is_config(rows):
            written[split] = _write(config, rows, os.path.join(run, "data"), split, trained)
    return {**config, "data": written}


def _is_config(rows: Any) -> bool:
    """Whether it is a corpus or a list of corpora, as a config has them."""
    if isinstance(rows, (str, bytes, Mapping)):
        return True
    return isinstance(rows, (list, tuple)) and all(isinstance(row, Mapping) for row in rows)


def _write(config: Mapping[str, Any], rows: Iterable[Any], folder: str, split: str,
           trained: bool) -> dict[str, str]:
    task = config.get("task", "translation")
    if task not in _WRITERS:
        raise Error(f"data.{split}: data from Python is for task: {', '.join(_WRITERS)}; "
                    f"task: {task} reads files")
    columns, lines_of = _WRITERS[task]
    languages = config["data"].get("languages") if task == "translation" else None
    if languages:
        columns = _languages(languages)
    paths = {key: os.path.abspath(os.path.join(folder, f"{split}.{key}")) for key in columns}
    os.makedirs(folder, exist_ok=True)
    temporary = [path + ".new" for path in paths.values()]
    files = [open(path, "w", encoding="utf-8", newline="\n") for path in temporary]
    try:
        for i, row in enumerate(rows):
            for file, line in zip(files, lines_of(row, f"data.{split}, row {i}")):
                file.write(line + "\n")
    finally:
        for file in files:
            file.close()
    for path, new in zip(paths.values(), temporary):
        same = os.path.exists(path) and filecmp.cmp(path, new, shallow=False)
        if trained and not same:
            for each in temporary:
                os.remove(each)
            raise Error(f"data.{split}: differs from the data that {os.path.dirname(folder)} was "
                        "trained on; use the same data, or another run")
        os.replace(new, path)
        temporary = temporary[1:]
    return {"prefix": os.path.abspath(os.path.join(folder, split))} if languages else paths


def _languages(languages: Any) -> tuple[str, ...]:
    if not isinstance(languages, (list, tuple)) or len(languages) != 2 or not all(
            isinstance(each, str) and each.replace("-", "").replace("_", "").isalnum()
            for each in languages):
        raise Error(f"data.languages: must be two names such as [de, en], not {languages!r}")
    return tuple(languages)


def _one_line(text: object, what: str) -> str:
    line = check_text(text, what)
    if "\n" in line or "\r" in line:
        raise Error(f"{what}: has a line end; a text is one line")
    return line


def _pair(row: Any, what: str) -> tuple[str, str]:
    if isinstance(row, str) or not hasattr(row, "__len__") or len(row) != 2:
        raise TypeError(f"{what}: must be a pair, not {row!r:.60}")
    return row[0], row[1]


def _translation_lines(row: Any, what: str) -> list[str]:
    source, target = _pair(row, what)
    return [_one_line(source, what + ": the source"), _one_line(target, what + ": the target")]


def _labelled_line(row: Any, what: str) -> list[str]:
    text, label = _pair(row, what)
    label = _one_line(label, what + ": the label")
    if not label or any(c.isspace() for c in label):
        raise Error(f"{what}: the label {label!r} is empty or has white space")
    texts = text if isinstance(text, tuple) else (text,)
    lines = [_one_line(each, what) for each in texts]
    if any("\t" in line for line in lines):
        raise Error(f"{what}: the text has a tab, which separates the texts of a pair")
    return ["\t".join([label, *lines])]


def _document_line(row: Any, what: str) -> list[str]:
    return [_one_line(row, what)]


_WRITERS: dict[str, tuple[tuple[str, ...], Callable[[Any, str], list[str]]]] = {
    "translation": (("source", "target"), _translation_lines),
    "language-model": (("text",), _document_line),
    "masked-lm": (("text",), _document_line),
    "word2vec": (("text",), _document_line),
    "classification": (("labelled",), _labelled_line),
}
