#!/usr/bin/env python3
"""Prints train/metrics/tokenization/character_tables.h from the Unicode tables of Python and its module regex.

The tokenization `intl` uses the general categories P, S and N. Cased and Case_Ignorable decide where a
capital sigma becomes a final sigma. Python does not expose them, but str.lower() reveals them: the last
sigma of a word becomes final after a cased letter, also if ignorable characters stand in between.
"""
import unicodedata

import regex  # the release of October 2022, with Unicode 15.0.0


def is_cased(character):
    return (character + "Σ").lower().endswith("ς")


def is_ignorable(character):
    return ("A" + character + "Σ").lower().endswith("ς") and not is_cased(character)


def ranges(belongs):
    found = []
    for code in range(0x110000):
        if 0xD800 <= code < 0xE000 or not belongs(chr(code)):
            continue
        if found and found[-1][1] == code - 1:
            found[-1][1] = code
        else:
            found.append([code, code])
    return found


def table(name, belongs):
    print(f"\ninline constexpr CharacterRange {name}[] = {{")
    line = "   "
    for first, last in ranges(belongs):
        entry = f" {{0x{first:X}, 0x{last:X}}},"
        if len(line) + len(entry) > 100:
            print(line)
            line = "   "
        line += entry
    print(line + "\n};")


print(f"""#pragma once
// Classes of characters as sorted ranges, printed by tests/reference/character_tables.py from
// Unicode 15.0.0 (punctuation, symbols, numbers) and {unicodedata.unidata_version} (case).

namespace calque {{

// clang-format off
struct CharacterRange {{
  char32_t first, last;
}};""")
for name, letter in ("punctuation", "P"), ("symbols", "S"), ("numbers", "N"):
    table(name + "_ranges", regex.compile(rf"\p{{{letter}}}").match)
table("cased_ranges", is_cased)
table("ignorable_ranges", is_ignorable)
print("""// clang-format on

}  // namespace calque""")
