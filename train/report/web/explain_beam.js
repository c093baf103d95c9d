// The beam search as a tree: one column per step, with the best-scored hypotheses on top.
'use strict';

class BeamViewer {
  constructor(data) {
    this.nodes = data.beam.map((node) => ({...node}));
    this.section = byId('beam');
    this.section.hidden = this.nodes.length === 0;
    if (this.section.hidden) return;
    this.place();
    const frame = element('div', {class: 'beam', tabindex: 0, role: 'group', 'aria-label': 'Beam tree, scrolls sideways'}, this.draw());
    this.section.append(frame, element('p', {class: 'note'}, 'Thick blue: the translation that was returned. Green frames: finished sentences. Dashed: dropped, because '
      + 'better ones filled the beam. The number is the score by which beginnings are ranked: the log-probability, adjusted for length. Point at a node to read its whole hypothesis.'));
  }

  // Sets the depth of each node, its place in the column by score, and whether it leads to the best
  // hypothesis.
  place() {
    const columns = [];
    for (const node of this.nodes) {
      node.depth = node.parent < 0 ? 0 : this.nodes[node.parent].depth + 1;
      node.text = `${node.parent < 0 ? '' : `${this.nodes[node.parent].text} `}${node.token}`;
      (columns[node.depth] ||= []).push(node);
    }
    for (let i = this.nodes.length - 1; i >= 0; --i) {
      const node = this.nodes[i];
      if (node.fate === 'best') node.leads = true;
      if (node.leads && node.parent >= 0) this.nodes[node.parent].leads = true;
    }
    let x = 46;
    this.height = 60;
    for (const column of columns) {
      column.sort((a, b) => b.score - a.score);
      const width = Math.max(56, ...column.map((node) => Array.from(clipped(node.token)).length * 7.8 + 20));
      column.forEach((node, rank) => Object.assign(node, {x, y: 30 + rank * 44, width}));
      this.height = Math.max(this.height, 30 + column.length * 44);
      x += width + 46;
    }
    this.width = x;
  }

  draw() {
    const svg = svgElement('svg', {width: this.width, height: this.height, viewBox: `0 0 ${this.width} ${this.height}`});
    const edges = this.nodes.map((node) => {
      const from = node.parent < 0 ? {x: 4, y: 30, width: 30} : this.nodes[node.parent];
      const start = from.x + from.width, middle = (start + node.x) / 2;
      return svgElement('path', {class: `edge ${node.leads ? 'best' : node.fate}`, d: `M${start} ${from.y}C${middle} ${from.y} ${middle} ${node.y} ${node.x} ${node.y}`});
    });
    svg.append(...edges.filter((e) => !e.classList.contains('best')), ...edges.filter((e) => e.classList.contains('best')),
      svgElement('text', {x: 19, y: 34, 'text-anchor': 'middle'}, '<s>'), ...this.nodes.map((node) => this.drawNode(node)));
    return svg;
  }

  drawNode(node) {
    const tell = (event) => {
      const box = event.target.getBoundingClientRect();
      tooltip.show(element('div', {}, element('div', {class: 'mono'}, node.text),
        element('div', {class: 'note'}, `${node.fate}; score ${formatNumber(node.score)}, log-probability ${formatNumber(node.logProbability)}`)),
      event.pageX || window.scrollX + box.right, event.pageY || window.scrollY + box.top);
    };
    return svgElement('g', {class: `${node.fate}${node.leads ? ' best' : ''}`, tabindex: 0, role: 'img', 'aria-label': `${node.text}: ${node.fate}, score ${formatNumber(node.score)}`,
      onpointermove: tell, onfocus: tell, onpointerleave: () => tooltip.hide(), onblur: () => tooltip.hide()},
    svgElement('rect', {x: node.x, y: node.y - 16, width: node.width, height: 32, rx: 5}),
    svgElement('text', {x: node.x + node.width / 2, y: node.y - 1, 'text-anchor': 'middle'}, clipped(node.token)),
    svgElement('text', {class: 'score', x: node.x + node.width / 2, y: node.y + 12, 'text-anchor': 'middle'}, node.score.toFixed(2)));
  }
}
