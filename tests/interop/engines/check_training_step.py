#!/usr/bin/env python3
"""Imports a model of transformers, trains it for one step on a batch, and compares the weights with
those after the same step in PyTorch.

    check_training_step.py CALQUE WORK MODEL SOURCE [TARGET]

MODEL is a folder of MarianMT, GPT-2, or Llama and its relatives. SOURCE and TARGET are parallel text, or SOURCE alone
the text of a language model.
"""
import os
import sys
import tempfile
import warnings

import torch
import transformers
from safetensors.torch import load_file

from interop_run import Calque, compare_weights, read_lines, report, step_of_training

PAIRS, RATE = 8, 0.05


def train_ours(calque, model, run, lines):
    """The imported model after one step, exported again."""
    with tempfile.TemporaryDirectory() as folder:
        names = []
        for side, text in lines.items():
            names.append(f"{side}: {folder}/{side}")
            with open(f"{folder}/{side}", "w", encoding="utf-8") as file:
                file.writelines(line + "\n" for line in text)
        return step_of_training(calque, model, run, RATE, "[{" + ", ".join(names) + "}]")


def step_theirs(model, tokenizer, lines):
    """Like calque, minimizes the sum of the losses of all tokens, divided by the number of tokens."""
    total, count = 0.0, 0
    for i in range(PAIRS):
        if "target" in lines:
            inputs = tokenizer(lines["source"][i], return_tensors="pt")
            labels = tokenizer(text_target=lines["target"][i], return_tensors="pt").input_ids
            logits = model(**inputs, labels=labels).logits
        else:
            ids = tokenizer(lines["text"][i], return_tensors="pt").input_ids[0].tolist()
            if ids[0] != model.config.bos_token_id:
                ids = [model.config.bos_token_id] + ids
            labels = torch.tensor([ids[1:] + [model.config.eos_token_id]])
            logits = model(torch.tensor([ids])).logits
        total = total + torch.nn.functional.cross_entropy(logits[0], labels[0], reduction="sum")
        count += labels.numel()
    (total / count).backward()
    torch.optim.SGD(model.parameters(), lr=RATE).step()


def main(program, work, model, source, target=None):
    warnings.simplefilter("ignore")
    transformers.logging.set_verbosity_error()
    torch.set_num_threads(1)
    lines = {"source": read_lines(source, PAIRS)} if target else {
        "text": [line for line in read_lines(source, 100) if line.strip()][:PAIRS]}
    if target:
        lines["target"] = read_lines(target, PAIRS)
    run = f"{work}/step-of-{os.path.basename(model)}"
    out = train_ours(Calque(program, run), model, run, lines)

    loader = transformers.AutoModelForSeq2SeqLM if target else transformers.AutoModelForCausalLM
    theirs = loader.from_pretrained(model)
    before = {name: x.detach().clone() for name, x in theirs.state_dict().items()}
    tokenizer = transformers.AutoTokenizer if target else transformers.PreTrainedTokenizerFast
    step_theirs(theirs.train(), tokenizer.from_pretrained(model), lines)
    compared, moved, largest = compare_weights(before, theirs.state_dict(), load_file(f"{out}/model.safetensors"),
                                               model, out)
    engine = f"transformers {transformers.__version__}"
    what = f"{os.path.basename(model)}: a step that moves weights by up to {moved:.2g}"
    return report("import", engine, what, compared, compared, largest, 1e-4)


if __name__ == "__main__":
    sys.exit(0 if main(*sys.argv[1:]) else 1)
