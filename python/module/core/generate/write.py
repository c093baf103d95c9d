"""Writes, from calque's headers, what Python needs to know of them.

    write.py SOURCE TEMPLATE OUT

OUT/ops.cpp binds the ops of core/ops.h, OUT/ops.py are the same as typed functions with docstrings;
OUT/fields.h lists the fields of the structs with options, OUT/choices.py the names of their choices;
OUT/_native.pyi are the types of the classes: TEMPLATE with the options filled in. OUT/docs.py has the
docstrings of these classes, and their functions with signatures.
"""

from __future__ import annotations

import ast
import re
import sys
import textwrap
from pathlib import Path

from headers import Function, Header, Parameter, Struct, read

HEADERS = ["core/activation.h", "core/precision.h", "core/sparsity.h", "core/rotation.h", "core/ops.h", "nn/options.h",
           "nn/layers/attention.h", "nn/layers/recurrent.h", "nn/models/encoder.h",
           "nn/models/classification_head.h", "nn/models/vision.h", "nn/models/word2vec.h", "optim/flat.h",
           "optim/adam.h", "optim/sgd.h", "optim/adafactor.h", "optim/muon.h",
           "optim/schedule.h", "optim/weight_average.h"]
OPTIONS = ["Sparsity", "RotationScaling", "Rotation", "AttentionOptions", "ExpertOptions", "AdapterOptions", "LayerOptions",
           "TransformerOptions",
           "RecurrentOptions", "LanguageModelOptions", "EncoderOptions", "MaskedLmOptions",
           "ClassificationHeadOptions", "ClassifierOptions", "VisionOptions", "Word2VecOptions", "WeightDecay",
           "AdamSettings", "SgdSettings", "AdafactorSettings", "MuonSettings", "Noam", "InverseSqrt",
           "CosineDecay", "LinearDecay", "Constant", "WholeRun", "WeightAverageSettings"]
FLAT = {"LayerOptions", "EncoderOptions"}  # their fields are keywords of what contains them
NUMBERS = {"int64_t": "int", "int": "int", "real": "float", "double": "float", "bool": "bool"}
SKIPPED = {"affine"}  # x * scale + shift


class Headers:
    def __init__(self, source: Path) -> None:
        self.all: dict[str, Header] = {name: read(source / name) for name in HEADERS}
        self.structs: dict[str, Struct] = {}
        self.enums: dict[str, list[str]] = {}
        self.names: dict[str, tuple[str, dict[str, str]]] = {}
        for header in self.all.values():
            self.structs |= header.structs
            self.enums |= header.enums
            self.names |= header.names

    def spelling(self, enum: str, choice: str) -> str:
        """The name of a choice in Python."""
        return self.names[enum][1].get(choice, choice) if enum in self.names else choice

    def choices(self, enum: str) -> list[str]:
        return [self.spelling(enum, choice) for choice in self.enums[enum]]

    def own_fields(self, struct: str) -> list[tuple[Parameter, str]]:
        base = self.structs[struct].base
        return (self.own_fields(base) if base else []) + self.structs[struct].fields

    def keywords(self, struct: str) -> list[tuple[Parameter, str]]:
        """The fields, with those of flattened structs and the defaults that they have here."""
        all: list[tuple[Parameter, str]] = []
        for field, comment in self.own_fields(struct):
            if field.type not in FLAT:
                all.append((field, comment))
                continue
            other = dict(re.findall(r"\.(\w+) = ([\w:]+)", field.default or ""))
            for inner, text in self.keywords(field.type):
                all.append((Parameter(inner.type, inner.name, other.get(inner.name, inner.default)), text))
        return all

    def python_type(self, kind: str) -> str:
        if kind in NUMBERS:
            return NUMBERS[kind]
        return f"{kind}Dict" if kind in self.structs else kind

    def python_default(self, parameter: Parameter) -> str:
        text = parameter.default
        if text is None or text[0] == "{":
            return "None"
        if parameter.type in self.enums:
            return f'"{self.spelling(parameter.type, text.rsplit("::")[-1])}"'
        text = re.sub(r"^real\((.*)\)$", r"\1", text).removesuffix("f") if parameter.type != "bool" else text
        return {"true": "True", "false": "False"}.get(text, text)

    def options(self, struct: str) -> str:
        parts = []
        for p, _ in self.keywords(struct):
            kind, default = self.python_type(p.type), self.python_default(p)
            parts.append(f"{p.name}: {f'Optional[{kind}]' if default == 'None' else kind} = {default}")
        return ", ".join(parts)


