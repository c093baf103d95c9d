"""Lines of text in four scripts, for checks of tokenizers. The same seed gives the same lines.

The words are random, of the letters of a script, and a few of them are frequent. Between them are
punctuation, digits, white space of all kinds, and characters that normalization changes.
"""
import random
import re

SCRIPTS = {
    "latin": [*range(0x61, 0x7b), *range(0x61, 0x7b), *range(0x61, 0x7b), *range(0xdf, 0xf7),
              *range(0xf8, 0x180)],
    "cyrillic": [*range(0x430, 0x460)] * 3 + [*range(0x410, 0x430), *range(0x48a, 0x4c0)],
    "cjk": [*range(0x4e00, 0x4e80)] * 2 + [*range(0x3041, 0x3097), *range(0x30a1, 0x30fb),
                                          *range(0xac00, 0xac30)],
    "arabic": [*range(0x621, 0x63b), *range(0x641, 0x64b)] * 3 + [*range(0x64b, 0x653),
                                                                  *range(0x660, 0x66a)],
}
PUNCTUATION = [*".,;:!?()[]{}'\"-_/\\@#$%^&*+=<>|~`", "...", "\u00ab", "\u00bb", "\u2014", "\u2026",
               "\u201c", "\u2019", "\u3002", "\u060c", "\u00bf", "\u20ac", "\u00b0", "\u2192"]
SPACES = [" ", "  ", "   ", "\t", "\u00a0", "\u3000", "\u2009", "\u200a", "\u2028", "\u0085"]
# Ligatures, full width, superscripts, combining accents, emoji, invisible characters, controls,
# letters of other scripts, and characters outside the basic plane.
RARE = ["\ufb01", "\uff21\uff22", "\uff11", "\u00b2", "\u2460", "e\u0301", "\u0130", "I\u0307", "\u1e9e",
        "\u03a3\u03c2", "\U0001f600", "\U0001f468\u200d\U0001f469", "\u200b", "\u200d", "\u00ad", "\ufeff",
        "\x01", "\x7f", "\u0e01\u0e33", "\u0939\u093f", "\u05e9\u05bc", "\U00020000", "\U0001d400", "\ufffd",
        "\u1100\u1161", "\uac01", "\u0344", "\ud7a3", "\u2126", "\u212b", "\u3392", "\u2581", "\ue000"]


class ManyScripts:
    def __init__(self):
        generator = random.Random(1)
        self.words = {
            script: ["".join(chr(generator.choice(letters)) for _ in range(generator.randint(1, 8)))
                     for _ in range(500)]
            for script, letters in SCRIPTS.items()}

    def word(self, script, generator):
        kind = generator.random()
        if kind < 0.06:
            return str(generator.randrange(10 ** generator.randint(1, 6)))
        if kind < 0.08:
            return generator.choice(RARE)
        if kind < 0.12:
            return "".join(chr(generator.choice(SCRIPTS[script]))
                           for _ in range(generator.randint(1, 12)))
        words = self.words[script]
        word = words[int(len(words) * generator.random() ** 3)]
        case = generator.random()
        if case < 0.15:
            word = word.title()
        elif case < 0.2:
            word = word.upper()
        if generator.random() < 0.02:
            word += generator.choice(RARE)
        return word

    def line(self, generator):
        script = generator.choice([*SCRIPTS])
        parts = []
        if generator.random() < 0.05:
            parts.append(generator.choice(SPACES))
        for _ in range(generator.randint(1, 12)):
            other = generator.random() < 0.05
            parts.append(self.word(generator.choice([*SCRIPTS]) if other else script, generator))
            if generator.random() < 0.15:
                parts.append(generator.choice(PUNCTUATION))
            glued = generator.random() < (0.5 if script == "cjk" else 0.03)
            if not glued:
                parts.append(" " if generator.random() < 0.95 else generator.choice(SPACES))
        if generator.random() < 0.8:
            return "".join(parts).strip(" ")
        return "".join(parts)

    def lines(self, count, seed):
        """Lines that are not white space alone. None has a letter or digit three times in a row: a Unigram
        model can split such a run in two ways with the same score, and versions of the libraries choose
        differently."""
        generator, found = random.Random(seed), []
        while len(found) < count:
            line = self.line(generator)
            if line.strip() and not re.search(r"(\w)\1\1", line):
                found.append(line)
        return found
