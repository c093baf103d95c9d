#!/usr/bin/env python3
"""Trains a small MarianMT with transformers, imports it, and compares translations
and log-probabilities.

    check_import_marian.py CALQUE WORK SOURCE TARGET [SENTENCES]

SOURCE and TARGET are parallel text; WORK is a folder for the model and the run.
"""
import json
import os
import shutil
import sys

import sentencepiece
import torch
import transformers
from transformers import MarianConfig, MarianMTModel, MarianTokenizer

from interop_run import Calque, read_lines, report, report_tokens

STEPS = 600


def write_tokenizer(folder, sources, targets):
    """Writes tokenizers as for Marian: a unigram model for each language, and one list of tokens with
    </s> and <unk> first and the padding last."""
    tokens = ["</s>", "<unk>"]
    # For a character that one model lacks, transformers uses the id of the other model's piece,
    # but Marian and calque use <unk>. Both models therefore get all characters.
    characters = "".join(sorted(set("".join(sources + targets)) - {" "}))
    for side, lines, vocabulary in ("source", sources, 300), ("target", targets, 320):
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(lines), model_prefix=f"{folder}/{side}", vocab_size=vocabulary,
            bos_id=-1, eos_id=0, unk_id=1, minloglevel=2, hard_vocab_limit=False,
            required_chars=characters)
        os.rename(f"{folder}/{side}.model", f"{folder}/{side}.spm")
        os.remove(f"{folder}/{side}.vocab")
        pieces = sentencepiece.SentencePieceProcessor(model_file=f"{folder}/{side}.spm")
        tokens += [pieces.id_to_piece(i) for i in range(len(pieces))]
    tokens = list(dict.fromkeys(tokens)) + ["<pad>"]
    with open(f"{folder}/vocab.json", "w", encoding="utf-8") as file:
        json.dump({token: i for i, token in enumerate(tokens)}, file)
    with open(f"{folder}/tokenizer_config.json", "w", encoding="utf-8") as file:
        json.dump({"tokenizer_class": "MarianTokenizer", "source_lang": "en", "target_lang": "de",
                   "separate_vocabs": False, "model_max_length": 128, "unk_token": "<unk>",
                   "eos_token": "</s>", "pad_token": "<pad>"}, file)
    return len(tokens)


def train(folder, lines, targets):
    size = write_tokenizer(folder, lines, targets)
    tokenizer = MarianTokenizer.from_pretrained(folder)
    pad = size - 1
    torch.manual_seed(1)
    model = MarianMTModel(MarianConfig(
        vocab_size=size, decoder_vocab_size=size, d_model=64, encoder_layers=2, decoder_layers=2,
        encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=128,
        decoder_ffn_dim=128, activation_function="swish", scale_embedding=True, dropout=0.0,
        max_position_embeddings=512, pad_token_id=pad, eos_token_id=0, bos_token_id=0,
        decoder_start_token_id=pad, forced_eos_token_id=0, num_beams=1, max_length=128))
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    for step in range(STEPS):
        at = step * 16 % (len(lines) - 16)
        batch = tokenizer(lines[at:at + 16], text_target=targets[at:at + 16], padding=True,
                          return_tensors="pt")
        batch["labels"][batch["labels"] == pad] = -100
        loss = model(**batch).loss
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
    # Marian's models have an output bias, but transformers does not train it.
    model.final_logits_bias[0, :-1] = torch.randn(size - 1) * 0.3
    model.save_pretrained(folder)
    print(f"trained to a loss of {loss.item():.2f}", file=sys.stderr)


def main(program, work, source, target, sentences="1000"):
    transformers.logging.set_verbosity_error()
    torch.set_num_threads(1)
    folder, run = f"{work}/marian-theirs", f"{work}/marian-imported"
    shutil.rmtree(run, ignore_errors=True)
    lines, targets = read_lines(source, 10**6), read_lines(target, 10**6)
    if not os.path.exists(f"{folder}/model.safetensors"):
        os.makedirs(folder, exist_ok=True)
        train(folder, lines, targets)
    calque = Calque(program, run)
    calque.call("import", folder, "--run", run)

    count = min(int(sentences), len(lines))
    lines, targets = lines[:count], targets[:count]
    tokenizer = MarianTokenizer.from_pretrained(folder)
    model = MarianMTModel.from_pretrained(folder).eval()
    engine, name = f"transformers {transformers.__version__}", "import MarianMT"
    passed, largest, ours = True, 0.0, calque.score(source, target)[:count]
    same_lengths = 0
    theirs = {1: [], 5: []}
    with torch.inference_mode():
        for at in range(0, count, 100):
            inputs = tokenizer(lines[at:at + 100], return_tensors="pt", padding=True)
            labels = tokenizer(text_target=targets[at:at + 100], return_tensors="pt",
                               padding=True).input_ids
            scores = model(**inputs, labels=labels).logits.log_softmax(-1)
            present = labels != model.config.pad_token_id
            taken = scores.gather(2, labels[:, :, None])[:, :, 0] * present
            for n, total, (log_probability, own) in zip(present.sum(1), taken.sum(1),
                                                        ours[at:at + 100]):
                same_lengths += n.item() == own
                largest = max(largest, abs(total.item() - log_probability) / own)
            for beam in theirs:
                out = model.generate(**inputs, num_beams=beam, early_stopping=beam > 1,
                                     length_penalty=1.0, max_length=102)
                # None for a translation that reaches the limit, which the engines treat differently.
                theirs[beam] += [tokenizer.decode(ids, skip_special_tokens=True)
                                 if (ids != model.config.pad_token_id).sum() < 100 else None
                                 for ids in out]
    passed &= report(name, engine, "log-probability per token", count, same_lengths, largest, 1e-4)
    for beam, texts in theirs.items():
        what = "greedy" if beam == 1 else f"beam {beam}"
        pairs = [(ours.strip(), text) for ours, text in zip(calque.translate(lines, beam), texts)
                 if text is not None]
        passed &= report_tokens(name, engine, what, *map(list, zip(*pairs)))
    return passed


if __name__ == "__main__":
    sys.exit(0 if main(*sys.argv[1:]) else 1)