def absent(function: Function) -> set[str]:
    """The tensors that may be None, as the comment says."""
    text = " ".join(function.comment)
    named = re.findall(r"\b(\w+)(?: \[[^\]]*\])?,? (?:or|is|may be) absent", text)
    return {*named} | {p.name for p in function.parameters if p.type == "Tensor" and p.default}


class Ops:
    """The functions of core/ops.h, in C++ and in Python."""

    def __init__(self, headers: Headers) -> None:
        self.headers = headers
        self.functions = [f for f in headers.all["core/ops.h"].functions if f.name not in SKIPPED]

    def inputs(self, p: Parameter, optional: bool) -> tuple[str, str]:
        """The type of a parameter in the binding, and in Python."""
        if p.type == "Tensor":
            return ("OptionalInput", "Optional[TensorLike]") if optional else ("Input", "TensorLike")
        if p.type in self.headers.enums:
            return f"Choice<{p.type}>", p.type
        return {
            "std::span<const Tensor>": ("Inputs", "Sequence[TensorLike]"),
            "std::span<const int32_t>": ("Ids", "IntegersLike"),
            "std::span<const double>": ("Numbers", "Sequence[float]"),
            "std::span<const KeyRows>": ("KeyRanges", "Sequence[Tuple[int, int]]"),
            "Segments": ("SegmentsInput", "SegmentsLike"),
        }.get(p.type) or (p.type, NUMBERS[p.type])

    def signature(self, f: Function) -> str:
        parts = []
        for p in f.parameters:
            optional = p.name in absent(f)
            if p.type == "AttentionOptions":
                parts += ["*", self.headers.options(p.type)]
                continue
            kind = self.inputs(p, optional)[1]
            default = None
            if p.default == "{}" or optional and p is f.parameters[-1]:
                kind, default = kind if optional else f"Optional[{kind}]", "None"
            elif p.default:
                default = self.headers.python_default(p)
            parts.append(f"{p.name}: {kind}" + (f" = {default}" if default else ""))
        returns = {"TokenLoss": "TokenLoss"}.get(f.returns)
        if not returns:
            returns = "List[Tensor]" if f.returns.startswith("std::vector<") and "real>" != f.returns[-5:] else "Tensor"
            returns = "List[Tensor]" if "vector<std::vector" in f.returns else returns
        return f"{f.name}({', '.join(parts)}) -> {returns}"

    def doc(self, f: Function, before: Function | None) -> str:
        if not f.comment:
            return f"{f.name}({f.parameters[0].name}), elementwise."
        text = "\n".join(f.comment)
        words = f.name.replace("_", " ").capitalize()
        if before and text.startswith("The same"):
            text = f"The same as {before.name}()" + text.removeprefix("The same")
        elif text.startswith(("of ", "along ")):
            text = f"{words} {text}"
        elif text.startswith(("->", "[")):
            text = f"{words}: {text}"
        elif text.startswith(("the ", "each ", "two ")):
            text = text[0].upper() + text[1:]
        elif len(f.comment) == 1 and len(f.parameters) == 1 and not text.endswith("."):
            text = f"{f.name}({f.parameters[0].name}) = {text}"
        if any(p.type == "AttentionOptions" for p in f.parameters):
            fields = [(p, c) for p, c in self.headers.keywords("AttentionOptions") if c]
            text += "\n\n" + "\n".join(textwrap.fill(f"{p.name}: {c}", 92, subsequent_indent="    ")
                                       for p, c in fields)
        return text

    def docs(self) -> list[tuple[Function, str]]:
        found, before = [], None
        for f in self.functions:
            found.append((f, self.doc(f, before)))
            if not (f.comment and f.comment[0].startswith("The same")):
                before = f
        return found

    def binding(self, f: Function) -> str:
        parameters, arguments, extra, tensors, before = [], [], [], [], ""
        for p in f.parameters:
            if p.type == "AttentionOptions":
                parameters.append("const py::kwargs& keywords")
                arguments.append("options")
                before = f'    const auto options = options_from<AttentionOptions>("{f.name}", keywords);\n'
                continue
            optional = p.name in absent(f)
            kind = self.inputs(p, optional)[0]
            parameters.append(f"const {kind}& {p.name}" if kind[0].isupper() else f"{kind} {p.name}")
            arguments.append(p.name)
            if kind == "Input":
                tensors.append(f"&{p.name}.tensor")
            argument = f'py::arg("{p.name}")'
            if p.default == "{}" or optional and p is f.parameters[-1]:
                argument += " = py::none()"
            elif p.type in self.headers.enums and p.default:
                argument += f" = {self.headers.python_default(p)}"
            elif p.default:
                argument += f" = {p.default}"
            extra.append(argument)
        return (f'  module.def("{f.name}", []({", ".join(parameters)}) {{\n'
                f'{before}    return op({{{", ".join(tensors)}}}, [&] {{ '
                f'return result_of(calque::{f.name}({", ".join(arguments)})); }});\n'
                f'  }}, {", ".join(extra)});\n')

    def cpp(self) -> str:
        body = "".join(self.binding(f) for f in self.functions)
        return ('// Made from core/ops.h by python/module/core/generate/write.py.\n'
                '#include "module/core/ops.h"\n\n#include <pybind11/stl.h>\n\n#include "module/core/options.h"\n\n'
                "namespace calque::python {\n\nvoid bind_ops(py::module_& module) {\n"
                f"{body}}}\n\n}}  // namespace calque::python\n")

    def call(self, f: Function) -> str:
        arguments = [f"{p.name}={p.name}" for p, _ in self.headers.keywords("AttentionOptions")]
        names = [[p.name] if p.type != "AttentionOptions" else arguments for p in f.parameters]
        return f"_core.{f.name}({', '.join(name for group in names for name in group)})"

    def python(self) -> str:
        names = ", ".join(f'"{f.name}"' for f in self.functions)
        functions = "\n\n".join(f"\ndef {self.signature(f)}:\n{quoted(doc)}\n    return {self.call(f)}"
                                for f, doc in self.docs())
        return ('"""The ops of calque: core/ops.h as functions. Made by module/core/generate/write.py."""\n\n'
                "from __future__ import annotations\n\n"
                "from typing import List, Optional, Sequence, Tuple\n\n"
                "from . import _native as _core\n"
                "from ._native import Tensor, TokenLoss\n"
                f"from .choices import {', '.join([*self.headers.enums, 'SparsityDict'])}\n"
                "from .types import IntegersLike, SegmentsLike, TensorLike\n\n"
                f"__all__ = [{names}]\n{functions}\n")

    def stub(self) -> str:
        """For the classes' module, whose functions ops.py calls."""
        return "\n".join(f"def {self.signature(f)}: ..." for f in self.functions)


