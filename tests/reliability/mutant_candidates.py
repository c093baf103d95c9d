"""Where a mutant of mutants.py can stand in C++ code, and its text.

A mutant only inserts text: `a < b` becomes `a < calque_mutant(17) + b`, which is `a < b` or, switched on,
`a < 1 + b`. The patterns rely on clang-format: one space around binary operators, none in `vector<int>`.
"""
import bisect
import hashlib
import re

ID = "@"  # stands for the mutant's number
ON, SIGN = f"calque_mutant({ID})", f"calque_sign({ID})"

# Lines that change speed or memory alone.
PERFORMANCE = re.compile(r"prefetch|chunk|grain|reserve\(|shrink_to_fit|advise|cache_line|alignas|\bblock_|_block\b|"
                         r"batch_lines|buffer_size|simd|tile|move\(", re.IGNORECASE)
# Lines whose constants the compiler needs.
COMPILED = re.compile(r"constexpr|static_assert|\bcase\b|\btemplate\b|\busing\b|\bconcept\b|\brequires\b|\benum\b|"
                      r"\boperator\b|= 0;$|\[\d+\](;|\{| =)|\{0x")
KEYWORDS = re.compile(r"return|throw|delete|using|goto|break|continue|case|default|public|private|co_\w+|if|else|for|"
                      r"while|do|switch|static_assert|fail|catch|new|namespace|explicit|friend|template|typename|"
                      r"class|struct|CALQUE_\w+")


def masked(text):
    """The text with comments, literals of characters and directives blanked, of the same length."""
    blank = lambda match: re.sub(r"[^\n]", " ", match.group())
    quoted = lambda match: '"' + re.sub(r"[^\n]", "_", match.group()[1:-1]) + '"'
    token = re.compile(r'(R"(\w*)\(.*?\)\2"|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])+\')|'
                       r"//[^\n]*|/\*.*?\*/|^[ \t]*#(?:\\\n|[^\n])*", re.DOTALL | re.MULTILINE)
    return token.sub(lambda match: quoted(match) if match.group(1) else blank(match), text)


def closing(code, start):
    """The end of the bracket that opens at start."""
    depth = 0
    for place in range(start, len(code)):
        depth += (code[place] in "([{") - (code[place] in ")]}")
        if depth == 0:
            return place
    return len(code)


def operand_after(code, start):
    """The end of the operand of && or || that begins at start."""
    depth = 0
    for place in range(start, len(code)):
        if code[place] in "([{":
            depth += 1
        elif code[place] in ")]}":
            depth -= 1
        if depth < 0 or depth == 0 and (code[place] in ",;?:" and "::" not in code[place - 1:place + 2]
                                        or code[place:place + 2] in ("&&", "||")):
            return place - (code[place - 1] == " ")
    return len(code)


def operand_before(code, end):
    """The begin of the operand of && or || that ends at end."""
    depth = 0
    for place in range(end - 1, -1, -1):
        if code[place] in ")]}":
            depth += 1
        elif code[place] in "([{":
            depth -= 1
        if depth < 0 or depth == 0 and (code[place] in ",;?:" and "::" not in code[place - 1:place + 2]
                                        or code[place - 1:place + 1] in ("&&", "||")
                                        or re.match(r" = |\breturn ", code[place:place + 7])):
            rest = re.compile(r"\s*(?:= |return )?\s*")
            return rest.match(code, place if depth == 0 and code[place] in " r" else place + 1).end()
    return 0


