#!/usr/bin/env python3
"""Prints data/text/byte_level_characters.txt: the letters, numbers and white space by which Hugging
Face's library tokenizers splits a text before byte-level BPE, according to its ByteLevel.

    byte_level_characters.py >data/text/byte_level_characters.txt
"""
import collections
import sys

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
    for kind in ("letter", "number", "space"):
        print(kind, ranges(kinds[kind]))


if __name__ == "__main__":
    sys.exit(main())
