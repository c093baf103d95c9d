// The report: reads the embedded data and makes a chart for each panel. All charts share one zoom,
// one cross-hair and one set of settings.
'use strict';

const colors = 7;

function readTable(table) {
  const numbers = (list) => Float64Array.from(list, (v) => (v === null ? NaN : v));
  const read = {recorded: table.recorded, columns: {}};
  for (const clock of ['step', 'epoch', 'tokens', 'seconds']) read[clock] = numbers(table[clock]);
  for (const [name, values] of Object.entries(table.columns)) read.columns[name] = numbers(values);
  return read;
}

function readRuns(list) {
  return list.map((run, index) => ({
    ...run, index, train: readTable(run.train), valid: readTable(run.valid),
    color: `var(--run${index % colors})`, dash: index >= colors ? '7 3' : null,
  }));
}

class Board {
  constructor(data) {
    this.panels = data.panels;
    this.runs = readRuns(data.runs);
    this.state = readState(this.runs, this.panels);
    this.cache = new Map();
    this.pending = false;
    this.charts = this.panels.map((panel) => new Chart(panel, this));
    byId('charts').append(...this.charts.map((chart) => chart.card));
  }

  visibleRuns() { return this.runs.filter((run) => !this.state.hidden.has(run.index)); }

  // Colour distinguishes training and validation of a single run, or several runs.
  colorOf(run, source) {
    return this.runs.length === 1 && source === 'valid' ? 'var(--run1)' : run.color;
  }

  curves(panel) {
    const found = [];
    for (const source of ['train', 'valid']) {
      if (!this.state.sources[source]) continue;
      for (const run of this.visibleRuns()) {
        const table = run[source];
        const raw = table.columns[panel.column];
        const xs = table[this.state.clock];
        if (!raw || !xs.some(Number.isFinite)) continue;
        const smooth = source === 'train' && panel.noisy && this.state.smoothing > 0;
        found.push({run, source, table, xs, raw, recorded: table.recorded, dash: run.dash,
          ys: smooth ? this.smooth(raw) : raw, color: this.colorOf(run, source),
          faint: source === 'train' && this.runs.length > 1 && Boolean(run.valid.columns[panel.column]) && this.state.sources.valid,
          label: source === 'train' ? 'training' : 'validation'});
      }
    }
    return found;
  }

  smooth(raw) {
    const cached = this.cache.get(raw);
    if (cached && cached.weight === this.state.smoothing) return cached.values;
    const values = smoothed(raw, this.state.smoothing);
    this.cache.set(raw, {weight: this.state.smoothing, values});
    return values;
  }

  // The range of the x axes: the zoom, or all records of the visible runs.
  range() {
    if (this.state.zoom) return this.state.zoom;
    let low = Infinity, high = -Infinity;
    for (const run of this.visibleRuns()) {
      for (const table of [run.train, run.valid]) {
        for (const x of table[this.state.clock]) {
          if (this.state.logX && x <= 0) continue;
          if (x < low) low = x;
          if (x > high) high = x;
        }
      }
    }
    if (!(low <= high)) return [this.state.logX ? 0.1 : 0, 1];
    if (!this.state.logX && low > 0 && low < high * 0.1) low = 0;
    return low < high ? [low, high] : [low * 0.9, high * 1.1 + (high === 0 ? 1 : 0)];
  }

  zoom(range) {
    this.state.zoom = range;
    if (range && this.state.logX) this.state.zoom = [Math.max(range[0], 1e-9), range[1]];
    this.changed();
  }

  events() {
    return this.visibleRuns().flatMap((run) => run.events.map(([step, text]) => ({
      step, text, x: this.clockAt(run, step), color: run.color})));
  }

  eventsNear(x) {
    const [low, high] = this.range();
    return this.events().filter((event) => Math.abs(event.x - x) <= (high - low) * 0.006);
  }

  clockAt(run, step) {
    if (this.state.clock === 'step') return step;
    const table = run.train.step.length ? run.train : run.valid;
    return table[this.state.clock][Math.min(table.step.length - 1, lowerBound(table.step, step))];
  }

  hover(x, owner, pointer) {
    if (x === null) tooltip.hide();
    for (const chart of this.charts) chart.showCursor(x, chart === owner, pointer);
  }

  announce(text) { byId('announcer').textContent = text; }

  // Stores the settings, and redraws all charts once before the next frame, however often it is
  // called until then.
  changed() {
    writeState(this.state, this.panels);
    if (this.pending) return;
    this.pending = true;
    requestAnimationFrame(() => { this.pending = false; this.draw(); });
  }

