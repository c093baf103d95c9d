// One pair of axes: draws the visible curves of a panel, and handles the pointer and the keyboard.
'use strict';

const margin = {left: 54, right: 12, top: 8, bottom: 38};

class Chart {
  // `board` (report.js) holds the runs and the state that all charts share.
  constructor(panel, board) {
    this.panel = panel;
    this.board = board;
    this.cursor = null;
    this.svg = svgElement('svg', {
      tabindex: 0, role: 'img', 'aria-label': `${panel.title}. Arrow keys read the values.`,
    });
    this.note = element('p', {class: 'note'});
    this.logToggle = element('button', {type: 'button', onclick: () => this.toggleLog()}, 'log');
    this.logToggle.setAttribute('aria-label', `Logarithmic y axis for ${panel.title}`);
    this.widen = element('button', {type: 'button', 'aria-pressed': 'false', onclick: () => this.toggleWidth()}, 'widen');
    this.widen.setAttribute('aria-label', `Widen the chart of ${panel.title}`);
    this.card = element('article', {class: 'chart card', 'data-panel': panel.column},
      element('header', {}, element('h2', {}, panel.title), element('span', {class: 'unit'}, panel.unit),
        element('span', {class: 'buttons'}, this.logToggle, this.widen)),
      panel.meaning ? element('p', {class: 'meaning'}, panel.meaning) : null, this.svg, this.note);
    this.listen();
  }

  toggleWidth() {
    const wide = this.card.classList.toggle('wide');
    this.widen.textContent = wide ? 'narrow' : 'widen';
    this.widen.setAttribute('aria-pressed', String(wide));
    this.draw();
  }

  isLog() { return this.board.state.logY || this.board.state.logged.has(this.panel.column); }

  toggleLog() {
    const {logged} = this.board.state;
    if (!logged.delete(this.panel.column)) logged.add(this.panel.column);
    this.board.changed();
  }

  draw() {
    this.logToggle.setAttribute('aria-pressed', String(this.isLog()));
    this.width = Math.max(220, this.card.clientWidth - 24);
    this.height = this.card.classList.contains('wide') ? 380 : 224;
    this.svg.setAttribute('viewBox', `0 0 ${this.width} ${this.height}`);
    this.svg.setAttribute('height', this.height);
    this.curves = this.board.curves(this.panel);
    this.overlay = svgElement('g', {class: 'overlay'});
    this.cursor = null;
    const ready = this.curves.length > 0 && this.layOut();
    this.svg.replaceChildren(...(ready ? [this.drawAxes(), this.drawEvents(), this.drawCurves()] : [this.drawNothing()]),
      this.overlay);
    this.note.textContent = ready ? this.density() : '';
  }

  layOut() {
    const {state} = this.board;
    const [low, high] = this.board.range();
    const log = this.isLog();
    const visible = this.curves.map((curve) => ({xs: curve.xs, ys: curve.raw}));
    const wanted = valueRange(visible, low, high, log, state.ignoreOutliers);
    if (!wanted) return false;
    let [bottom, top] = wanted;
    if (log) {
      const room = Math.max(Math.log(top / bottom) * 0.05, 0.02);
      [bottom, top] = [bottom * Math.exp(-room), top * Math.exp(room)];
    } else {
      const room = (top - bottom) * 0.06 || Math.abs(top) * 0.05 || 1;
      [bottom, top] = [bottom >= 0 && bottom < room ? 0 : bottom - room, top + room];
      if (this.panel.format === 'percent' && wanted[1] <= 1) top = Math.min(top, 1.02);
    }
    this.x = makeScale(low, high, margin.left, this.width - margin.right, state.logX);
    this.y = makeScale(bottom, top, this.height - margin.bottom, margin.top, log);
    return true;
  }

  drawNothing() {
    this.x = null;
    return svgElement('text', {class: 'empty', x: this.width / 2, y: this.height / 2, 'text-anchor': 'middle'},
      this.curves.length ? 'no value that these axes can show' : 'every curve here is hidden');
  }

