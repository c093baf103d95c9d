#!/usr/bin/env python3
"""Trains a small BERT with transformers, to be imported.

    train_bert.py FOLDER TEXT [SECOND]

With SECOND, it is a classifier that is trained to predict the file that a line comes from.
"""
import os
import sys

import torch
import transformers
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, trainers
from transformers import (BertConfig, BertForMaskedLM, BertForSequenceClassification,
                          BertTokenizerFast)

from interop_run import read_lines

STEPS, CONTEXT, WIDTH, BATCH = 1500, 64, 64, 32


def make_tokenizer(folder, lines):
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.train_from_iterator(lines, trainers.WordPieceTrainer(
        vocab_size=400, show_progress=False,
        special_tokens=["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]))
    vocabulary = sorted(tokenizer.get_vocab().items(), key=lambda entry: entry[1])
    os.makedirs(folder, exist_ok=True)
    with open(f"{folder}/vocab.txt", "w", encoding="utf-8") as file:
        file.writelines(token + "\n" for token, _ in vocabulary)
    return BertTokenizerFast(f"{folder}/vocab.txt", do_lower_case=True)


def mask(ids, attended, tokenizer):
    """The ids with a seventh of the tokens masked, and the labels."""
    hidden = (torch.rand(ids.shape) < 1 / 7) & (attended == 1) & (ids > tokenizer.mask_token_id)
    return ids.masked_fill(hidden, tokenizer.mask_token_id), ids.masked_fill(~hidden, -100)


def main(folder, *files):
    transformers.logging.set_verbosity_error()
    torch.set_num_threads(1)
    torch.manual_seed(1)
    texts = [[line for line in read_lines(file, 10**6) if line.strip()] for file in files]
    lines = [line for some in zip(*texts) for line in some]  # a line of each file in turn
    tokenizer = make_tokenizer(folder, lines)
    config = BertConfig(
        vocab_size=len(tokenizer), hidden_size=WIDTH, intermediate_size=2 * WIDTH,
        num_hidden_layers=2, num_attention_heads=4, max_position_embeddings=CONTEXT,
        hidden_dropout_prob=0, attention_probs_dropout_prob=0)
    classes = len(files) > 1
    if classes:
        names = ["second", "first"][:len(files)]
        config.id2label = dict(enumerate(names))
        config.label2id = {name: i for i, name in enumerate(names)}
    model = (BertForSequenceClassification if classes else BertForMaskedLM)(config)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4 if classes else 1e-3)
    for step in range(100 if classes else STEPS):
        some = [(step * BATCH + i) % len(lines) for i in range(BATCH)]
        batch = tokenizer([lines[i] for i in some], return_tensors="pt", padding=True,
                          truncation=True, max_length=CONTEXT)
        if classes:
            labels = torch.tensor([1 - i % 2 for i in some])
        else:
            batch["input_ids"], labels = mask(batch["input_ids"], batch["attention_mask"],
                                              tokenizer)
        loss = model(**batch, labels=labels).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    print(f"bert: trained to a loss of {loss.item():.2f}", file=sys.stderr)


if __name__ == "__main__":
    main(*sys.argv[1:])
