#!/usr/bin/env python3
"""Prints data/text/bert_characters.txt: how Hugging Face's library tokenizers treats each code point
before WordPiece, according to its BertNormalizer and BertPreTokenizer.

    bert_characters.py >data/text/bert_characters.txt

The last lines list only the letters that uncased models read otherwise than by canonical decomposition,
without marks and in lower case, with the tables of Unicode 15.0 (Python 3.12), which utf8proc 2.8 has too.
"""
import collections
import sys
import unicodedata

from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer


def ranges(points):
    found = []
    for point in points:
        if found and found[-1][1] == point - 1:
            found[-1][1] = point
        else:
            found.append([point, point])
    return " ".join(f"{first:x}-{last:x}" for first, last in found)


def main():
    options = {"clean_text": True, "handle_chinese_chars": True}
    cased = BertNormalizer(**options, strip_accents=False, lowercase=False)
    uncased = BertNormalizer(**options, strip_accents=True, lowercase=True)
    splits = BertPreTokenizer()
    kinds, letters = collections.defaultdict(list), {}
    for point in [*range(1, 0xD800), *range(0xE000, 0x110000)]:
        own = chr(point)
        clean = cased.normalize_str(own)
        if clean.strip(" ") != own:
            kinds["removed" if clean == "" else "space"].append(point)
            continue
        if clean != own:
            kinds["alone"].append(point)
        elif len(splits.pre_tokenize_str("a" + own + "a")) == 3:
            kinds["punctuation"].append(point)
        plain = uncased.normalize_str(own).strip(" ")
        if not plain:
            kinds["mark"].append(point)
        else:
            letters[own] = plain
    for kind in ("removed", "space", "alone", "punctuation", "mark"):
        print(kind, ranges(kinds[kind]))
    print()
    marks = set(kinds["mark"])
    for own, plain in letters.items():
        parts = unicodedata.normalize("NFD", own)
        if plain != "".join(part for part in parts if ord(part) not in marks).lower():
            print(plain, own)


if __name__ == "__main__":
    sys.exit(main())
