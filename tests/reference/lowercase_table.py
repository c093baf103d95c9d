#!/usr/bin/env python3
"""Prints the ranges of data/lowercase.cpp from Python's Unicode tables, and checks them.

A range (first, last, step, distance) means that every step-th code point from first to last has its lower
case `distance` code points further on. Only one-to-one mappings are included.
"""
import unicodedata

pairs = []
for code in range(0x80, 0x110000):
    if 0xD800 <= code < 0xE000:
        continue
    lower = chr(code).lower()
    if code == 0x130:
        lower = "i"
    if len(lower) == 1 and ord(lower) != code:
        pairs.append((code, ord(lower) - code))

ranges = []
for code, distance in pairs:
    if ranges:
        first, last, step, other = ranges[-1]
        gap = code - last
        if other == distance and gap <= 2 and (step == gap or first == last):
            ranges[-1] = (first, code, gap, distance)
            continue
    ranges.append((code, code, 1, distance))

expanded = {c: c + d for first, last, step, d in ranges for c in range(first, last + 1, step)}
assert expanded == {c: c + d for c, d in pairs}
print(f"// Unicode {unicodedata.unidata_version}: {len(pairs)} letters in {len(ranges)} ranges")
for first, last, step, distance in ranges:
    print(f"{{0x{first:X}, 0x{last:X}, {step}, {distance}}},")
