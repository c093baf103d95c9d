"""The notebooks run from their first cell to their last."""

import json
import os
import pathlib

import pytest

import calque

NOTEBOOKS = sorted((pathlib.Path(os.environ["CALQUE_SOURCE"]) / "examples/python").glob("*.ipynb"))


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook(notebook, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    train = calque.train
    monkeypatch.setattr(calque, "train", lambda *arguments, **options: train(
        *arguments, quiet=True, settings={"training.until": "4u", "training.validate_every": "4u"},
        **options))
    names = {}
    for cell in json.loads(notebook.read_text())["cells"]:
        assert not cell.get("outputs"), "a notebook is stored without outputs"
        if cell["cell_type"] != "code":
            continue
        *lines, last = "".join(cell["source"]).split("\n")
        exec(compile("\n".join(lines), str(notebook), "exec"), names)
        try:
            shown = eval(last, names)
        except SyntaxError:
            exec(last, names)
            continue
        for show in ("_repr_html_", "_repr_svg_"):
            if hasattr(shown, show):
                assert getattr(shown, show)()
