"""Docstrings and types agree with what they describe."""

import ast
import inspect
import pathlib

import calque.core as c
import pytest

STUB = ast.parse((pathlib.Path(c.__file__).parent / "_native.pyi").read_text())
CLASSES = {item.name: item for item in STUB.body if isinstance(item, ast.ClassDef)}


def methods(name):
    return {item.name: item for item in CLASSES[name].body if isinstance(item, ast.FunctionDef)}


def keyword_defaults(function):
    return {a.arg: ast.literal_eval(value)
            for a, value in zip(function.args.kwonlyargs, function.args.kw_defaults) if value is not None}


@pytest.mark.parametrize("name", c.__all__)
def test_every_public_name_has_a_docstring_and_a_signature(name):
    if name == "no_token":
        return
    value = getattr(c, name)
    assert inspect.getdoc(value), name
    if inspect.isfunction(value):
        assert all(p.annotation is not p.empty for p in inspect.signature(value).parameters.values())


@pytest.mark.parametrize("name", CLASSES)
def test_the_classes_have_what_their_types_say(name):
    type = getattr(c._native, name)
    assert not [method for method in methods(name) if not hasattr(type, method)]
    public = {n for n in vars(type) if not n.startswith("_")}
    assert public - {"keys", "values", "items"} - methods(name).keys() == set()


@pytest.mark.parametrize("name, needed", [
    ("Transformer", {"source_vocabulary": 5, "target_vocabulary": 5}), ("LanguageModel", {"vocabulary": 5}),
    ("RecurrentTranslator", {"source_vocabulary": 5, "target_vocabulary": 5}), ("Encoder", {"vocabulary": 5}),
    ("MaskedLm", {"vocabulary": 5}), ("Classifier", {"vocabulary": 5}),
])
def test_the_defaults_of_models_are_those_of_their_types(name, needed):
    defaults = keyword_defaults(methods(name)["__init__"])
    options = getattr(c, name)(c.Parameters(), **needed).options
    assert defaults.keys() == options.keys()
    for option, default in defaults.items():
        if option not in needed and default is not None:
            assert options[option] == pytest.approx(default), option


@pytest.mark.parametrize("name", ["Noam", "InverseSqrt", "CosineDecay", "LinearDecay", "Constant", "WholeRun"])
def test_the_defaults_of_schedules_are_those_of_their_types(name):
    given = keyword_defaults(methods(name)["__init__"])
    make = getattr(c, name)
    if "total_steps" in given:
        given["total_steps"] = 10
        assert repr(make(total_steps=10)) == repr(make(**given))
    else:
        assert repr(make()) == repr(make(**given))


def test_help_on_an_op_shows_its_signature_and_formula(capsys):
    help(c.layer_norm)
    text = capsys.readouterr().out
    assert "layer_norm(x: 'TensorLike', gain: 'TensorLike', bias: 'TensorLike', epsilon: 'float' = 1e-05)" in text
    assert "gain (x - mean) / sqrt(variance + epsilon) + bias" in text
