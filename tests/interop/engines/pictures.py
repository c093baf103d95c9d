"""Pictures of three kinds for the scripts that train and check image classifiers."""
import math
import random

from PIL import Image

NAMES = ["waves", "bars", "rings"]  # not in alphabetical order


def picture(kind, height, width, generator):
    """Stripes that cross the picture or go along it, or circles, in two colours."""
    period, phase = generator.uniform(3, 6), generator.uniform(0, 6)
    row, column = generator.uniform(0, height), generator.uniform(0, width)
    colours = [[generator.randrange(256) for _ in range(3)] for _ in range(2)]
    image = Image.new("RGB", (width, height))
    for y in range(height):
        for x in range(width):
            at = {"waves": y, "bars": x, "rings": math.hypot(y - row, x - column)}[kind]
            share = (1 + math.sin(2 * math.pi * (at + phase) / period)) / 2
            image.putpixel((x, y), tuple(round(share * a + (1 - share) * b)
                                         for a, b in zip(*colours)))
    return image


def pictures(count, height, width, seed):
    """Pairs of a name and a picture, of each kind in turn."""
    generator = random.Random(seed)
    return [(NAMES[i % len(NAMES)], picture(NAMES[i % len(NAMES)], height, width, generator))
            for i in range(count)]
