#!/usr/bin/env python3
"""Compares the export of an encoder with transformers itself: the most probable classes or words, and
the probabilities.

    check_encoder.py CALQUE RUN EXPORT TEXT [LINES]

A masked language model predicts one word of each line. A model of images gets random pictures,
half of them of other sizes than its own; it needs no TEXT.
"""
import os
import pathlib
import random
import sys
import tempfile
import warnings

import torch
import transformers
from PIL import Image
from transformers import (AutoImageProcessor, AutoModelForImageClassification, AutoModelForMaskedLM,
                          AutoModelForSequenceClassification, AutoTokenizer)

from interop_run import Calque, read_lines, report


def load(kind, export):
    model, loading = kind.from_pretrained(export, output_loading_info=True)
    unexpected = [name for what in ("missing_keys", "unexpected_keys", "mismatched_keys")
                  for name in loading[what]]
    if unexpected:
        sys.exit(f"{export}: transformers does not load {unexpected}")
    return model.eval()


def probabilities_of(calque, inputs, classes, text=None):
    """The program's probability of each class for each input."""
    out = calque.call("classify", calque.run, *inputs, "--probabilities", "--top", str(classes),
                      text=text).splitlines()
    found = []
    for line in out:
        fields = line.split("\t")[len(inputs) > 0:]
        found.append(dict(zip(fields[::2], map(float, fields[1::2]))))
    return found


def compare(theirs, ours, names):
    """The number of inputs with the same class, and the largest difference of a probability."""
    same, largest = 0, 0.0
    for logits, probabilities in zip(theirs, ours, strict=True):
        p = logits.softmax(-1)
        same += names[int(p.argmax())] == max(probabilities, key=probabilities.get)
        for i, name in names.items():
            largest = max(largest, abs(float(p[i]) - probabilities[name]))
    return same, largest


def check_classifier(calque, export, lines):
    tokenizer = AutoTokenizer.from_pretrained(export)
    model = load(AutoModelForSequenceClassification, export)
    lines = [line for line in lines if len(tokenizer(line).input_ids) <= tokenizer.model_max_length]
    with torch.inference_mode():
        theirs = [model(**tokenizer(line, return_tensors="pt")).logits[0] for line in lines]
    names = model.config.id2label
    ours = probabilities_of(calque, [], len(names), "".join(line + "\n" for line in lines))
    return type(model).__name__, len(lines), *compare(theirs, ours, names)


def draw(path, config, generator):
    """Random pixels in blocks of random size."""
    height, width = config.image_size
    if generator.random() < 0.5:
        height, width = (generator.randrange(4, 4 * side) for side in (height, width))
    block = generator.randrange(1, 9)
    small = (max(1, width // block), max(1, height // block))
    mode, numbers = ("L", 1) if config.num_channels == 1 else ("RGB", 3)
    pixels = bytes(generator.randrange(256) for _ in range(small[0] * small[1] * numbers))
    Image.frombytes(mode, small, pixels).resize((width, height)).save(path)


def check_images(calque, export, count):
    processor = AutoImageProcessor.from_pretrained(export, backend="pil")
    model = load(AutoModelForImageClassification, export)
    names, generator = model.config.id2label, random.Random(1)
    with tempfile.TemporaryDirectory() as folder, torch.inference_mode():
        files = [pathlib.Path(folder) / f"{i}.png" for i in range(count)]
        for file in files:
            draw(file, model.config, generator)
        theirs = [model(**processor(Image.open(file), return_tensors="pt")).logits[0]
                  for file in files]
        ours = probabilities_of(calque, [str(file) for file in files], len(names))
    return type(model).__name__, count, *compare(theirs, ours, names)


def check_masked(calque, export, lines):
    """Compares the most probable words at [MASK], without the special symbols."""
    tokenizer = AutoTokenizer.from_pretrained(export)
    model = load(AutoModelForMaskedLM, export)
    generator, texts = random.Random(1), []
    for line in lines:
        words = line.split()
        words[generator.randrange(len(words))] = "[MASK]"
        texts.append(" ".join(words))
    special = [token for token in (tokenizer.unk_token_id, tokenizer.bos_token_id,
                                   tokenizer.eos_token_id, tokenizer.cls_token_id,
                                   tokenizer.sep_token_id, tokenizer.mask_token_id)
               if token is not None]
    same, largest = 0, 0.0
    for text in texts:
        batch = tokenizer(text, return_tensors="pt")
        row = batch.input_ids[0].tolist().index(tokenizer.mask_token_id)
        with torch.no_grad():
            logits = model(**batch).logits[0, row]
        logits[special] = -torch.inf
        p = logits.softmax(-1)
        out = calque.call("fill", calque.run, text, "--alternatives", "3").splitlines()[1:]
        ours = [line.split("\t")[1:] for line in out]
        top = p.topk(3)
        close = [abs(float(q) - float(probability))
                 for q, (probability, _) in zip(top.values, ours, strict=True)]
        same += tokenizer.convert_ids_to_tokens(int(top.indices[0])) == ours[0][1]
        largest = max([largest, *close])
    return type(model).__name__, len(texts), same, largest


def main(program, run, export, text=None, count="100"):
    warnings.simplefilter("ignore")
    transformers.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    calque = Calque(program, run)
    task = next(line.split()[1] for line in open(f"{run}/config.yaml") if line.startswith("task:"))
    if task == "images":
        name, lines, same, largest = check_images(calque, export, int(count))
    else:
        lines = [line for line in read_lines(text, int(count)) if line.strip()]
        check = check_masked if task == "masked-lm" else check_classifier
        name, lines, same, largest = check(calque, export, lines)
    return report(f"huggingface {name}", f"transformers {transformers.__version__}",
                  f"{os.path.basename(run)}: most probable, probabilities", lines, same, largest,
                  1e-4)


if __name__ == "__main__":
    sys.exit(0 if main(*sys.argv[1:]) else 1)
