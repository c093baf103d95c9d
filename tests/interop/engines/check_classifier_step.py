#!/usr/bin/env python3
"""Imports a classifier of transformers, trains it for one step on a batch, and compares the weights
with those after the same step in PyTorch.

    check_classifier_step.py CALQUE WORK MODEL [TEXT]

MODEL is a folder of ViT, which gets drawn pictures, or of BERT, which gets lines of TEXT.
"""
import os
import pathlib
import sys
import tempfile
import warnings

import torch
import transformers
from safetensors.torch import load_file
from transformers import (AutoConfig, AutoImageProcessor, AutoModelForImageClassification,
                          AutoModelForSequenceClassification, AutoTokenizer)

from interop_run import Calque, read_lines, report, step_of_training, tokens_of
from pictures import pictures

COUNT, RATE = 9, 0.05


def labelled_pictures(model, folder):
    """The corpus of COUNT pictures, their inputs and their classes."""
    height, width = model.config.image_size
    classes, images = zip(*pictures(COUNT, height, width, 1))
    for i, (name, image) in enumerate(zip(classes, images)):
        (folder / name).mkdir(exist_ok=True)
        image.save(folder / name / f"{i}.png")
    processor = AutoImageProcessor.from_pretrained(model.name_or_path)
    inputs = [processor(image, return_tensors="pt") for image in images]
    return f"[{{images: {folder}}}]", inputs, classes


def labelled_lines(model, folder, text):
    names = list(model.config.id2label.values())
    lines = [line for line in read_lines(text, 100) if line.strip()][:COUNT]
    classes = [names[i % len(names)] for i in range(len(lines))]
    with open(folder / "lines", "w", encoding="utf-8") as file:
        file.writelines(f"{name}\t{line}\n" for name, line in zip(classes, lines))
    tokenizer = AutoTokenizer.from_pretrained(model.name_or_path)
    inputs = [tokenizer(line, return_tensors="pt") for line in lines]
    return f"[{{labelled: {folder}/lines}}]", inputs, classes


def step_theirs(model, inputs, classes):
    number = {name: i for i, name in model.config.id2label.items()}
    labels = torch.tensor([number[name] for name in classes])
    logits = torch.cat([model(**each).logits for each in inputs])
    torch.nn.functional.cross_entropy(logits, labels).backward()
    torch.optim.SGD(model.parameters(), lr=RATE).step()


def saved(model, folder):
    """The tensors under their names in the file, which differ from the modules' names."""
    model.save_pretrained(folder)
    return load_file(folder / "model.safetensors")


def rows_of(name, place, out):
    """The rows of theirs and ours that correspond, if the tensor has a row for each class or token."""
    if name.startswith("classifier."):
        theirs, ours = (AutoConfig.from_pretrained(at).label2id for at in (place, out))
    elif name.endswith("word_embeddings.weight"):
        theirs, ours = tokens_of(place), tokens_of(out)
    else:
        return slice(None), slice(None)
    shared = [key for key in theirs if key in ours]
    return [theirs[key] for key in shared], [ours[key] for key in shared]


def main(program, work, place, text=None):
    warnings.simplefilter("ignore")
    transformers.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    torch.set_num_threads(1)
    loader = AutoModelForSequenceClassification if text else AutoModelForImageClassification
    model = loader.from_pretrained(place)
    for module in model.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = 0.0
    run = f"{work}/step-of-{os.path.basename(place)}"
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        data, inputs, classes = (labelled_lines(model, folder, text) if text
                                 else labelled_pictures(model, folder))
        out = step_of_training(Calque(program, run), place, run, RATE, data)
        before = saved(model, folder)
        step_theirs(model.train(), inputs, classes)
        after = saved(model, folder)
    ours = load_file(f"{out}/model.safetensors")
    largest = moved = 0.0
    for name in after:
        rows, own_rows = rows_of(name, place, out)
        largest = max(largest, (after[name][rows] - ours[name][own_rows]).abs().max().item())
        moved = max(moved, (after[name] - before[name]).abs().max().item())
    what = f"{os.path.basename(place)}: a step that moves weights by up to {moved:.2g}"
    return report("import", f"transformers {transformers.__version__}", what, len(ours),
                  len(after), largest, 1e-4)


if __name__ == "__main__":
    sys.exit(0 if main(*sys.argv[1:]) else 1)