def quoted(text: str, indent: str = "    ") -> str:
    lines = text.strip().replace("\\", "\\\\").split("\n")
    inner = "\n".join(indent + line if line else "" for line in lines[1:])
    return f'{indent}"""{lines[0]}' + (f"\n{inner}\n{indent}" if inner else "") + '"""'


def fields_header(headers: Headers) -> str:
    text = ["// Made by python/module/core/generate/write.py: the fields of the structs with options, and the",
            "// names of their choices.", "#pragma once", ""]
    text += [f'#include "{name}"' for name in HEADERS]
    text += ["", "namespace calque::python {", ""]
    for enum, choices in headers.enums.items():
        if enum not in headers.names:
            pairs = ", ".join(f'{{"{choice}", {enum}::{choice}}}' for choice in choices)
            text.append(f"inline constexpr Named<{enum}> names_of_{enum}[] = {{{pairs}}};")
            table = f"names_of_{enum}"
        else:
            table = headers.names[enum][0]
        text.append(f"inline std::span<const Named<{enum}>> names_of({enum}) {{ return {table}; }}")
    for name in OPTIONS:
        text += ["", "template <class Visit>", f"void each_field({name}& options, Visit& visit) {{"]
        for field, _ in headers.own_fields(name):
            flat = field.type in FLAT
            text.append(f"  each_field(options.{field.name}, visit);" if flat
                        else f'  visit("{field.name}", options.{field.name});')
        text.append("}")
    return "\n".join([*text, "", "}  // namespace calque::python", ""])


