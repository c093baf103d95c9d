"""Batches of sentence pairs with given lengths and random ids, cut as a toolkit that pads cuts them.

Pairs are sorted by target and source length, so that a batch holds pairs of nearly one length and
has next to no padding, and the batches are taken in shuffled order.
"""
import pathlib
import random

UNK, BEGIN, END = 0, 1, 2
MULTI30K = pathlib.Path(__file__).parent.parent / "multi30k_lengths.txt"


def lengths_of_table(path=MULTI30K):
    """[(source, target), ...] from a table of `source target pairs`, </s> not counted."""
    pairs = []
    for line in open(path, encoding="utf-8"):
        if line.strip() and not line.startswith("#"):
            source, target, count = map(int, line.split())
            pairs += [(source, target)] * count
    return pairs


def lengths_of_corpus(source, target):
    """The same from two files of sentences whose tokens are separated by spaces."""
    with open(source, encoding="utf-8") as s, open(target, encoding="utf-8") as t:
        source_lengths, target_lengths = ([len(line.split()) for line in file] for file in (s, t))
    if len(source_lengths) != len(target_lengths):
        raise ValueError(f"{source} has {len(source_lengths)} lines, but {target} has {len(target_lengths)}")
    pairs = zip(source_lengths, target_lengths)
    return [pair for pair in pairs if min(pair) > 0]


def cut(pairs, tokens, seed):
    """Batches of pairs, each of at most `tokens` target tokens with </s> and padding."""
    generator = random.Random(seed)
    pairs = list(pairs)
    generator.shuffle(pairs)
    pairs.sort(key=lambda pair: (pair[1], pair[0]))
    batches, batch = [], []
    for pair in pairs:
        if batch and (pair[1] + 1) * (len(batch) + 1) > tokens:  # the newest is the longest
            batches.append(batch)
            batch = []
        batch.append(pair)
    batches.append(batch)
    generator.shuffle(batches)
    return batches


def useful_flops(preset, batch, vocabulary):
    """Of forward and backward on real tokens alone: 6 for each weight and token, and attention's two
    products three times, the causal one counted as a triangle."""
    d, ff = preset.d_model, preset.d_ff
    a_source = preset.encoder_layers * (4 * d * d + 2 * d * ff) + preset.decoder_layers * 2 * d * d
    a_target = preset.decoder_layers * (6 * d * d + 2 * d * ff) + d * vocabulary
    total = 0
    for source, target in batch:
        s, t = source + 1, target + 1
        meetings = preset.encoder_layers * s * s + preset.decoder_layers * (t * (t + 1) / 2 + s * t)
        total += 6 * (a_source * s + a_target * t) + 12 * d * meetings
    return total
