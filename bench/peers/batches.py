"""Batches of sentence pairs with given lengths and random ids, for a program that pads.

Pairs are sorted by target and source length, so that a batch holds pairs of nearly one length and has
almost no padding; the batches are shuffled.
"""
import pathlib
import random

UNK, BEGIN, END = 0, 1, 2
MULTI30K = pathlib.Path(__file__).parent.parent / "batches" / "multi30k_lengths.txt"


def multi30k_lengths():
    """[(source, target), ...] of the training pairs, without </s>."""
    pairs = []
    for line in open(MULTI30K, encoding="utf-8"):
        if line.strip() and not line.startswith("#"):
            source, target, count = map(int, line.split())
            pairs += [(source, target)] * count
    return pairs


def cut(pairs, tokens, seed):
    """Batches of pairs, each of at most `tokens` target tokens, </s> and padding included."""
    generator = random.Random(seed)
    pairs = list(pairs)
    generator.shuffle(pairs)
    pairs.sort(key=lambda pair: (pair[1], pair[0]))
    batches, batch = [], []
    for pair in pairs:
        if batch and (pair[1] + 1) * (len(batch) + 1) > tokens:  # sorted: this pair is the longest so far
            batches.append(batch)
            batch = []
        batch.append(pair)
    batches.append(batch)
    generator.shuffle(batches)
    return batches
