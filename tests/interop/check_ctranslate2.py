#!/usr/bin/env python3
"""Compares an export with CTranslate2 itself: translations, and log-probabilities of given ones.

    check_ctranslate2.py CALQUE RUN EXPORT SOURCE TARGET [SENTENCES]

With SentencePiece tokenizers, or with words.
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
        # The engine quantizes the float export by itself: the same weights give the same tokens.
        other = ctranslate2.Translator(export.removesuffix("-int8"), compute_type="int8",
                                       intra_threads=1)
        results = [[r.hypotheses[0] for r in t.translate_batch(tokens, beam_size=5)]
                   for t in (translator, other)]
        return report_tokens("ctranslate2 int8", engine, f"{name}: beam 5, as quantized by the engine",
                             *results)
    passed = True
    for beam in 1, 5:
        theirs = translator.translate_batch(tokens, beam_size=beam, length_penalty=1,
                                            max_decoding_length=100)
        what = "greedy" if beam == 1 else f"beam {beam}"
        passed &= report_tokens("ctranslate2", engine, f"{name}: {what}",
                                calque.translate(lines, beam, shortest=1),
                                [join(r.hypotheses[0]) for r in theirs])
    targets = read_lines(target, int(sentences))
    theirs = translator.score_batch(tokens, [split_target(line) for line in targets])
    ours = calque.score(source, target)[:len(lines)]
    largest = max(abs(a / n - sum(b.log_probs) / n) for (a, n), b in zip(ours, theirs))
    lengths = sum(n == len(b.log_probs) for (_, n), b in zip(ours, theirs))
    return passed & report("ctranslate2", engine, f"{name}: log-probability a token", len(lines),
                           lengths, largest, 1e-4)


if __name__ == "__main__":
    sys.exit(0 if main(*sys.argv[1:]) else 1)
