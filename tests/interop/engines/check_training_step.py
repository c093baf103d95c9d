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

from interop_run import Calque, read_lines, report, step_of_training, tokens_of

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
    # The row of <s> is not compared: it is the padding, with which MarianMT's decoder begins, and
    # transformers does not train it.
    ours, rows, own_rows = load_file(f"{out}/model.safetensors"), tokens_of(model), tokens_of(out)
    shared = [token for token in own_rows if token in rows]
    their_rows, our_rows = [rows[t] for t in shared], [own_rows[t] for t in shared]
    largest = moved = 0.0
    compared = 0
    for name, after in theirs.state_dict().items():
        if name not in ours or "embed_positions" in name or name == "final_logits_bias":
            continue  # constants in transformers
        own = ours[name]
        if after.shape[0] == theirs.config.vocab_size:
            after, start, own = after[their_rows], before[name][their_rows], own[our_rows]
        else:
            start = before[name]
        largest = max(largest, (after - own).abs().max().item())
        moved = max(moved, (after - start).abs().max().item())
        compared += 1
    engine = f"transformers {transformers.__version__}"
    what = f"{os.path.basename(model)}: a step that moves weights by up to {moved:.2g}"
    return report("import", engine, what, compared, compared, largest, 1e-4)


if __name__ == "__main__":
    sys.exit(0 if main(*sys.argv[1:]) else 1)