def choices(headers: Headers) -> str:
    """The names of choices, and the keys of options inside of options."""
    text = ['"""The names of choices, and the keys of options. Made by module/core/generate/write.py."""\n',
            "from typing import Literal, TypedDict\n"]
    for enum in headers.enums:
        names = ", ".join(f'"{name}"' for name in headers.choices(enum))
        text.append(f"{enum} = Literal[{names}]")
    for name in ("Sparsity", "ExpertOptions", "AdapterOptions", "WeightDecay", "ClassificationHeadOptions"):
        keys = "".join(f'    "{p.name}": {headers.python_type(p.type)},\n' for p, _ in headers.keywords(name))
        text.append(f'{name}Dict = TypedDict("{name}Dict", {{\n{keys}}}, total=False)')
    return "\n".join(text) + "\n"


def option_docs(headers: Headers, struct: str) -> str:
    return "\n".join(textwrap.fill(f"{p.name}: {c}", 92, subsequent_indent="    ")
                     for p, c in headers.keywords(struct) if c)


def docs(stub: str) -> str:
    """The docstrings of the stub for the interpreter, whose classes in C++ have none."""
    def head(f: ast.FunctionDef) -> str:
        arguments = [a.arg for a in f.args.args if a.arg != "self"] + ([f"*{f.args.vararg.arg}"] if f.args.vararg else [])
        return f"{f.name}({', '.join([*arguments, *(f'{a.arg}=' for a in f.args.kwonlyargs)])})"

    classes, functions, names = [], [], []
    for item in ast.parse(stub).body:
        if isinstance(item, ast.ClassDef):
            text = ast.get_docstring(item) or ""
            members = [f for f in item.body if isinstance(f, ast.FunctionDef) and
                       (not f.name.startswith("_") or f.name in ("__init__", "__call__", "__getitem__"))]
            for f in members:
                is_property = any(ast.unparse(d) == "property" for d in f.decorator_list)
                text += f"\n\n{f.name if is_property else head(f)}"
                if doc := ast.get_docstring(f):
                    text += "\n" + textwrap.indent(doc, "    ")
            classes.append(f"    {item.name!r}: {text.strip()!r},\n")
        elif isinstance(item, ast.FunctionDef) and (doc := ast.get_docstring(item)):
            call = [a.arg for a in item.args.args] + [f"{a.arg}={a.arg}" for a in item.args.kwonlyargs]
            returns = ast.unparse(item.returns) if item.returns else "None"
            functions.append(f"\n\ndef {item.name}({ast.unparse(item.args)}) -> {returns}:\n{quoted(doc)}\n"
                             f"    return _core.{item.name}({', '.join(call)})\n")
            names.append(item.name)
    return ('"""Docstrings and functions of calque.core._native. Made by module/core/generate/write.py."""\n\n'
            "from __future__ import annotations\n\nfrom typing import Any, Optional, Sequence, Union\n\n"
            "from . import _native as _core\nfrom ._native import Initial, Tensor\n"
            f"from .types import TensorLike\n\n__all__ = {names!r}\n\nCLASSES = {{\n{''.join(classes)}}}\n{''.join(functions)}")


def fill(template: str, source: Path, headers: Headers, ops: Ops) -> str:
    """Fills in @ops@, @choices@, @options STRUCT@, @doc HEADER@ and @doc HEADER STRUCT@."""
    def doc(match: re.Match[str]) -> str:
        top = "\n".join(read(source / match[2]).top)
        text = top + (f"\n\nOptions:\n\n{option_docs(headers, match[3])}" if match[3] else "")
        return quoted(text, match[1])

    text = re.sub(r"^( *)@doc ([\w/.]+)(?: (\w+))?@$", doc, template, flags=re.M)
    text = re.sub(r"@options (\w+)@", lambda m: headers.options(m[1]), text)
    text = re.sub(r"@comment (\w+)@", lambda m: quoted("\n".join(headers.structs[m[1]].comment)).strip(), text)
    names = [*headers.enums, "SparsityDict", "ExpertOptionsDict", "AdapterOptionsDict", "WeightDecayDict", "ClassificationHeadOptionsDict"]
    return text.replace("@choices@", ", ".join(names)).replace("@ops@", ops.stub())


def main() -> None:
    source, template, out = map(Path, sys.argv[1:])
    headers = Headers(source)
    ops = Ops(headers)
    stub = fill(template.read_text(), source, headers, ops)
    for name, text in (("ops.cpp", ops.cpp()), ("ops.py", ops.python()),
                       ("fields.h", fields_header(headers)), ("choices.py", choices(headers)),
                       ("_native.pyi", stub), ("docs.py", docs(stub))):
        path = out / name
        if not path.exists() or path.read_text() != text:
            path.write_text(text)


if __name__ == "__main__":
    main()
