#!/usr/bin/env python3
"""Trains a LoRA adapter with transformers and peft, and prints the speed and the peak memory as JSON.

  adapter_train.py MODEL CONVERSATIONS --steps N --tokens 1024

MODEL is a folder of transformers, CONVERSATIONS JSON lines of `prompt` and `completion`. A batch has about
--tokens tokens, padding not counted. As calque does, the loss counts the completions and </s> alone.
"""
import argparse
import json
import resource
import statistics
import time

from environment import with_environment

with_environment()  # before torch reads it

import torch  # noqa: E402
from peft import LoraConfig, get_peft_model  # noqa: E402
from transformers import AutoModelForCausalLM, AutoTokenizer  # noqa: E402

LAYERS = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]
NOT_LEARNED = -100


def examples(tokenizer, path):
    for line in open(path, encoding="utf-8"):
        pair = json.loads(line)
        prompt = tokenizer(pair["prompt"])["input_ids"]
        answer = tokenizer(pair["completion"], add_special_tokens=False)["input_ids"] + [tokenizer.eos_token_id]
        yield prompt + answer, [NOT_LEARNED] * len(prompt) + answer


def batches(tokenizer, path, most):
    """Batches of at most `most` tokens, padded to their longest example."""
    waiting = []
    for example in examples(tokenizer, path):
        if waiting and sum(len(ids) for ids, _ in waiting) + len(example[0]) > most:
            yield waiting
            waiting = []
        waiting.append(example)


def padded(rows, value):
    longest = max(map(len, rows))
    return torch.tensor([row + [value] * (longest - len(row)) for row in rows])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("model")
    parser.add_argument("conversations")
    parser.add_argument("--steps", type=int, default=8)
    parser.add_argument("--tokens", type=int, default=1024)
    options = parser.parse_args()
    tokenizer = AutoTokenizer.from_pretrained(options.model)
    model = AutoModelForCausalLM.from_pretrained(options.model, dtype=torch.float32)
    model = get_peft_model(model, LoraConfig(r=16, lora_alpha=32, lora_dropout=0.05, target_modules=LAYERS,
                                             task_type="CAUSAL_LM"))
    model.train()
    optimizer = torch.optim.AdamW((p for p in model.parameters() if p.requires_grad), lr=5e-4)
    speeds, losses = [], []
    for number, batch in enumerate(batches(tokenizer, options.conversations, options.tokens)):
        if number == options.steps:
            break
        began = time.perf_counter()
        loss = model(input_ids=padded([ids for ids, _ in batch], tokenizer.pad_token_id),
                     attention_mask=padded([[1] * len(ids) for ids, _ in batch], 0),
                     labels=padded([labels for _, labels in batch], NOT_LEARNED), use_cache=False).loss
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item())
        speeds.append(sum(len(ids) for ids, _ in batch) / (time.perf_counter() - began))
    print(json.dumps({"tokens_per_s": statistics.median(speeds[1:]), "loss": losses,
                      "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024}))


if __name__ == "__main__":
    main()
