#!/usr/bin/env python3
"""Prints the ranges of data/text/lowercase.cpp from Python's Unicode tables, and checks them.

A range (first, count, distance) maps `count` code points from `first` on to their lower case, which is
`distance` higher, or lower if it is negative. With a distance of 1, the range holds every second code
point. Only one-to-one mappings count; U+0130 maps to i.
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


def step(distance):
    return 2 if distance == 1 else 1


ranges = []
for code, distance in pairs:
    if ranges:
        first, count, other = ranges[-1]
        if other == distance and code == first + count * step(distance):
            ranges[-1] = (first, count + 1, distance)
            continue
    ranges.append((code, 1, distance))

expanded = {first + i * step(d): first + i * step(d) + d for first, n, d in ranges for i in range(n)}
assert expanded == {c: c + d for c, d in pairs}
print(f"// Unicode {unicodedata.unidata_version}: {len(pairs)} letters in {len(ranges)} ranges")
for first, count, distance in ranges:
    print(f"{{0x{first:X}, {count}, {distance}}},")
