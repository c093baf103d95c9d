#!/usr/bin/env python3
"""Feeds damaged models and conversations to the program: files of llama.cpp, folders of transformers
and of PEFT, and JSON lines, each with some random changes. A command must end by itself with status
0, or with status 1 and a message of one line; a model that is imported must generate, or be refused.

    tests/reliability/hostile_models.py CALQUE SECONDS [--only gguf] [--seed 1] [--keep FOLDER]

Prints the number of inputs of each kind. An input that breaks the rule is kept in FOLDER with the
command, and the exit status is 1. With a build of CALQUE_SANITIZE=address,undefined, reports of the
sanitizers break the rule too.
"""

import argparse
import collections
import json
import os
import pathlib
import random
import resource
import shutil
import struct
import subprocess
import sys
import tempfile
import time

TRAIN = """
task: language-model
data: {train: {toy: toy-text, pairs: 60}, context: 32, nfkc: false}
training: {until: 1u, batch_tokens: 256}
logging: {report: false}
"""
LLAMA = ("d_model: 32, d_ff: 64, heads: 4, kv_heads: 2, layers: 2, norm_kind: rms, activation: swiglu, biases: none")
MODELS = {
    "llama": ("{kind: bytes}", LLAMA),
    "qwen2": ("{kind: bytes}", LLAMA.replace("biases: none", "biases: qkv")),
    "gemma3": ("{kind: sentencepiece-bpe, vocabulary_size: 400, byte_fallback: true}",
               LLAMA.replace("swiglu", "geglu-tanh") + ", norm: both, qk_norm: true, head_width: 16, "
               "attention: {window: 8, full_every: 6}, scale_embeddings: true"),
    "gpt2": ("{kind: bytes}", "d_model: 32, d_ff: 64, heads: 4, layers: 2, positions: learned, activation: gelu-tanh"),
}
CONVERSATIONS = [
    {"messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"},
                  {"role": "assistant", "content": "Hello."}, {"role": "user", "content": "\u00e9\n<|im_end|>"},
                  {"role": "assistant", "content": ""}]},
    {"prompt": "Name a colour.", "completion": "Blue."},
]
PREFERENCES = [
    {"prompt": "Name a colour.", "chosen": "Blue.", "rejected": "Seven."},
    {"prompt": [{"role": "user", "content": "Hi"}], "chosen": [{"role": "assistant", "content": "Hello!"}],
     "rejected": [{"role": "assistant", "content": "What?"}]},
]
LONGEST = 60  # seconds of a command
MEMORY = 8 << 30  # address space; sanitizers need all of it


def run(command, folder, sanitized, text=None):
    def limit():
        if not sanitized:
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    return subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=LONGEST,
                          preexec_fn=limit, input=text, stdin=None if text else subprocess.DEVNULL)


# Changes of bytes

def any_int(chance):
    return chance.choice([0, 1, 2, 3, 7, 8, 16, 31, 32, 33, 64, 255, 256, 65535, 65536, 2**31 - 1, 2**31, 2**32 - 1,
                          2**32, 2**53, 2**62, 2**63 - 1, 2**63, 2**64 - 1, chance.randrange(1000)])


def change_bytes(data, chance):
    data = bytearray(data)
    # Most of what a reader interprets is near the start.
    reach = len(data) if chance.random() < 0.3 else min(len(data), chance.choice([64, 512, 4096]))
    at = chance.randrange(reach + 1)
    kind = chance.randrange(8)
    if kind == 0:
        for place in range(at, min(len(data), at + chance.randrange(1, 9))):
            data[place] ^= 1 << chance.randrange(8)
    elif kind == 1:
        del data[at:]
    elif kind == 2:
        del data[at:at + chance.randrange(1, 17)]
    elif kind == 3:
        data[at:at] = bytes(chance.randrange(256) for _ in range(chance.randrange(1, 9)))
    elif kind == 4:
        begin = chance.randrange(len(data) + 1)
        data[at:at] = data[begin:begin + chance.randrange(1, 64)]
    elif kind == 5:
        number = struct.pack("<Q", any_int(chance))[:chance.choice([1, 2, 4, 8])]
        data[at:at + len(number)] = number
    elif kind == 6:
        data[at:at + 4] = struct.pack("<f", chance.choice([float("nan"), float("inf"), -1e38, 0, 1e-45]))
    else:
        data += data[-chance.randrange(1, 100):]
    return bytes(data)


# Changes of JSON

def any_value(chance):
    return chance.choice([
        None, True, False, "", "a", "\u0000", "\ud83d\ude00" * 20, "x" * 5000, [], {}, [[]], [None], {"": {}}, -1, 0, 1, 2, 3, 0.5,
        -0.0, 1e300, 1e-300, -1e300, 2**31, 2**32, 2**63, 2**64, -2**63, 10**30, 65536, 65537, 1 << 24, "llama",
        "gelu", "linear", [1, 2], ["a", "b"], {"type": "BPE"}, {"content": "<s>"}, {"rope_type": "llama3", "factor": 0}])


