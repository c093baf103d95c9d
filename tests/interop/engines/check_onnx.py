#!/usr/bin/env python3
"""Compares the export to ONNX with ONNX Runtime: the log-probabilities of translations, in one step and
token by token with the cache, with padding, and greedy translations.

    check_onnx.py CALQUE RUN EXPORT SOURCE TARGET [SENTENCES]
"""
import os
import sys

import numpy
import onnxruntime
import tokenizers

from interop_run import Calque, read_lines, report, report_tokens

UNKNOWN, BEGIN, END = 0, 1, 2


def log_softmax(x):
    x = x.astype(numpy.float64)
    x = x - x.max(-1, keepdims=True)
    return x - numpy.log(numpy.exp(x).sum(-1, keepdims=True))


class Model:
    def __init__(self, export):
        load = lambda name: onnxruntime.InferenceSession(f"{export}/onnx/{name}.onnx",
                                                         providers=["CPUExecutionProvider"])
        self.encoder, self.decoder = load("encoder_model"), load("decoder_model_merged")
        self.caches = [value for value in self.decoder.get_inputs()
                       if value.name.startswith("past_key_values.")]
        self.outputs = [value.name for value in self.decoder.get_outputs()]

    def encode(self, sentences):
        longest = max(map(len, sentences))
        ids = numpy.array([s + [BEGIN] * (longest - len(s)) for s in sentences], numpy.int64)
        mask = numpy.array([[1] * len(s) + [0] * (longest - len(s)) for s in sentences], numpy.int64)
        memory = self.encoder.run(["last_hidden_state"], {"input_ids": ids, "attention_mask": mask})[0]
        empty = {value.name: numpy.zeros((len(ids), value.shape[1], 0, value.shape[3]), numpy.float32)
                 for value in self.caches}
        return {"encoder_hidden_states": memory, "encoder_attention_mask": mask, **empty}

    def step(self, feeds, ids):
        """The logits of the new tokens; the cache in `feeds` becomes longer."""
        found = dict(zip(self.outputs, self.decoder.run(None, {**feeds, "input_ids": ids})))
        for value in self.caches:
            feeds[value.name] = found[value.name.replace("past_key_values", "present")]
        return found["logits"]

    def score(self, source, targets, at_once):
        """The log-probability of each target, </s> included."""
        feeds, longest = self.encode(source), max(map(len, targets))
        labels = numpy.array([t + [-1] * (longest - len(t)) for t in targets], numpy.int64)
        reads = numpy.concatenate([numpy.full((len(labels), 1), BEGIN), labels[:, :-1].clip(0)], 1)
        parts = [reads] if at_once else numpy.split(reads, longest, 1)
        scores = log_softmax(numpy.concatenate([self.step(feeds, part) for part in parts], 1))
        taken = numpy.take_along_axis(scores, labels.clip(0)[:, :, None], 2)[:, :, 0]
        return (taken * (labels >= 0)).sum(1)

    def greedy(self, source, longest):
        feeds = self.encode(source)
        last, done = numpy.full((len(source), 1), BEGIN), numpy.zeros(len(source), bool)
        found = [[] for _ in source]
        for length in range(longest):
            logits = self.step(feeds, last)[:, -1]
            logits[:, [UNKNOWN, BEGIN]] = -numpy.inf
            best = logits.argmax(-1)
            for i, token in enumerate(best):
                done[i] |= token == END
                if not done[i]:
                    found[i].append(int(token))
            if done.all():
                break
            last = best[:, None]
        return found


def main(program, run, export, source, target, sentences="1000"):
    calque, model = Calque(program, run), Model(export)
    tokenizer = tokenizers.Tokenizer.from_file(f"{export}/tokenizer.json")
    engine, name = f"onnxruntime {onnxruntime.__version__}", os.path.basename(run)
    count = int(sentences)
    lines, targets = read_lines(source, count), read_lines(target, count)
    ids = [encoded.ids for encoded in tokenizer.encode_batch(lines)]
    expected = [encoded.ids for encoded in tokenizer.encode_batch(targets)]
    ours, passed = calque.score(source, target)[:count], True
    for at_once in True, False:
        same, largest = 0, 0.0
        for first in range(0, len(lines), 50):
            part = slice(first, first + 50)
            totals = model.score(ids[part], expected[part], at_once)
            for total, tokens, (log_probability, n) in zip(totals, expected[part], ours[part]):
                same += len(tokens) == n
                largest = max(largest, abs(total - log_probability) / n)
        how = "at once" if at_once else "token by token"
        passed &= report("onnx", engine, f"{name}: log-probability per token, {how}", len(lines),
                         same, largest, 1e-4)
    theirs = []
    for first in range(0, len(lines), 50):
        theirs += tokenizer.decode_batch(model.greedy(ids[first : first + 50], 100))
    theirs = [text.lstrip() for text in theirs]  # the library keeps all but one leading space
    passed &= report_tokens("onnx", engine, f"{name}: greedy",
                            calque.translate(lines, 1, allow_unknown=False), theirs)
    return passed


if __name__ == "__main__":
    sys.exit(0 if main(*sys.argv[1:]) else 1)
