"""Reads declarations and their comments from calque's headers.

The headers are regular: a comment above a declaration, or behind it on the same line, belongs to it;
a comment followed by an empty line is a heading. That is all the C++ that this file understands.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Parameter:
    type: str  # without const and &
    name: str
    default: str | None


@dataclass
class Function:
    name: str
    returns: str
    parameters: list[Parameter]
    comment: list[str]


@dataclass
class Struct:
    name: str
    base: str | None
    fields: list[tuple[Parameter, str]]  # with the comment
    comment: list[str]


@dataclass
class Header:
    top: list[str] = field(default_factory=list)  # the comment at the top of the file
    functions: list[Function] = field(default_factory=list)
    structs: dict[str, Struct] = field(default_factory=dict)
    enums: dict[str, list[str]] = field(default_factory=dict)
    names: dict[str, tuple[str, dict[str, str]]] = field(default_factory=dict)  # enum: table, names


def split(text: str) -> list[str]:
    """Splits a list of parameters at its outer commas."""
    parts, depth, start = [], 0, 0
    for i, c in enumerate(text):
        depth += c in "<({"
        depth -= c in ">)}"
        if c == "," and depth == 0:
            parts.append(text[start:i])
            start = i + 1
    return [part.strip() for part in [*parts, text[start:]] if part.strip()]


def parameter(text: str) -> Parameter:
    declared, _, default = text.partition("=")
    kind, name = declared.strip().rsplit(None, 1)
    kind = re.sub(r"^const (.*)&$", r"\1", kind)
    return Parameter(kind, name, default.strip() or None)


def statements(text: str):
    """Yields each statement at the outermost level with its comment."""
    comment: list[str] = []
    statement = ""
    for line in text.splitlines():
        code, mark, behind = line.partition("//")
        if not code.strip() and mark and not statement:
            comment.append(behind.removeprefix(" ").rstrip())
        elif not line.strip() and not statement:
            comment = []
        else:
            # Inside a block, comments are kept for the fields.
            statement += (line if statement.count("{") > statement.count("}") else code).rstrip() + "\n"
            whole = statement.count("{") == statement.count("}")
            if whole and (code.rstrip().endswith((";", "}")) or code.startswith(("namespace", "#"))):
                yield statement.strip(), comment or ([behind.strip()] if behind.strip() else [])
                if not statement.startswith("inline constexpr"):  # a constant of the next function
                    comment = []
                statement = ""


def fields(body: str) -> list[tuple[Parameter, str]]:
    found = []
    above: list[str] = []
    for line in body.splitlines():
        code, _, behind = line.partition("//")
        code, behind = code.strip(), behind.strip()
        if not code:
            above = [*above, behind] if behind else []
            continue
        function = "(" in code.split("=")[0] or "operator" in code
        field = re.match(r"(?!return|static|const )[\w:<>]+ \w+(,| =|;)", code) and code.endswith(";")
        if field and not function:
            kind, _, rest = code.removesuffix(";").partition(" ")
            for one in split(rest):  # double m = 0, v = 0;
                found.append((parameter(f"{kind} {one}"), " ".join(above) or behind))
        above = []
    return found


def read(path: Path) -> Header:
    text = path.read_text()
    header = Header()
    body = text.removeprefix("#pragma once\n")
    for line in body.splitlines():
        if not line.startswith("//"):
            break
        header.top.append(line.removeprefix("//").removeprefix(" "))
    body = re.sub(r"^namespace calque \{$|^\}  // namespace calque$|^#.*$", "", body, flags=re.M)
    for statement, comment in statements(body):
        flat = " ".join(statement.split())
        if match := re.match(r"enum class (\w+) \{(.*)\};", re.sub(r"//.*", "", statement), re.S):
            header.enums[match[1]] = split(match[2])
        elif match := re.match(r"struct (\w+)(?: : (\w+))? \{(.*)\};", statement, re.S):
            header.structs[match[1]] = Struct(match[1], match[2], fields(match[3]), comment)
        elif match := re.match(r"inline constexpr Named<(\w+)> (\w+)\[\] = \{(.*)\};", flat):
            pairs = re.findall(r'\{"([^"]*)", \w+::(\w+)\}', match[3])
            header.names[match[1]] = (match[2], {choice: name for name, choice in pairs})
        elif match := re.match(r"([\w:<>]+(?: ?[\w:<>]+)?) (\w+)\((.*)\);", flat):
            if not flat.startswith(("inline", "using", "constexpr", "return")):
                header.functions.append(
                    Function(match[2], match[1], [parameter(p) for p in split(match[3])], comment))
    return header
