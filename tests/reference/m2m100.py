#!/usr/bin/env python3
"""Compares the export of a multilingual translator to M2M100 with transformers itself.

  calque export runs/many m2m100
  venv/bin/pip install torch transformers sentencepiece
  venv/bin/python tests/reference/m2m100.py build/release/cli/calque runs/many runs/many-m2m100 de test.en [100]

Translates the first lines of a text to a language, greedily and with a beam of 5, by calque and by
M2M100ForConditionalGeneration with M2M100Tokenizer. Exits with 1 unless all translations are the same.
"""
import subprocess
import sys

import torch
from transformers import M2M100ForConditionalGeneration, M2M100Tokenizer


def calque_translations(calque, run, language, lines, beam):
    """By the rule of transformers: a search ends when as many hypotheses have ended as the beam is wide."""
    settings = {"length_penalty": 1, "early_stopping": "first", "max_length": 100, "max_length_extra": 1000}
    command = [calque, "translate", run, "--to", language, "--beam", str(beam)]
    for key, value in settings.items():
        command += ["--set", f"decoding.{key}={value}"]
    out = subprocess.run(command, input="".join(line + "\n" for line in lines), check=True,
                         stdout=subprocess.PIPE, encoding="utf-8").stdout
    return out.splitlines()


def main():
    calque, run, folder, language, text = sys.argv[1:6]
    count = int(sys.argv[6]) if len(sys.argv) > 6 else 100
    with open(text, encoding="utf-8") as file:
        lines = [line.rstrip("\n") for line, _ in zip(file, range(count))]
    tokenizer = M2M100Tokenizer.from_pretrained(folder, src_lang=language)
    model, loading = M2M100ForConditionalGeneration.from_pretrained(folder, output_loading_info=True)
    unread = [name for kind in ("missing_keys", "unexpected_keys", "mismatched_keys") for name in loading[kind]]
    if unread:
        sys.exit(f"{folder}: transformers does not load {unread}")
    batch = tokenizer(lines, return_tensors="pt", padding=True)
    different = 0
    for beam in 1, 5:
        with torch.inference_mode():
            ids = model.eval().generate(**batch, num_beams=beam, early_stopping=beam > 1,
                                        length_penalty=1.0, max_length=101)
        theirs = tokenizer.batch_decode(ids, skip_special_tokens=True)
        ours = calque_translations(calque, run, language, lines, beam)
        same = sum(a == b for a, b in zip(ours, theirs, strict=True))
        print(f"beam {beam}: {same} of {len(lines)} translations to {language} are the same")
        for a, b in [(a, b) for a, b in zip(ours, theirs) if a != b][:3]:
            print(f"  calque:       {a}\n  transformers: {b}")
        different += len(lines) - same
    sys.exit(1 if different else 0)


if __name__ == "__main__":
    main()
