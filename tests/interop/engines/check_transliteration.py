#!/usr/bin/env python3
"""Imports the transliteration models of CTranslate2's test data, which are of binary versions 1 and
2, and compares the transliteration of their example with the expected one, and the transliterations
and log-probabilities of random words with CTranslate2's.

    check_transliteration.py CALQUE WORK DATA [WORDS]

DATA is tests/data of CTranslate2.
"""
import glob
import random
import shutil
import sys
import tempfile

import ctranslate2

from interop_run import Calque, read_lines, report, report_tokens

EXPECTED = ("آ ت ز م و ن", "a t z m o n")
LETTERS = slice(3, 34)  # the common letters in the list of tokens, which follow the special symbols


def check(calque, folder, count):
    calque.call("import", folder, "--run", calque.run)
    format = "import " + "/".join(folder.split("/")[-2:])
    engine = f"ctranslate2 {ctranslate2.__version__}"
    passed = report_tokens(format, engine, "expected transliteration",
                           calque.translate([EXPECTED[0]], 2), [EXPECTED[1]])

    letters = read_lines(f"{folder}/source_vocabulary.txt", 50)[LETTERS]
    choose = random.Random(1)
    words = [choose.choices(letters, k=choose.randint(1, 9)) for _ in range(count)]
    lines = [" ".join(word) for word in words]
    # CTranslate2 dequantizes the integers and computes with floats.
    translator = ctranslate2.Translator(folder, compute_type="float32", intra_threads=1)
    for beam in 1, 2:
        results = translator.translate_batch(words, beam_size=beam, length_penalty=1,
                                             max_decoding_length=100, disable_unk=True)
        # Skips transliterations that reach the length limit, which the engines treat differently.
        pairs = [(own, " ".join(result.hypotheses[0]))
                 for own, result in zip(calque.translate(lines, beam, False, shortest=1), results)
                 if len(result.hypotheses[0]) < 99]
        what = "greedy" if beam == 1 else f"beam {beam}"
        passed &= report_tokens(format, engine, what, *map(list, zip(*pairs)))
    targets = [result.hypotheses[0] for result in results]
    with tempfile.TemporaryDirectory() as place:
        for name, text in ("source", lines), ("target", [" ".join(each) for each in targets]):
            with open(f"{place}/{name}", "w", encoding="utf-8") as file:
                file.writelines(line + "\n" for line in text)
        ours = calque.score(f"{place}/source", f"{place}/target")
    theirs = translator.score_batch(words, targets)
    largest = max(abs(a - sum(b.log_probs)) / n for (a, n), b in zip(ours, theirs))
    lengths = sum(n == len(b.log_probs) for (_, n), b in zip(ours, theirs))
    return passed & report(format, engine, "log-probability per token", count, lengths, largest, 1e-4)


def main(program, work, data, words="1000"):
    folders = sorted(glob.glob(f"{data}/models/v[12]/aren-transliteration*"))
    if not folders:
        sys.exit(f"check_transliteration.py: {data}/models has no transliteration models")
    run = f"{work}/transliteration-run"
    passed = True
    for folder in folders:
        shutil.rmtree(run, ignore_errors=True)
        passed &= check(Calque(program, run), folder, int(words))
    return passed


if __name__ == "__main__":
    sys.exit(0 if main(*sys.argv[1:]) else 1)