  draw() {
    tooltip.hide();
    byId('reset').disabled = this.state.zoom === null;
    for (const chart of this.charts) chart.draw();
  }
}

function chipLine(color, dot, dash) {
  const svg = svgElement('svg', {width: 22, height: 10, 'aria-hidden': 'true'},
    svgElement('line', {x1: 0, x2: 22, y1: 5, y2: 5, stroke: color, 'stroke-width': dot ? 2.4 : 2, 'stroke-dasharray': dash}));
  if (dot) svg.append(svgElement('circle', {cx: 11, cy: 5, r: 3.4, fill: color}));
  return svg;
}

function drawLegend(board, viewer) {
  const legend = byId('legend');
  const {state} = board;
  const chip = (label, picture, isOn, toggle, title) => {
    const button = element('button', {type: 'button', class: 'chip', title, 'aria-pressed': String(isOn())}, picture, element('span', {}, label));
    button.addEventListener('click', (event) => { toggle(event); refresh(); board.changed(); viewer.draw(); });
    return {button, isOn};
  };
  const chips = [];
  const refresh = () => { for (const {button, isOn} of chips) button.setAttribute('aria-pressed', String(isOn())); };
  const toggleRun = (run, event) => {
    if (event.shiftKey) state.hidden = new Set(board.runs.map((r) => r.index).filter((i) => i !== run.index));
    else if (!state.hidden.delete(run.index)) state.hidden.add(run.index);
  };
  if (board.runs.length > 1) {
    for (const run of board.runs) {
      chips.push(chip(run.name, chipLine(run.color, false, run.dash), () => !state.hidden.has(run.index),
        (event) => toggleRun(run, event), `${run.path}\nShift-click: only this run`));
    }
  }
  const first = chips.length;
  for (const [source, label] of [['train', 'training'], ['valid', 'validation']]) {
    if (!board.runs.some((run) => run[source].step.length > 0)) continue;
    const color = board.runs.length > 1 ? 'var(--soft)' : board.colorOf(board.runs[0], source);
    chips.push(chip(label, chipLine(color, source === 'valid'), () => state.sources[source], () => { state.sources[source] = !state.sources[source]; }, null));
  }
  legend.append(...chips.map((c) => c.button));
  if (first > 0) legend.insertBefore(element('span', {class: 'gap'}), chips[first].button);
}

function bindControls(board) {
  const {state} = board;
  for (const clock of ['step', 'epoch', 'tokens', 'seconds']) {
    const known = board.runs.some((run) => run.train[clock].some(Number.isFinite) || run.valid[clock].some(Number.isFinite));
    if (!known && state.clock === clock) state.clock = 'step';
    const radio = element('input', {type: 'radio', name: 'clock', value: clock, disabled: !known,
      onchange: () => { state.clock = clock; state.zoom = null; board.changed(); }});
    radio.checked = state.clock === clock;
    byId('axes').append(element('label', {}, radio, {step: 'step', epoch: 'epoch', tokens: 'tokens', seconds: 'time'}[clock]));
  }
  const bind = (id, key, then = () => {}) => {
    byId(id).checked = state[key];
    byId(id).addEventListener('change', () => { state[key] = byId(id).checked; then(); board.changed(); });
  };
  bind('log-x', 'logX', () => { state.zoom = null; });
  bind('log-y', 'logY');
  bind('outliers', 'ignoreOutliers');
  bind('live', 'live', () => setReload(state.live));
  const showSmoothing = () => { byId('smoothing-value').textContent = state.smoothing.toFixed(2); };
  byId('smoothing').value = state.smoothing;
  byId('smoothing').addEventListener('input', () => { state.smoothing = Number(byId('smoothing').value); showSmoothing(); board.changed(); });
  byId('reset').addEventListener('click', () => board.zoom(null));
  byId('controls').addEventListener('submit', (event) => event.preventDefault());
  showSmoothing();
  setReload(state.live);
}

let reloading = null;
function setReload(on) {
  clearTimeout(reloading);
  if (on) reloading = setTimeout(() => window.location.reload(), 20000);
}

function start() {
  const data = embeddedData();
  const board = new Board(data);
  theme.start(board.state.theme, () => writeState(board.state, board.panels));
  byId('title').textContent = board.runs.map((run) => run.name).join(', ');
  bindControls(board);
  const viewer = new SampleViewer(board);
  drawLegend(board, viewer);
  drawRemarks(board);
  drawSummary(board);
  drawResults(board);
  drawConfig(board, data.config);
  drawEvents(board);
  board.draw();
  let width = window.innerWidth;
  window.addEventListener('resize', () => {
    if (window.innerWidth !== width) { width = window.innerWidth; board.changed(); }
  });
}

start();
