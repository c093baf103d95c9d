"""Writes other_writer.safetensors from the published description of the format alone: tensors out
of order in the header, types that calque does not train with, no padding. If a file is given, reads
that file instead, and prints each tensor's name, type, shape and values."""

import json
import pathlib
import struct
import sys

LETTERS = {"F32": "f", "F64": "d", "F16": "e", "I64": "q", "BOOL": "?"}


def write(path, tensors, metadata):
    header, data = {"__metadata__": metadata}, b""
    for name, (dtype, shape, values) in tensors.items():
        packed = struct.pack(f"<{len(values)}{LETTERS[dtype]}", *values)
        span = [len(data), len(data) + len(packed)]
        header[name] = {"shape": shape, "data_offsets": span, "dtype": dtype}
        data += packed
    header = dict(sorted(header.items()))
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def read(path):
    file = path.read_bytes()
    (length,) = struct.unpack_from("<Q", file)
    header, data = json.loads(file[8 : 8 + length].decode()), file[8 + length :]
    print("metadata", header.pop("__metadata__", {}))
    reached = 0
    for name, entry in sorted(header.items(), key=lambda item: item[1]["data_offsets"]):
        begin, end = entry["data_offsets"]
        assert begin == reached, f"a gap or an overlap before {name}"
        reached = end
        letter = LETTERS[entry["dtype"]]
        values = [value for (value,) in struct.iter_unpack("<" + letter, data[begin:end])]
        print(name, entry["dtype"], entry["shape"], values)
    assert reached == len(data), "bytes that belong to no tensor"


if len(sys.argv) > 1:
    read(pathlib.Path(sys.argv[1]))
else:
    write(
        pathlib.Path(__file__).parent / "other_writer.safetensors",
        {
            "scalar": ("F16", [], [-1]),
            "flags": ("BOOL", [3], [True, False, True]),
            "matrix": ("F32", [2, 3], [0, 1, 2, 3, 4, 5.5]),
            "none": ("F64", [0, 7], []),
            "ids": ("I64", [3], [0, 1, 2]),
        },
        {"format": "pt"},
    )