def places(value, found):
    for key in value if isinstance(value, dict) else range(len(value)):
        found.append((value, key))
        if isinstance(value[key], (dict, list)):
            places(value[key], found)
    return found


def change_json(value, chance):
    # Large tables have most places; a table and each of its numbers are equally likely.
    levels = collections.defaultdict(list)
    for place in places(value, []) if isinstance(value, (dict, list)) else []:
        levels[id(place[0])].append(place)
    if not levels:
        return any_value(chance)
    within, key = chance.choice(chance.choice(list(levels.values())))
    kind = chance.randrange(6)
    if kind == 0:
        del within[key]
    elif kind == 1:
        other, name = chance.choice(places(value, []))
        within[key] = json.loads(json.dumps(other[name]))
    elif kind == 2 and isinstance(within[key], (int, float)):
        within[key] = chance.choice([-within[key], within[key] + 1, within[key] * 2, within[key] / 2, -1, 0, 1e300])
    elif kind == 3 and isinstance(within, dict):
        within[chance.choice(["", "new", "a" * 300, key + "x"])] = within.pop(key)
    elif kind == 4 and isinstance(within, list):
        within.insert(chance.randrange(len(within) + 1), any_value(chance))
    else:
        within[key] = any_value(chance)
    return value


def change_text_of_json(text, chance):
    if chance.random() < 0.3:
        return change_bytes(text, chance)
    value = json.loads(text)
    for _ in range(chance.choice([1, 1, 1, 2, 5])):
        value = change_json(value, chance)
    return json.dumps(value, ensure_ascii=chance.random() < 0.5).encode("utf-8", "surrogatepass")


def change_safetensors(data, chance):
    if chance.random() < 0.3 or len(data) < 8:
        return change_bytes(data, chance)
    size = struct.unpack("<Q", data[:8])[0]
    header = change_text_of_json(data[8:8 + size], chance)
    return struct.pack("<Q", len(header)) + header + data[8 + size:]


def change_lines(text, chance):
    if chance.random() < 0.3:
        return change_bytes(text, chance)
    lines = text.split(b"\n")
    at = chance.randrange(len(lines) - 1)
    lines[at] = change_text_of_json(lines[at], chance)
    return b"\n".join(lines)


def changed(path, data, chance):
    if path.endswith(".json"):
        return change_text_of_json(data, chance)
    if path.endswith(".jsonl"):
        return change_lines(data, chance)
    return (change_safetensors if path.endswith(".safetensors") else change_bytes)(data, chance)


# Kinds of inputs

class Kind:
    """A file or folder that is damaged, and the commands that read it: `{}` is its place."""

    def __init__(self, seed, commands, only=None):
        self.seed, self.commands, self.only = seed, commands, only

    def files(self):
        if self.seed.is_file():
            return [self.seed]
        found = [path for path in sorted(self.seed.rglob("*")) if path.is_file() and path.name != "README.md"]
        return [path for path in found if not self.only or path.name in self.only]


