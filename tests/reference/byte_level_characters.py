#!/usr/bin/env python3
"""Prints the ranges of data/text/byte_level_text.cpp: the letters and numbers by which Hugging Face's library
tokenizers splits a text before byte-level BPE, according to its ByteLevel, and which Unicode 14 lacks
(Python 3.11). It checks that the white space is that of byte_level_text.cpp.
"""
import collections
import sys
import unicodedata

from tokenizers.pre_tokenizers import ByteLevel

from bert_characters import ranges


def main():
    splits = ByteLevel(add_prefix_space=False, use_regex=True)
    kinds = collections.defaultdict(list)

    def joins(text):
        return len(splits.pre_tokenize_str(text)) == 1

    for point in [*range(1, 0xD800), *range(0xE000, 0x110000)]:
        own = chr(point)
        if joins("a" + own):
            kinds["letter"].append(point)
        elif joins("1" + own):
            kinds["number"].append(point)
        elif not joins("!" + own):
            kinds["space"].append(point)
    spaces = [*range(9, 14), 0x85] + [point for point in kinds["space"] if unicodedata.category(chr(point))[0] == "Z"]
    assert sorted(spaces) == kinds["space"]
    for kind in ("letter", "number"):
        print(kind, ranges(point for point in kinds[kind] if unicodedata.category(chr(point)) == "Cn"))


if __name__ == "__main__":
    sys.exit(main())
