#!/usr/bin/env python3
"""Compares the export of a language model with transformers itself: the ids of the tokenizer, the
log-probabilities of lines, and greedy continuations.

    check_language_model.py CALQUE RUN EXPORT TEXT [LINES]
"""
import os
import sys
import tempfile
import warnings

import sentencepiece
import torch
import transformers
from transformers import AutoModelForCausalLM, PreTrainedTokenizerFast

from interop_run import Calque, read_lines, report, report_tokens


def ids_of(run, lines):
    """The ids of the run's tokenizer, or None if Python has no such tokenizer."""
    model = f"{run}/tokenizer.model"
    if os.path.exists(model):
        return sentencepiece.SentencePieceProcessor(model_file=model).encode(lines)
    with open(f"{run}/tokenizer.vocab", encoding="utf-8") as file:
        if "<0x00>\n" in file:
            return [[3 + byte for byte in line.encode()] for line in lines]
    return None


def main(program, run, export, text, count="1000"):
    warnings.simplefilter("ignore")
    transformers.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    calque = Calque(program, run)
    # AutoTokenizer would take the tokenizer that the published models of this type have.
    tokenizer = PreTrainedTokenizerFast.from_pretrained(export)
    model, loading = AutoModelForCausalLM.from_pretrained(export, output_loading_info=True)
    model.eval()
    unexpected = [name for kind in ("missing_keys", "unexpected_keys", "mismatched_keys")
                  for name in loading[kind]]
    if unexpected:
        sys.exit(f"{export}: transformers does not load {unexpected}")
    engine = f"transformers {transformers.__version__}"
    format = f"huggingface {type(model).__name__}"
    name = os.path.basename(run)

    lines = [line for line in read_lines(text, int(count)) if line.strip()]
    expected = ids_of(run, lines)
    passed = True
    if expected:
        passed &= report_tokens(format, engine, f"{name}: ids of the tokenizer",
                                [[tokenizer.bos_token_id] + ids for ids in expected],
                                tokenizer(lines).input_ids)
    short = [(line, ids) for line, ids in zip(lines, tokenizer(lines).input_ids)
             if len(ids) < tokenizer.model_max_length][:300]
    with tempfile.NamedTemporaryFile("w", encoding="utf-8") as file:
        file.writelines(line + "\n" for line, _ in short)
        file.flush()
        scores = [line.split("\t")
                  for line in calque.call("score", run, "--text", file.name).splitlines()]
    same, largest = 0, 0.0
    with torch.inference_mode():
        for (_, ids), (log_probability, _, n) in zip(short, scores, strict=True):
            reads = torch.tensor([ids])
            after = torch.tensor(ids[1:] + [tokenizer.eos_token_id])
            logits = model(reads).logits[0].log_softmax(-1)
            total = logits.gather(1, after[:, None]).sum().item()
            same += len(ids) == int(n)
            largest = max(largest, abs(total - float(log_probability)) / len(ids))
        passed &= report(format, engine, f"{name}: log-probability per token", len(short), same,
                         largest, 1e-4)
        prompts = [line[:10].strip() for line, _ in short[:20]]
        theirs = []
        for prompt in prompts:
            out = model.generate(**tokenizer(prompt, return_tensors="pt",
                                             return_token_type_ids=False),
                                 max_new_tokens=20, do_sample=False)
            theirs.append(tokenizer.decode(out[0], skip_special_tokens=True))
    ours = [calque.call("generate", run, prompt, "--temperature", "0", "--max-tokens",
                        "20").removesuffix("\n") for prompt in prompts]
    return passed & report_tokens(format, engine, f"{name}: greedy, 20 tokens", ours, theirs)


if __name__ == "__main__":
    sys.exit(0 if main(*sys.argv[1:]) else 1)
