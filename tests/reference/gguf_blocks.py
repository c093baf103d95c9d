#!/usr/bin/env python3
"""Records random blocks of each quantized type of GGUF with the numbers that the package gguf decodes
from them, and the blocks that it encodes random numbers to, in tests/reference/gguf_blocks.json.

    gguf_blocks.py
"""
import json
from pathlib import Path

import numpy as np
from gguf import GGML_QUANT_SIZES, GGMLQuantizationType
from gguf.quants import dequantize, quantize

# Where a block has its scales, numbers in half precision, which must be finite.
SCALES = {"Q4_0": [0], "Q4_1": [0, 2], "Q5_0": [0], "Q5_1": [0, 2], "Q8_0": [0], "Q4_K": [0, 2],
          "Q5_K": [0, 2], "Q6_K": [208]}


def main():
    random = np.random.default_rng(3)
    recorded = {}
    for name, scales in SCALES.items():
        kind = GGMLQuantizationType[name]
        block = random.integers(0, 256, GGML_QUANT_SIZES[kind][1], dtype=np.uint8)
        for i, at in enumerate(scales):
            block[at:at + 2] = np.frombuffer(np.float16(0.0123 * (i + 1)).tobytes(), np.uint8)
        numbers = dequantize(block.reshape(1, -1), kind).reshape(-1)
        recorded[name] = {"type": int(kind), "block": block.tobytes().hex(),
                          "numbers": [float(x) for x in numbers]}
    numbers = random.normal(size=(8, 32)).astype(np.float32)
    numbers[0] = 0
    numbers[1] *= 1e-6
    numbers[2, 7] = 1000
    numbers[3] = np.linspace(-8, 7.5, 32)
    for name in ["F16", "BF16", "Q8_0", "Q4_0"]:
        kind = GGMLQuantizationType[name]
        recorded[name + " written"] = {
            "type": int(kind), "block": quantize(numbers, kind).tobytes().hex(),
            "numbers": [float(x) for x in numbers.reshape(-1)]}
    text = json.dumps(recorded).replace('}, "', '},\n"')
    Path(__file__).with_name("gguf_blocks.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