def make_seeds(program, folder, sanitized):
    def calque(*arguments):
        done = run([program, *arguments], folder, sanitized)
        if done.returncode:
            raise SystemExit(f"calque {' '.join(arguments)}: {done.stderr.decode()}")

    kinds = {}
    imports = [["import", "{}", "--run", "imported"],
               ["generate", "imported", "the cat", "--max-tokens", "3", "--temperature", "0"]]
    for name, (tokenizer, model) in MODELS.items():
        (folder / f"{name}.yaml").write_text(f"{TRAIN}tokenizer: {tokenizer}\nmodel: {{{model}}}\n")
        calque("train", f"{name}.yaml", "--run", name, "--quiet")
        calque("export", name, "huggingface")
        kinds[f"transformers-{name}"] = Kind(folder / f"{name}-huggingface", imports)
        for form in ("float32", "q8_0", "q4_0") if name == "llama" else ("bfloat16", ):
            calque("export", name, "gguf", "--type", form, "--out", f"{name}-{form}")
            kinds[f"gguf-{name}-{form}"] = Kind(folder / f"{name}-{form}" / "model.gguf", imports)
    calque("train", "llama.yaml", "--run", "tuned", "--quiet", "--set", "model.init_from=llama",
           "--set", "model.adapter={kind: lora, rank: 2}")
    calque("export", "tuned", "peft")
    kinds["peft"] = Kind(folder / "tuned-peft", [["import", "{}", "--base", "llama", "--run", "imported"], imports[1]])
    for name, lines in (("chat", CONVERSATIONS), ("pairs", PREFERENCES)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    kinds["conversations"] = Kind(folder / "chat.jsonl", [
        ["data", "turns", "{}", "--format", form] for form in ("chatml", "llama3", "gemma", "mistral", "alpaca")])
    (folder / "pairs.yaml").write_text(TRAIN.replace("{toy: toy-text, pairs: 60}", "{preferences: PLACE}") +
                                       f"tokenizer: {{kind: bytes}}\nmodel: {{{LLAMA}, init_from: llama}}\n")
    kinds["preferences"] = Kind(folder / "pairs.jsonl", [["train", "pairs.yaml", "--run", "imported", "--quiet", "--set",
                                                          "data.train={{preferences: {}}}"]])
    (folder / "schema.json").write_text(json.dumps(
        {"type": "object", "properties": {"a": {"type": "integer", "minimum": 3}, "b": {"enum": ["x", 1]},
                                          "c": {"type": "array", "items": {"$ref": "#/$defs/d"}, "maxItems": 2}},
         "required": ["a"], "$defs": {"d": {"type": "string", "pattern": "[a-c]{2,3}", "maxLength": 5}}}))
    kinds["schema"] = Kind(folder / "schema.json", [["generate", "llama", "x", "--max-tokens", "3", "--json-schema", "{}"]])
    return kinds


def broken_rule(done):
    """What is wrong with the end of a command, or None."""
    message = done.stderr.decode("utf-8", "replace")
    if done.returncode not in (0, 1):
        return f"status {done.returncode}: {message[:2000]}"
    for sign in ("ERROR: AddressSanitizer", "runtime error:", "LeakSanitizer"):
        if sign in message:
            return message[:4000]
    if done.returncode == 1 and (message.count("\n") != 1 or not message.startswith("calque: ")):
        return f"not a message of one line: {message[:2000]!r}"
    return None


def try_input(program, kind, folder, sanitized, chance):
    """The rule that damaged input broke with its command, or None."""
    place = folder / ("damaged" + kind.seed.suffix)
    shutil.rmtree(folder / "imported", ignore_errors=True)
    shutil.rmtree(place, ignore_errors=True) if place.is_dir() else place.unlink(missing_ok=True)
    (shutil.copytree if kind.seed.is_dir() else shutil.copy)(kind.seed, place)
    for _ in range(chance.choice([1, 1, 1, 2, 3])):
        path = chance.choice(kind.files())
        path = place / path.relative_to(kind.seed) if kind.seed.is_dir() else place
        # Without adapter_config.json, --base is a mistake in the command line.
        if kind.seed.is_dir() and path.name != "adapter_config.json" and chance.random() < 0.02:
            path.unlink(missing_ok=True)
        elif path.exists():
            try:
                path.write_bytes(changed(path.name, path.read_bytes(), chance))
            except (ValueError, RecursionError):
                path.write_bytes(change_bytes(path.read_bytes(), chance))
    commands = kind.commands if kind.commands[0][0] != "data" else [chance.choice(kind.commands)]
    for arguments in commands:
        command = [program, *(part.replace("{{", "\0").replace("}}", "\1").replace("{}", place.name)
                              .replace("\0", "{").replace("\1", "}") for part in arguments)]
        try:
            done = run(command, folder, sanitized)
        except subprocess.TimeoutExpired:
            return f"{command}\nno end within {LONGEST} s"
        wrong = broken_rule(done)
        if wrong:
            return f"{command}\n{wrong}"
        if done.returncode:
            break
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("seconds", type=float)
    parser.add_argument("--only", default="", help="kinds whose names begin so")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=pathlib.Path, default=pathlib.Path("findings"), help="a folder for findings")
    options = parser.parse_args()
    program = str(options.program.resolve())
    with open(program, "rb") as file:
        sanitized = b"__asan_init" in file.read()
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    chance = random.Random(options.seed)
    counts, findings = collections.Counter(), 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        kinds = {key: kind for key, kind in make_seeds(program, folder, sanitized).items() if key.startswith(options.only)}
        end = time.monotonic() + options.seconds
        while time.monotonic() < end:
            key = chance.choice(list(kinds))
            counts[key] += 1
            wrong = try_input(program, kinds[key], folder, sanitized, chance)
            if not wrong:
                continue
            findings += 1
            kept = options.keep / f"{key}-{options.seed}-{findings}"
            shutil.rmtree(kept, ignore_errors=True)
            kept.mkdir(parents=True)
            place = folder / ("damaged" + kinds[key].seed.suffix)
            (shutil.copytree if place.is_dir() else shutil.copy)(place, kept / place.name)
            (kept / "finding.txt").write_text(wrong + "\n")
            print(f"{kept}: {wrong[:600]}", file=sys.stderr, flush=True)
    for key, count in sorted(counts.items()):
        print(f"{key}: {count} inputs")
    print(f"{findings} findings")
    sys.exit(1 if findings else 0)


if __name__ == "__main__":
    main()