  drawAxes() {
    const group = svgElement('g', {});
    const right = this.width - margin.right, bottom = this.height - margin.bottom;
    const rows = this.y.log ? logTicks(this.y.low, this.y.high, 5) : linearTicks(this.y.low, this.y.high, 5);
    for (const value of rows.ticks) {
      const y = this.y.at(value).toFixed(1);
      group.append(svgElement('line', {class: 'grid', x1: margin.left, x2: right, y1: y, y2: y}),
        svgElement('text', {class: 'tick', x: margin.left - 6, y, dy: '0.32em', 'text-anchor': 'end'},
          valueTickLabel(value, rows.step, this.panel.format)));
    }
    const clock = this.board.state.clock;
    for (const value of clockTicks(clock, this.x, Math.max(2, Math.floor(this.width / 85))).ticks) {
      const x = this.x.at(value);
      const anchor = x > right - 14 ? 'end' : 'middle';
      group.append(svgElement('line', {class: 'grid', x1: x.toFixed(1), x2: x.toFixed(1), y1: margin.top, y2: bottom}),
        svgElement('text', {class: 'tick', x: anchor === 'end' ? right : x.toFixed(1), y: bottom + 15, 'text-anchor': anchor},
          clockTickLabel(clock, value)));
    }
    group.append(svgElement('text', {class: 'tick axis', x: (margin.left + right) / 2, y: bottom + 32, 'text-anchor': 'middle'}, clockNames[clock]),
      svgElement('path', {class: 'frame', d: `M${margin.left} ${margin.top}V${bottom}H${right}`}));
    return group;
  }

  drawCurves() {
    const clip = `clip-${this.panel.column.replace(/[^\w-]/g, '_')}`;
    const group = svgElement('g', {'clip-path': `url(#${clip})`});
    const area = {x: margin.left, y: margin.top - 3, width: this.width - margin.left - margin.right + 4, height: this.height - margin.top - margin.bottom + 6};
    group.append(svgElement('clipPath', {id: clip}, svgElement('rect', area)));
    for (const curve of this.curves) {
      const paint = {stroke: curve.color, 'stroke-dasharray': curve.dash};
      if (curve.ys !== curve.raw) {
        group.append(svgElement('path', {...paint, class: 'line raw', d: curvePath(curve.xs, curve.raw, this.x, this.y)}));
      }
      group.append(svgElement('path', {...paint, class: `line ${curve.source}`, 'data-run': curve.run.name,
        opacity: curve.faint ? 0.55 : 1, d: curvePath(curve.xs, curve.ys, this.x, this.y)}));
      if (curve.source === 'valid' || curve.xs.length <= 12) group.append(this.drawDots(curve));
    }
    return group;
  }

  // A dot for every visible record of a curve, if the dots do not touch.
  drawDots(curve) {
    const begin = lowerBound(curve.xs, this.x.low), end = lowerBound(curve.xs, this.x.high * (1 + 1e-12));
    const group = svgElement('g', {fill: curve.color});
    if ((end - begin) * 9 > this.width) return group;
    for (let i = begin; i < end; ++i) {
      if (!Number.isFinite(curve.ys[i]) || (this.y.log && curve.ys[i] <= 0) || (this.x.log && curve.xs[i] <= 0)) continue;
      group.append(svgElement('circle', {cx: this.x.at(curve.xs[i]).toFixed(1), cy: this.y.at(curve.ys[i]).toFixed(1), r: 2.6}));
    }
    return group;
  }

  drawEvents() {
    const group = svgElement('g', {class: 'events'});
    const bottom = this.height - margin.bottom;
    let last = -Infinity;
    for (const {x, color} of this.board.events()) {
      if (x < this.x.low || x > this.x.high || (this.x.log && x <= 0)) continue;
      const place = this.x.at(x);
      if (Math.abs(place - last) < 9) continue;
      last = place;
      group.append(svgElement('path', {class: 'event', fill: color, d: `M${place.toFixed(1)} ${bottom - 7}l4 7h-8z`}));
    }
    return group;
  }

  density() {
    const most = Math.max(...this.curves.map((c) => c.raw.length));
    const recorded = Math.max(...this.curves.map((c) => c.recorded));
    if (recorded > most) return `${grouped(String(recorded))} points, thinned to ${grouped(String(most))}; extremes kept`;
    if (most > 2 * this.width) return `${grouped(String(most))} points, drawn as the extremes of each pixel column`;
    return '';
  }

  // Draws the cross-hair at x. The chart with the pointer or the keyboard focus (`own`) also shows
  // the values.
  showCursor(x, own, pointer) {
    this.cursor = x;
    this.overlay.replaceChildren();
    if (x === null || !this.x || x < this.x.low || x > this.x.high) return;
    const place = this.x.at(x).toFixed(1);
    this.overlay.append(svgElement('line', {class: 'cross', x1: place, x2: place, y1: margin.top, y2: this.height - margin.bottom}));
    const readings = this.readings(x);
    for (const {curve, index} of readings) {
      const y = this.y.at(curve.ys[index]);
      if (!(y >= margin.top - 3 && y <= this.height - margin.bottom + 3)) continue;
      this.overlay.append(svgElement('circle', {class: 'at', cx: this.x.at(curve.xs[index]).toFixed(1), cy: y.toFixed(1), r: 4, fill: curve.color}));
    }
    if (own) {
      this.overlay.append(this.levelLine(readings, pointer));
      const box = this.svg.getBoundingClientRect();
      tooltip.show(readingTable(this.panel, readings, this.board, x),
        window.scrollX + box.left + Number(place), window.scrollY + box.top + (pointer ? pointer.y : this.height / 2));
    }
  }

