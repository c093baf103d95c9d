"""Reads and changes checkpoints independently of the program: a simple reader of safetensors, and
XXH64, which gives a changed file a valid digest."""

import json
import math
import os
import struct

MASK = (1 << 64) - 1
PRIMES = (0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63,
          0x27D4EB2F165667C5)


def rotated(value, by):
    return ((value << by) | (value >> (64 - by))) & MASK


def mixed(accumulator, lane):
    return rotated((accumulator + lane * PRIMES[1]) & MASK, 31) * PRIMES[0] & MASK


def xxh64(data):
    p1, p2, p3, p4, p5 = PRIMES
    at = 0
    if len(data) >= 32:
        lanes = [(p1 + p2) & MASK, p2, 0, -p1 & MASK]
        while at + 32 <= len(data):
            words = struct.unpack_from("<4Q", data, at)
            lanes = [mixed(lane, word) for lane, word in zip(lanes, words)]
            at += 32
        digest = sum(rotated(lane, by) for lane, by in zip(lanes, (1, 7, 12, 18))) & MASK
        for lane in lanes:
            digest = ((digest ^ mixed(0, lane)) * p1 + p4) & MASK
    else:
        digest = p5
    digest = (digest + len(data)) & MASK
    while at + 8 <= len(data):
        word = struct.unpack_from("<Q", data, at)[0]
        digest = (rotated(digest ^ mixed(0, word), 27) * p1 + p4) & MASK
        at += 8
    if at + 4 <= len(data):
        word = struct.unpack_from("<I", data, at)[0]
        digest = (rotated(digest ^ (word * p1 & MASK), 23) * p2 + p3) & MASK
        at += 4
    for byte in data[at:]:
        digest = rotated(digest ^ (byte * p5 & MASK), 11) * p1 & MASK
    digest = ((digest ^ (digest >> 33)) * p2) & MASK
    digest = ((digest ^ (digest >> 29)) * p3) & MASK
    return digest ^ (digest >> 32)


def tensors(path):
    """{name: (values, offset in the file)} of the F32 tensors of a file."""
    with open(path, "rb") as file:
        data = file.read()
    length = struct.unpack_from("<Q", data)[0]
    header = json.loads(data[8:8 + length])
    values = {}
    for name, entry in header.items():
        if name == "__metadata__" or entry["dtype"] != "F32":
            continue
        begin, end = (8 + length + offset for offset in entry["data_offsets"])
        values[name] = (struct.unpack_from("<%df" % ((end - begin) // 4), data, begin), begin)
    return values


def not_finite(run):
    """The F32 tensors of a run's checkpoints that have a value that is not finite."""
    found = []
    for folder, _, names in os.walk(os.path.join(run, "checkpoints")):
        for name in names:
            if name.endswith(".safetensors"):
                path = os.path.join(folder, name)
                found += ["%s: %s" % (path, tensor) for tensor, (values, _) in tensors(path).items()
                          if not all(map(math.isfinite, values))]
    return found


def poison(checkpoint):
    """Sets one weight of a checkpoint to NaN and updates the digests. Returns the tensor's name."""
    path = os.path.join(checkpoint, "model.safetensors")
    name, (_, begin) = sorted(tensors(path).items())[0]
    with open(path, "r+b") as file:
        file.seek(begin)
        file.write(struct.pack("<f", math.nan))
    with open(path, "rb") as file:
        digest = xxh64(file.read())
    state_path = os.path.join(checkpoint, "state.json")
    with open(state_path, "rb") as file:
        text = file.read()
    before = json.loads(text)["checksums"]["model.safetensors"]["xxh64"]
    text = text.replace(before.encode(), b"%016x" % digest)
    body = text[:text.rindex(b',\n  "xxh64"')]
    with open(state_path, "wb") as file:
        file.write(body + b',\n  "xxh64": "%016x"\n}\n' % xxh64(body))
    return name
