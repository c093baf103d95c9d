"""Figures as SVG: panels of curves over one x, side by side in two columns."""
import math
from html import escape

WIDTH, HEIGHT = 430, 250  # of a panel
LEFT, RIGHT, TOP, BOTTOM = 62, 24, 34, 42  # margins around the axes of a panel
COLOURS = ("#2458a6", "#b4531c", "#3a7d44")
GUIDE = "#9a9a9a"


def ticks(most):
    """About four round numbers from 0 to at least `most`."""
    size = 10 ** math.floor(math.log10(most / 4))
    step = next(size * factor for factor in (1, 2, 2.5, 5, 10) if size * factor * 4 >= most * 0.999)
    return [step * i for i in range(math.ceil(most / step - 1e-9) + 1)]


def number(value):
    if value >= 1000:
        return f"{value:,.0f}"
    return f"{value:g}"


class Axis:
    """Maps values to coordinates between `begin` and `end`; `ticks` are the labelled values. A linear axis begins
    at 0 or, with `tight`, shortly before the least value."""

    def __init__(self, values, begin, end, logarithmic, tight=False):
        self.begin, self.end, self.logarithmic = begin, end, logarithmic
        if logarithmic:
            self.low, self.high = math.log(min(values)), math.log(max(values))
            powers = range(math.floor(math.log2(min(values))), math.ceil(math.log2(max(values))) + 1)
            self.ticks = [2.0**p for p in powers if min(values) * 0.999 <= 2.0**p <= max(values) * 1.001]
        else:
            self.ticks = ticks(max(values))
            margin = (max(values) - min(values)) / 8
            self.low, self.high = (min(values) - margin, max(values) + margin) if tight else (0, self.ticks[-1])
        if self.low == self.high:
            self.high += 1

    def __call__(self, value):
        part = ((math.log(value) if self.logarithmic else value) - self.low) / (self.high - self.low)
        return self.begin + part * (self.end - self.begin)


def text(x, y, words, anchor="middle", size=11, colour="#333", weight="normal"):
    return (f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" fill="{colour}" '
            f'font-weight="{weight}">{escape(words)}</text>')


def line(places, colour, dashed):
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    return (f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"'
            + (' stroke-dasharray="5 4"' if dashed else "") + "/>")


def panel(points, title, key, label, curves, guides=(), logarithmic_y=False, logarithmic_x=True, top=None,
          legend=WIDTH - RIGHT - 150):
    """A panel of curves. `key` names the x of a point, `curves` and dashed `guides` are [(label, points -> values)],
    where None stands for a point that a curve lacks, `top` is the largest y, unless a value is larger, and `legend` is
    where the labels begin."""
    xs = [point[key] for point in points]
    drawn = [(name, values(points), GUIDE, True) for name, values in guides]
    drawn += [(name, values(points), colour, False) for (name, values), colour in zip(curves, COLOURS)]
    across = Axis(xs, LEFT, WIDTH - RIGHT, logarithmic_x, tight=True)
    highest = [] if top is None else [top]
    up = Axis([y for _, ys, _, _ in drawn for y in ys if y is not None] + highest, HEIGHT - BOTTOM, TOP, logarithmic_y)
    parts = [text(WIDTH / 2, 18, title, size=13, weight="600")]
    for tick in up.ticks:
        y = up(tick)
        parts.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="#e4e4e4"/>')
        parts.append(text(LEFT - 7, y + 4, number(tick), "end"))
    for x in xs:
        parts.append(text(across(x), HEIGHT - BOTTOM + 17, number(x), size=10))
    parts.append(text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8, label, colour="#666"))
    for row, (name, ys, colour, guide) in enumerate(drawn):
        places = [(across(x), up(y)) for x, y in zip(xs, ys) if y is not None]
        parts.append(line(places, colour, dashed=guide))
        if not guide:
            parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in places]
        if len(drawn) > 1:
            below = HEIGHT - BOTTOM - 12 - 15 * (len(drawn) - 1 - row)
            parts.append(line([(legend, below - 4), (legend + 24, below - 4)], colour, guide))
            parts.append(text(legend + 30, below, name, "start", colour="#444"))
    return "\n".join(parts)


def document(width, height, parts):
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" font-family="system-ui, sans-serif">',
        f'<rect width="{width}" height="{height}" fill="#fff"/>', *parts, "</svg>"]) + "\n"


def figure(panels):
    """All panels, in two columns."""
    parts = []
    for i, drawn in enumerate(panels):
        parts += [f'<g transform="translate({i % 2 * WIDTH} {i // 2 * HEIGHT})">', drawn, "</g>"]
    return document(min(2, len(panels)) * WIDTH, (len(panels) + 1) // 2 * HEIGHT, parts)
