"""Translates a file of tokens with CTranslate2, for bench/compare-decoding.

  ctranslate2_decode.py MODEL FILE COMPUTE_TYPE BEAM LENGTH INTER_THREADS INTRA_THREADS BATCH
"""
import sys

import ctranslate2


def main():
    model, path, kind = sys.argv[1:4]
    beam, length, inter, intra, batch = map(int, sys.argv[4:])
    with open(path) as lines:
        sources = [line.split() for line in lines]
    translator = ctranslate2.Translator(model, compute_type=kind, inter_threads=inter, intra_threads=intra)
    options = {"beam_size": beam, "min_decoding_length": length, "max_decoding_length": length}
    if batch == 1:
        for source in sources:
            translator.translate_batch([source], **options)
    else:
        translator.translate_batch(sources, max_batch_size=batch, **options)


if __name__ == "__main__":
    main()
