#!/usr/bin/env python3
"""Compares taggers with transformers' BertForTokenClassification, in both directions.

    check_tagger.py CALQUE WORK SOURCE TARGET [LINES]

The run WORK/tagger is exported; a model that transformers has trained is imported. Both tag lines of
SOURCE followed by those of TARGET. An export that is imported and exported again must have the same
bytes.
"""
import filecmp
import os
import shutil
import sys
import warnings

import torch
import transformers
from transformers import AutoModelForTokenClassification, BertConfig, BertForTokenClassification
from transformers import AutoTokenizer

from interop_run import Calque, read_lines, report
from train_bert import make_tokenizer

CONTEXT, BATCH, STEPS = 64, 16, 60


def sentences_of(source, target, lines):
    return [f"{a} {b}".split() for a, b in zip(read_lines(source, lines), read_lines(target, lines))]


def train(folder, source, target):
    """Trains a tagger of languages: B-1 I-1 ... B-2 I-2 ..., with the labels in no order."""
    torch.manual_seed(1)
    texts = [(a.split(), b.split()) for a, b in zip(read_lines(source, 2000), read_lines(target, 2000))]
    tokenizer = make_tokenizer(folder, [" ".join(a + b) for a, b in texts])
    names = ["I-2", "B-1", "I-1", "B-2"]
    config = BertConfig(
        vocab_size=len(tokenizer), hidden_size=32, intermediate_size=64, num_hidden_layers=2,
        num_attention_heads=4, max_position_embeddings=CONTEXT, hidden_dropout_prob=0,
        attention_probs_dropout_prob=0, id2label=dict(enumerate(names)),
        label2id={name: i for i, name in enumerate(names)})
    model = BertForTokenClassification(config)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for step in range(STEPS):
        some = [texts[(step * BATCH + i) % len(texts)] for i in range(BATCH)]
        batch = tokenizer([a + b for a, b in some], is_split_into_words=True, return_tensors="pt",
                          padding=True, truncation=True, max_length=CONTEXT)
        labels = torch.full(batch.input_ids.shape, -100)
        for row, (a, b) in enumerate(some):
            tags = [1] + [2] * (len(a) - 1) + [3] + [0] * (len(b) - 1)
            seen = set()
            for column, word in enumerate(batch.word_ids(row)):
                if word is not None and word not in seen:
                    labels[row, column] = tags[word]
                    seen.add(word)
        loss = model(**batch, labels=labels).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    print(f"bert-tagger: trained to a loss of {loss.item():.2f}", file=sys.stderr)


def check(calque, folder, sentences):
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model, loading = AutoModelForTokenClassification.from_pretrained(folder, output_loading_info=True)
    problems = [name for what in ("missing_keys", "unexpected_keys", "mismatched_keys")
                for name in loading[what]]
    if problems:
        sys.exit(f"{folder}: transformers does not load {problems}")
    model.eval()
    encoded = [tokenizer(words, is_split_into_words=True, return_tensors="pt") for words in sentences]
    kept = [i for i, ids in enumerate(encoded) if ids.input_ids.shape[1] <= CONTEXT]
    text = "".join(" ".join(sentences[i]) + "\n" for i in kept)
    ours = calque.call("tag", calque.run, "--probabilities", text=text).split("\n\n")
    same, largest = 0, 0.0
    for i, block in zip(kept, ours):
        with torch.inference_mode():
            p = model(**encoded[i]).logits[0].softmax(-1)
        rows = {}
        for row, word in enumerate(encoded[i].word_ids()):
            if word is not None:
                rows.setdefault(word, row)
        lines = [line.split("\t") for line in block.splitlines()]
        theirs = [model.config.id2label[int(p[rows[word]].argmax())] for word in range(len(rows))]
        same += theirs == [tag for _, tag, _ in lines]
        for word, (_, _, probability) in enumerate(lines):
            largest = max(largest, abs(float(p[rows[word]].max()) - float(probability)))
    return len(kept), same, largest


def main(program, work, source, target, lines="300"):
    warnings.simplefilter("ignore")
    transformers.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    torch.set_num_threads(1)
    sentences = sentences_of(source, target, int(lines))
    theirs, imported = f"{work}/bert-tagger-theirs", f"{work}/bert-tagger-imported"
    if not os.path.exists(f"{theirs}/model.safetensors"):
        train(theirs, source, target)
    passed = True
    for run, folder in ((f"{work}/tagger", f"{work}/tagger-huggingface"), (imported, theirs)):
        calque = Calque(program, run)
        again = f"{folder}-again"
        for old in [again] + ([imported] if run == imported else [folder]):
            shutil.rmtree(old, ignore_errors=True)
        if run == imported:
            calque.call("import", theirs, "--run", run)
        else:
            calque.call("export", run, "huggingface", "--out", folder)
        passed &= report("huggingface BertForTokenClassification",
                         f"transformers {transformers.__version__}",
                         f"{os.path.basename(run)}: tags of a sentence, probabilities",
                         *check(calque, folder, sentences), 1e-4)
        first, second = f"{run}-first", f"{run}-second"
        for old in (first, second, again):
            shutil.rmtree(old, ignore_errors=True)
        calque.call("export", run, "huggingface", "--out", first)
        calque.call("import", first, "--run", again)
        calque.call("export", again, "huggingface", "--out", second)
        files = sorted(os.listdir(first))
        differing = filecmp.cmpfiles(first, second, files, shallow=False)[1:]
        if files != sorted(os.listdir(second)) or any(differing):
            print(f"{run}: the second export differs: {differing}", file=sys.stderr)
            passed = False
    return passed


if __name__ == "__main__":
    sys.exit(0 if main(*sys.argv[1:]) else 1)