  // The horizontal line of the cross-hair, at the curve nearest to the pointer or, without a
  // pointer, at the first one.
  levelLine(readings, pointer) {
    const levels = readings.map(({curve, index}) => this.y.at(curve.ys[index])).filter(Number.isFinite);
    if (levels.length === 0) return svgElement('g');
    const wanted = pointer ? pointer.y : levels[0];
    const y = levels.reduce((best, l) => (Math.abs(l - wanted) < Math.abs(best - wanted) ? l : best)).toFixed(1);
    return svgElement('line', {class: 'cross', x1: margin.left, x2: this.width - margin.right, y1: y, y2: y});
  }

  readings(x) {
    const found = [];
    for (const curve of this.curves) {
      const index = nearest(curve.xs, curve.ys, x);
      if (index >= 0) found.push({curve, index});
    }
    return found;
  }

  // The recorded x nearest to the given x, so that the cross-hair is always on a record.
  snap(x) {
    const places = this.readings(x).map(({curve, index}) => curve.xs[index]);
    return places.length ? places.reduce((a, b) => (Math.abs(b - x) < Math.abs(a - x) ? b : a)) : x;
  }

  listen() {
    let from = null;
    const place = (event) => {
      const box = this.svg.getBoundingClientRect();
      return {x: (event.clientX - box.left) * (this.width / box.width), y: (event.clientY - box.top) * (this.height / box.height)};
    };
    this.svg.addEventListener('pointerdown', (event) => {
      if (event.button !== 0 || !this.x) return;
      from = place(event).x;
      this.svg.setPointerCapture(event.pointerId);
    });
    this.svg.addEventListener('pointermove', (event) => {
      if (!this.x) return;
      const here = place(event);
      this.board.hover(this.snap(this.x.back(here.x)), this, here);
      if (from !== null) this.overlay.append(this.selection(from, here.x));
    });
    this.svg.addEventListener('pointerup', (event) => {
      const to = place(event).x;
      if (from !== null && Math.abs(to - from) > 5) {
        const clamp = (x) => Math.min(Math.max(x, margin.left), this.width - margin.right);
        const ends = [this.x.back(clamp(from)), this.x.back(clamp(to))].sort((a, b) => a - b);
        if (ends[1] > ends[0]) this.board.zoom(ends);
      }
      from = null;
    });
    this.svg.addEventListener('pointercancel', () => { from = null; });
    this.svg.addEventListener('pointerleave', () => { if (from === null) this.board.hover(null, this); });
    this.svg.addEventListener('dblclick', () => this.board.zoom(null));
    this.svg.addEventListener('blur', () => this.board.hover(null, this));
    this.svg.addEventListener('keydown', (event) => this.onKey(event));
  }

  selection(from, to) {
    return svgElement('rect', {class: 'selection', x: Math.min(from, to), width: Math.abs(to - from),
      y: margin.top, height: this.height - margin.top - margin.bottom});
  }

  onKey(event) {
    if (!this.x || event.ctrlKey || event.metaKey || event.altKey) return;
    const {xs} = this.curves.reduce((a, b) => (b.xs.length > a.xs.length ? b : a));
    const [low, high] = [this.x.low, this.x.high];
    const middle = this.cursor ?? (low + high) / 2;
    const stride = Math.max(1, Math.round((lowerBound(xs, high) - lowerBound(xs, low)) / 200)) * (event.shiftKey ? 10 : 1);
    const walk = (by) => xs[Math.min(xs.length - 1, Math.max(0, lowerBound(xs, middle) + by))];
    const around = (factor) => [middle - (middle - low) * factor, middle + (high - middle) * factor];
    const moves = {ArrowLeft: () => walk(-stride), ArrowRight: () => walk(stride), Home: () => xs[lowerBound(xs, low)], End: () => xs[Math.max(0, lowerBound(xs, high) - 1)]};
    if (moves[event.key]) {
      const x = moves[event.key]();
      this.board.hover(Math.min(high, Math.max(low, x)), this, null);
      this.board.announce(readingText(this.panel, this.readings(x), this.board, x));
    } else if (event.key === '+' || event.key === '=') {
      this.board.zoom(around(0.6));
    } else if (event.key === '-') {
      this.board.zoom(around(1 / 0.6));
    } else if (event.key === 'Escape') {
      this.board.hover(null, this);
      this.board.zoom(null);
    } else {
      return;
    }
    event.preventDefault();
  }
}
