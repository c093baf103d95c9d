#!/usr/bin/env python3
"""Trains a small language model with transformers, to be imported.

    train_language_model.py FOLDER TEXT gpt2|gpt2_bytes|gpt_neox|llama|llama3|llama_biases|mistral|
                                        qwen2|qwen3|gemma3

GPT-2 has a bias in every layer and tied embeddings, Llama neither. The later models have every option
that calque reads: heads that share keys and values, wide heads, scaled rotation, windows, norms of
queries and keys. The tokenizer is a Unigram model of the library tokenizers; for gpt2_bytes, it is
byte-level BPE with one token that begins and ends a text, as in published models.
"""
import sys

import torch
import transformers
from tokenizers import processors
from transformers import (AutoModelForCausalLM, Gemma3TextConfig, GPT2Config, GPTNeoXConfig,
                          LlamaConfig, MistralConfig, PreTrainedTokenizerFast, Qwen2Config,
                          Qwen3Config)

import library_tokenizers
from interop_run import read_lines

STEPS, CONTEXT, WIDTH = 500, 64, 64


def make_tokenizer(lines):
    tokenizer = library_tokenizers.unigram(lines, 400, ["<unk>", "<begin>", "<end>"])
    begin = tokenizer.token_to_id("<begin>")
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<begin> $A", special_tokens=[("<begin>", begin)])
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, bos_token="<begin>",
                                   eos_token="<end>", unk_token="<unk>", pad_token="<end>",
                                   model_max_length=CONTEXT)


def make_byte_level_tokenizer(lines):
    end = "<|endoftext|>"
    tokenizer = library_tokenizers.byte_level(lines, 500, [end])
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{end} $A", special_tokens=[(end, tokenizer.token_to_id(end))])
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, bos_token=end, eos_token=end,
                                   pad_token=end, model_max_length=CONTEXT)


llama3_scaling = {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
                  "original_max_position_embeddings": 32}
# The class, and the settings that differ from those of the Llama above.
later_kinds = {
    "llama3": (LlamaConfig, {"num_key_value_heads": 2, "rope_theta": 500000.0, "rope_scaling": llama3_scaling,
                             "tie_word_embeddings": True}),
    "llama_biases": (LlamaConfig, {"num_key_value_heads": 1, "head_dim": 24, "attention_bias": True,
                                   "mlp_bias": True, "rope_scaling": {"rope_type": "linear", "factor": 4.0}}),
    "mistral": (MistralConfig, {"num_key_value_heads": 2, "sliding_window": 8}),
    "qwen2": (Qwen2Config, {"num_key_value_heads": 2, "rope_theta": 1e6, "tie_word_embeddings": True}),
    "qwen3": (Qwen3Config, {"num_key_value_heads": 2, "head_dim": 32, "rope_theta": 1e6}),
    "gemma3": (Gemma3TextConfig, {"num_key_value_heads": 1, "head_dim": 24, "num_hidden_layers": 7,
                                  "sliding_window": 8, "query_pre_attn_scalar": 20,
                                  "final_logit_softcapping": 8.0})}


def config_of(kind, tokenizer):
    shared = {"vocab_size": len(tokenizer), "bos_token_id": tokenizer.bos_token_id,
              "eos_token_id": tokenizer.eos_token_id, "pad_token_id": tokenizer.eos_token_id}
    sizes = {"hidden_size": WIDTH, "intermediate_size": 2 * WIDTH, "num_hidden_layers": 2,
             "num_attention_heads": 4, "max_position_embeddings": CONTEXT}
    if kind == "llama":
        return LlamaConfig(**shared, **sizes)
    if kind in later_kinds:
        make, more = later_kinds[kind]
        return make(**shared, **{**sizes, **more})
    if kind == "gpt_neox":
        return GPTNeoXConfig(**shared, **sizes, use_parallel_residual=False, rotary_pct=1.0)
    return GPT2Config(**shared, n_embd=WIDTH, n_layer=2, n_head=4, n_positions=CONTEXT,
                      resid_pdrop=0, embd_pdrop=0, attn_pdrop=0)


def main(folder, text, kind):
    transformers.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    torch.set_num_threads(1)
    torch.manual_seed(1)
    lines = [line for line in read_lines(text, 10**6) if line.strip()]
    byte_level = kind == "gpt2_bytes"
    tokenizer = (make_byte_level_tokenizer if byte_level else make_tokenizer)(lines)
    model = AutoModelForCausalLM.from_config(config_of(kind, tokenizer))
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    for step in range(STEPS):
        at = step * 8 % (len(lines) - 8)
        batch = tokenizer([line + tokenizer.eos_token for line in lines[at:at + 8]], return_tensors="pt",
                          padding=True, truncation=True, return_token_type_ids=False)
        labels = batch.input_ids.masked_fill(batch.attention_mask == 0, -100)
        loss = model(**batch, labels=labels).loss
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    print(f"{kind}: trained to a loss of {loss.item():.2f}", file=sys.stderr)


if __name__ == "__main__":
    main(*sys.argv[1:])
