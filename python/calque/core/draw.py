"""Draws the graph that a tape has recorded, as SVG."""

from __future__ import annotations

from html import escape
from typing import Any, Dict, List, Mapping, Optional, Tuple

from ..figure import Figure
from . import _native
from ._native import Tensor

WIDTH, HEIGHT, GAP_X, GAP_Y = 150, 46, 26, 44
STYLE = """text { font: 12px sans-serif; text-anchor: middle } .small { font-size: 10px; fill: #555 }
rect { stroke: #345; fill: #e8f0fa } .leaf { fill: #fdf3d8 } .constant { fill: #eee; stroke: #999 }
path { fill: none; stroke: #567; marker-end: url(#arrow) }"""


class _Box:
    def __init__(self, title: str, detail: str, kind: str) -> None:
        self.title, self.detail, self.kind = title, detail, kind
        self.inputs: List[_Box] = []
        self.layer = 0
        self.x = 0.0


def _time(seconds: float) -> str:
    for unit, factor in (("s", 1.0), ("ms", 1e3), ("µs", 1e6)):
        if seconds * factor >= 1 or unit == "µs":
            return f"{seconds * factor:.3g} {unit}"
    return ""


def _detail(node: Dict[str, Any]) -> str:
    times = [_time(node[way]) for way in ("forward", "backward") if node[way] > 0]
    return f"{list(node['shape'])}  {' + '.join(times)}"


def _boxes(nodes: List[Dict[str, Any]], last: int, names: Mapping[int, str]) -> List[_Box]:
    """The ops that the last one depends on, and its leaves and constants."""
    needed = {nodes[last]["id"]}
    for node in reversed(nodes[:last + 1]):
        if node["id"] in needed:
            needed |= {identity for identity, _ in node["inputs"]}
    boxes: List[_Box] = []
    made: Dict[int, _Box] = {}
    for node in nodes[:last + 1]:
        if node["id"] not in needed:
            continue
        box = _Box(node["op"], _detail(node), "op")
        for identity, shape in node["inputs"]:
            if not identity or identity not in made:
                leaf = _Box(names.get(identity, "leaf") if identity else "constant", str(list(shape)),
                            "leaf" if identity else "constant")
                boxes.append(leaf)
                made[identity] = leaf
            box.inputs.append(made[identity])
        box.layer = 1 + max((x.layer for x in box.inputs), default=-1)
        boxes.append(box)
        made[node["id"]] = box
    return boxes


def _place(boxes: List[_Box]) -> List[List[_Box]]:
    """Rows of boxes: inputs above, each box near the middle of what it is connected with."""
    users: Dict[int, List[_Box]] = {}
    for box in boxes:
        for x in box.inputs:
            users.setdefault(id(x), []).append(box)
    for box in boxes:
        if not box.inputs and id(box) in users:  # a leaf stands above its first user
            box.layer = min(user.layer for user in users[id(box)]) - 1
    layers: List[List[_Box]] = [[] for _ in range(1 + max(box.layer for box in boxes))]
    for box in boxes:
        layers[box.layer].append(box)
    for sweep in range(6):
        for layer in layers if sweep % 2 == 0 else reversed(layers):
            for i, box in enumerate(layer):
                near = box.inputs if sweep % 2 == 0 else users.get(id(box), [])
                box.x = sum(x.x for x in near) / len(near) if near else box.x or float(i)
            layer.sort(key=lambda box: box.x)
            for left, right in zip(layer, layer[1:]):
                right.x = max(right.x, left.x + 1)
    least = min(box.x for box in boxes)
    for box in boxes:
        box.x -= least
    return layers


def _names(given: Optional[Mapping[str, Any]]) -> Dict[int, str]:
    if given is None:
        return {}
    tensors = {name: given.tensor(name) if isinstance(given, _native.Parameters) else given[name]
               for name in given}
    return {_native.identity(x): name for name, x in tensors.items() if isinstance(x, Tensor)}


def _centre(box: _Box) -> Tuple[float, float]:
    return 10 + box.x * (WIDTH + GAP_X) + WIDTH / 2, 10 + box.layer * (HEIGHT + GAP_Y)


def draw(loss: Tensor, names: Optional[Mapping[str, Any]] = None) -> Figure:
    """Draws the ops from which a tensor was computed, with their shapes and times.

    Inside the tape's `with`, or after it until the thread begins another tape; after backward() each
    op has a second time, that of its backward pass. `names` are the names of leaves: a dict of
    tensors, or Parameters.
    """
    nodes = _native.nodes_of(loss)
    identity = _native.identity(loss)
    last = max(i for i, node in enumerate(nodes) if node["id"] == identity)
    layers = _place(_boxes(nodes, last, _names(names)))
    boxes = [box for layer in layers for box in layer]
    width = 20 + WIDTH + max(box.x for box in boxes) * (WIDTH + GAP_X)
    height = 20 + len(layers) * HEIGHT + (len(layers) - 1) * GAP_Y
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}">',
             f"<style>{STYLE}</style>", '<defs><marker id="arrow" refX="6" refY="3" markerWidth="7" '
             'markerHeight="6" orient="auto"><path d="M0,0 L6,3 L0,6 z" style="fill: #567"/></marker></defs>']
    for box in boxes:
        x, y = _centre(box)
        for source in box.inputs:
            from_x, from_y = _centre(source)
            from_y += HEIGHT
            bend = (y - from_y) / 2
            lines.append(f'<path d="M{from_x:.0f},{from_y:.0f} C{from_x:.0f},{from_y + bend:.0f} '
                         f'{x:.0f},{y - bend:.0f} {x:.0f},{y - 1:.0f}"/>')
    for box in boxes:
        x, y = _centre(box)
        lines += [f'<rect class="{box.kind}" x="{x - WIDTH / 2:.0f}" y="{y:.0f}" width="{WIDTH}" '
                  f'height="{HEIGHT}" rx="6"/>',
                  f'<text x="{x:.0f}" y="{y + 19:.0f}">{escape(box.title)}</text>',
                  f'<text class="small" x="{x:.0f}" y="{y + 36:.0f}">{escape(box.detail)}</text>']
    return Figure("\n".join([*lines, "</svg>", ""]))
