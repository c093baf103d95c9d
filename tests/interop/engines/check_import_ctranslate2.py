#!/usr/bin/env python3
"""Converts a MarianMT of transformers to CTranslate2, imports the converted model, and compares
translations and log-probabilities with CTranslate2's.

    check_import_ctranslate2.py CALQUE WORK MODEL SOURCE TARGET [SENTENCES] [QUANTIZATION]
"""
import shutil
import sys
import tempfile

import ctranslate2
import sentencepiece
from ctranslate2.converters import TransformersConverter

from interop_run import Calque, read_lines, report, report_tokens


def main(program, work, model, source, target, sentences="1000", quantization="float32"):
    folder, run = f"{work}/converted-ct2-{quantization}", f"{work}/converted-ct2-{quantization}-run"
    for each in folder, run:
        shutil.rmtree(each, ignore_errors=True)
    TransformersConverter(model, copy_files=["source.spm", "target.spm"]).convert(
        folder, quantization=None if quantization == "float32" else quantization)
    calque = Calque(program, run)
    calque.call("import", folder, "--run", run)

    sides = {side: sentencepiece.SentencePieceProcessor(model_file=f"{folder}/{side}.spm")
             for side in ("source", "target")}
    lines, targets = read_lines(source, int(sentences)), read_lines(target, int(sentences))
    tokens = [pieces + ["</s>"] for pieces in sides["source"].encode(lines, out_type=str)]
    # CTranslate2 dequantizes the integers and computes with floats.
    translator = ctranslate2.Translator(folder, compute_type="float32", intra_threads=1)
    engine, format = f"ctranslate2 {ctranslate2.__version__}", f"import {quantization}"

    with tempfile.TemporaryDirectory() as place:
        for name, text in ("source", lines), ("target", targets):
            with open(f"{place}/{name}", "w", encoding="utf-8") as file:
                file.writelines(line + "\n" for line in text)
        ours = calque.score(f"{place}/source", f"{place}/target")
    theirs = translator.score_batch(tokens, sides["target"].encode(targets, out_type=str))
    largest = max(abs(a - sum(b.log_probs)) / n for (a, n), b in zip(ours, theirs))
    lengths = sum(n == len(b.log_probs) for (_, n), b in zip(ours, theirs))
    passed = report(format, engine, "log-probability per token", len(lines), lengths, largest, 1e-4)
    for beam in 1, 5:
        results = translator.translate_batch(tokens, beam_size=beam, length_penalty=1,
                                             max_decoding_length=100)
        # Skips translations that reach the length limit, which the engines treat differently.
        pairs = [(own.strip(), sides["target"].decode(result.hypotheses[0]).strip())
                 for own, result in zip(calque.translate(lines, beam, shortest=1), results)
                 if len(result.hypotheses[0]) < 99]
        what = "greedy" if beam == 1 else f"beam {beam}"
        passed &= report_tokens(format, engine, what, *map(list, zip(*pairs)))
    return passed


if __name__ == "__main__":
    sys.exit(0 if main(*sys.argv[1:]) else 1)
