#!/usr/bin/env python3
"""Compares calque with CTranslate2, which reads an export of the run.

    check_ctranslate2.py CALQUE RUN EXPORT SOURCE TARGET [SENTENCES]

Compares the translations of the first SENTENCES lines of SOURCE, and the log-probabilities of the lines
of TARGET. The tokens are those of the export's SentencePiece models; without them, words. An EXPORT whose
name ends in -int8 is not compared with calque, but with the export without -int8, which CTranslate2
quantizes itself.
"""
import os
import sys

import ctranslate2
import sentencepiece

from interop_run import Calque, read_lines, report, report_tokens


def main(program, run, export, source, target, sentences="1000"):
    calque = Calque(program, run)
    engine = f"ctranslate2 {ctranslate2.__version__}"
    name = os.path.basename(run)

    def tokenizer(side):
        path = f"{export}/{side}.model"
        if not os.path.exists(path):
            return str.split, " ".join
        pieces = sentencepiece.SentencePieceProcessor(model_file=path)
        return lambda text: pieces.encode(text, out_type=str), pieces.decode

    (split, _), (split_target, join) = tokenizer("source"), tokenizer("target")
    lines = read_lines(source, int(sentences))
    int8 = os.path.basename(export).endswith("int8")
    translator = ctranslate2.Translator(export, compute_type="int8" if int8 else "float32",
                                        intra_threads=1)
    tokens = [split(line) for line in lines]
    if int8:
        requantized = ctranslate2.Translator(export.removesuffix("-int8"), compute_type="int8",
                                       intra_threads=1)
        results = [[r.hypotheses[0] for r in t.translate_batch(tokens, beam_size=5)]
                   for t in (translator, requantized)]
        return report_tokens("ctranslate2 int8", engine, f"{name}: beam 5, as quantized by the engine",
                             *results)
    passed = True
    for beam in 1, 5:
        results = translator.translate_batch(tokens, beam_size=beam, length_penalty=1,
                                             max_decoding_length=100)
        search = "greedy" if beam == 1 else f"beam {beam}"
        passed &= report_tokens("ctranslate2", engine, f"{name}: {search}",
                                calque.translate(lines, beam, shortest=1),
                                [join(r.hypotheses[0]) for r in results])
    targets = read_lines(target, int(sentences))
    scores = translator.score_batch(tokens, [split_target(line) for line in targets])
    expected = calque.score(source, target)[:len(lines)]
    difference = max(abs(total / n - sum(score.log_probs) / n) for (total, n), score in zip(expected, scores))
    equal_lengths = sum(n == len(score.log_probs) for (_, n), score in zip(expected, scores))
    return passed & report("ctranslate2", engine, f"{name}: log-probability per token", len(lines),
                           equal_lengths, difference, 1e-4)


if __name__ == "__main__":
    sys.exit(0 if main(*sys.argv[1:]) else 1)