def in_file(code):
    """Yields (kind, what changes, the insertions [(place, text)])."""
    for match in re.finditer(r"\b(if|while) \(", code):
        end = closing(code, match.end() - 1)
        condition = code[match.end():end]
        if ";" not in condition and not re.match(r"(const )?[\w:<>*&]+ \*?&?\w+ ?[={(]", condition) and end < len(code):
            yield "condition", "negate", [(match.end(), f"{ON} != bool("), (end, ")")]
    for match in re.finditer(r"\bfor \(", code):
        parts = code[match.end():closing(code, match.end() - 1)].split(";")
        if len(parts) == 3 and parts[1].strip():
            begin = match.end() + len(parts[0]) + 2
            yield "condition", "negate", [(begin, f"{ON} != bool("), (match.end() + len(parts[0] + parts[1]) + 1, ")")]
    for match in re.finditer(r"(?<=[\w)\]]) (<=?|>=?)\s(?=[\w(*-])", code):
        yield "comparison", f"{match.group(1)} by one", [(match.end(), f"{ON} + ")]
    for match in re.finditer(r"(?<=[\w)\]]) ([+-]) (?=[\w(])", code):
        yield "sign", {"+": "+ to -", "-": "- to +"}[match.group(1)], [(match.end(), f"{SIGN} * ")]
    for match in re.finditer(r" ([+-])= ([^;{}]+);", code):
        yield "sign", {"+": "+= to -=", "-": "-= to +="}[match.group(1)], [(match.start(2), f"{SIGN} * ("),
                                                                       (match.end(2), ")")]
    number = r"(?<![\w.'])(?<!p-)(?:\d+\.\d*(?:e[-+]?\d+)?|\d+e[-+]?\d+|\d+)[fFuUlL]*(?![\w.'>])"
    for match in re.finditer(number, code):
        literal = match.group()
        flipped = float(literal.rstrip("fFuUlL")) in (0, 1)
        other = f"1 {'-' if flipped else '+'} {literal}"
        yield "constant", f"{literal} to {other}", [(match.start(), f"({ON} ? {other} : "), (match.end(), ")")]
    for match in re.finditer(r" (&&|\|\|)\s+", code):
        left, right = operand_before(code, match.start()), operand_after(code, match.end())
        yield "logic", {"&&": "&& to ||", "||": "|| to &&"}[match.group(1)], [
            (left, f"({ON} != (({ON} != bool("), (match.start(), "))"),
            (match.end(), f"({ON} != bool("), (right, "))))")]
    for match in re.finditer(r"(?<=[;{})])\n *((?:[-+]{2}|\*)?[A-Za-z_](?:[\w.:]|->|\[[^\]\n]*\]|\(\))*"
                             r"(?:\(.*\)| [-+*/|&^]?= .*|[-+]{2})?;)$", code, re.MULTILINE):
        if not KEYWORDS.match(match.group(1)) and re.search(r"[(=]|\+\+|--", match.group(1)):
            yield "statement", "delete", [(match.start(1), f"{{ if (!{ON}) "), (match.end(1), " }")]


def candidates(texts, seed):
    """All mutants of the files, in the order of their hashes."""
    found = []
    seen = {}
    for name, text in texts.items():
        code = masked(text)
        starts = [0] + [match.end() for match in re.finditer("\n", code)]
        lines = code.split("\n")
        for kind, change, edits in in_file(code):
            first, last = (bisect.bisect(starts, place) for place in (edits[0][0], edits[-1][0]))
            line = lines[first - 1]
            if COMPILED.search(line) or PERFORMANCE.search(line) or last - first > 8:
                continue
            shown = text.split("\n")[first - 1].strip()
            key = f"{seed} {kind} {change} {shown}"
            seen[key] = seen.get(key, 0) + 1
            digest = hashlib.sha256(f"{key} {seen[key]}".encode()).hexdigest()
            found.append({"hash": digest, "file": name, "line": first, "last": last, "kind": kind,
                          "change": f"{kind}: {change}", "edits": edits, "text": shown})
    return sorted(found, key=lambda mutant: mutant["hash"])


def plant(text, mutants):
    edits = [(place, inserted.replace(ID, str(mutant["id"]))) for mutant in mutants
             for place, inserted in mutant["edits"]]
    for place, inserted in sorted(edits, key=lambda edit: edit[0], reverse=True):
        text = text[:place] + inserted + text[place:]
    return text
