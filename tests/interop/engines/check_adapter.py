#!/usr/bin/env python3
"""Compares adapters with PEFT itself, over a language model of transformers: one that calque trains and
exports, and one that PEFT makes and calque imports.

    check_adapter.py CALQUE WORK MODEL TEXT [LINES]
"""
import os
import shutil
import sys
import tempfile
import warnings

import peft
import torch
import transformers
from peft import LoraConfig, PeftModel, get_peft_model
from transformers import AutoModelForCausalLM, PreTrainedTokenizerFast

from interop_run import Calque, read_lines, report


def largest_difference(calque, run, model, tokenizer, lines):
    """The largest difference of the log-probability per token of a line, and the number of lines with as many
    tokens."""
    with tempfile.NamedTemporaryFile("w", encoding="utf-8") as file:
        file.writelines(line + "\n" for line in lines)
        file.flush()
        scores = [line.split("\t") for line in calque.call("score", run, "--text", file.name).splitlines()]
    same, largest = 0, 0.0
    for line, (log_probability, _, n) in zip(lines, scores, strict=True):
        ids = tokenizer(line).input_ids
        if ids[0] != tokenizer.bos_token_id:
            ids = [tokenizer.bos_token_id] + ids
        after = torch.tensor(ids[1:] + [tokenizer.eos_token_id])
        with torch.inference_mode():
            logits = model(torch.tensor([ids])).logits[0].log_softmax(-1)
        total = logits.gather(1, after[:, None]).sum().item()
        same += len(ids) == int(n)
        largest = max(largest, abs(total - float(log_probability)) / len(ids))
    return same, largest


def main(program, work, theirs, text, count="100"):
    warnings.simplefilter("ignore")
    transformers.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    torch.manual_seed(1)
    calque = Calque(program, None)
    name = os.path.basename(theirs).removesuffix("-theirs")
    base, tuned, exported, made, imported = (
        f"{work}/adapter-of-{name}{end}" for end in ("", "-tuned", "-tuned-peft", "-made", "-made-imported"))
    for folder in base, tuned, exported, made, imported:
        shutil.rmtree(folder, ignore_errors=True)
    calque.call("import", theirs, "--run", base)
    lines = [line for line in read_lines(text, int(count)) if line.strip()]
    tokenizer = PreTrainedTokenizerFast.from_pretrained(theirs)
    engine = f"peft {peft.__version__}"
    passed = True

    with tempfile.NamedTemporaryFile("w", encoding="utf-8") as file:
        file.writelines(line + "\n" for line in lines)
        file.flush()
        calque.call("train", f"{base}/finetune.yaml", "--run", tuned, "--quiet",
                    "--set", f"data.train=[{{text: {file.name}}}]", "--set", "training.until=20u",
                    "--set", "training.batch_tokens=512", "--set", "training.learning_rate=0.01",
                    "--set", "training.warmup_steps=0", "--set", "logging.report=false", "--set", "data.context=64",
                    "--set", "model.adapter={kind: lora, rank: 4, alpha: 8}")
    calque.call("export", tuned, "peft", "--out", exported)
    model = PeftModel.from_pretrained(AutoModelForCausalLM.from_pretrained(theirs), exported).eval()
    same, largest = largest_difference(calque, tuned, model, tokenizer, lines)
    passed &= report("peft", engine, f"{name}: log-probability per token of an export", len(lines), same,
                     largest, 1e-4)
    plain = AutoModelForCausalLM.from_pretrained(theirs).eval()
    if largest_difference(calque, tuned, plain, tokenizer, lines)[1] < 1e-2:
        sys.exit(f"{tuned}: its adapter changes nothing, so that the check says nothing")

    config = LoraConfig(r=6, lora_alpha=9, target_modules=["q_proj", "v_proj"], use_rslora=True,
                        init_lora_weights=False, task_type="CAUSAL_LM")
    model = get_peft_model(AutoModelForCausalLM.from_pretrained(theirs), config).eval()
    model.save_pretrained(made)
    calque.call("import", made, "--base", base, "--run", imported)
    same, largest = largest_difference(calque, imported, model, tokenizer, lines)
    return passed & report("peft", engine, f"{name}: log-probability per token of an import", len(lines), same,
                           largest, 1e-4)


if __name__ == "__main__":
    sys.exit(0 if main(*sys.argv[1:]) else 1)
