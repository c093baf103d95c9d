// Every head of every layer and each layer's mean as a small picture, and the chosen one in full.
'use strict';

const attentionKinds = {
  cross: {
    title: 'Cross-attention', rows: 'written', columns: 'read',
    meaning: 'How the decoder attends to the source sentence while it writes: rows are the tokens it writes, columns the tokens of the source. '
      + 'Where a square stands out, a word is often paired with its translation.',
    tell: (row, column, share) => `writing ${row}, ${share} of the weight is on ${column}`,
  },
  encoder: {
    title: 'Encoder self-attention', rows: 'attending', columns: 'attended to',
    meaning: 'How the tokens of the source attend to each other, left and right, so that the vector of each depends on the whole sentence.',
    tell: (row, column, share) => `${row} gives ${column} ${share} of its weight`,
  },
  decoder: {
    title: 'Decoder self-attention', rows: 'attending', columns: 'attended to',
    meaning: 'How each token written so far attends to the tokens before it and to itself. The upper right triangle is empty: the mask hides the future. '
      + 'That is what "causal" means, and what lets training predict all positions at once without cheating.',
    tell: (row, column, share) => `${row} gives ${column} ${share} of its weight`,
  },
};

function meanOf(heads) {
  const {rows, columns} = heads[0];
  const thousandths = new Array(rows * columns).fill(0);
  for (const head of heads) head.thousandths.forEach((w, i) => { thousandths[i] += w / heads.length; });
  return {rows, columns, thousandths};
}

class AttentionViewer {
  constructor(data) {
    this.data = data;
    this.section = byId('attention');
    this.kinds = Object.keys(attentionKinds).filter((kind) => data.attention[kind].length > 0);
    this.section.hidden = this.kinds.length === 0;
    if (this.section.hidden) return;
    this.tabs = element('div', {class: 'tabs', role: 'group', 'aria-label': 'Kind of attention'},
      ...this.kinds.map((kind) => element('button', {type: 'button', 'data-kind': kind, onclick: () => this.showKind(kind)}, this.titleOf(kind))));
    this.meaning = element('p', {class: 'lesson'});
    this.grid = element('div', {class: 'heads'});
    this.views = element('div', {class: 'views'});
    this.section.append(this.tabs, this.meaning, this.grid, this.views);
    this.showKind(this.kinds[0]);
  }

  titleOf(kind) { return continuesText(this.data) ? 'Self-attention' : attentionKinds[kind].title; }

  wordsOf(kind) {
    const {sourceTokens, targetTokens} = this.data;
    const read = ['<s>', ...targetTokens.slice(0, -1)];
    return {cross: [targetTokens, sourceTokens], encoder: [sourceTokens, sourceTokens], decoder: [read, read]}[kind];
  }

  // The pictures of a kind of attention: each head, the mean of each layer, and the mean of all.
  entriesOf(heads) {
    const layers = [...new Set(heads.map((h) => h.layer))].sort((a, b) => a - b);
    const numbers = [...new Set(heads.map((h) => h.head))].sort((a, b) => a - b);
    return {layers, numbers, all: {title: 'mean of all layers and heads', matrix: meanOf(heads)},
      of: (layer, number) => {
        const matrix = heads.find((h) => h.layer === layer && h.head === number);
        return matrix && {title: `layer ${layer + 1}, head ${number + 1}${patternOf(this.data, layer, number)}`, matrix};
      },
      mean: (layer) => ({title: `layer ${layer + 1}, mean of its heads`, matrix: meanOf(heads.filter((h) => h.layer === layer))})};
  }

  showKind(kind) {
    this.kind = kind;
    for (const tab of this.tabs.children) tab.setAttribute('aria-pressed', String(tab.dataset.kind === kind));
    this.meaning.textContent = attentionKinds[kind].meaning;
    const entries = this.entriesOf(this.data.attention[kind]);
    this.grid.style.gridTemplateColumns = `repeat(${entries.numbers.length + 2}, max-content)`;
    this.thumbnails = [];
    const top = (text) => element('span', {class: 'label top'}, text);
    const cells = [element('span'), ...entries.numbers.map((n) => top(`head ${n + 1}`)), top('mean')];
    const small = Math.max(34, Math.min(84, Math.floor(900 / (entries.numbers.length + 2)) - 14));
    for (const layer of entries.layers) {
      cells.push(element('span', {class: 'label'}, `layer ${layer + 1}`));
      for (const number of entries.numbers) {
        const entry = entries.of(layer, number);
        cells.push(entry ? this.thumbnail(entry, small) : element('span'));
      }
      cells.push(this.thumbnail(entries.mean(layer), small));
    }
    this.grid.replaceChildren(...cells);
    this.choose(this.thumbnails[this.thumbnails.length - 1]);
  }

  thumbnail(entry, size) {
    const canvas = element('canvas');
    const longer = Math.max(entry.matrix.rows, entry.matrix.columns);
    canvas.style.width = `${Math.max(6, (size * entry.matrix.columns) / longer)}px`;
    canvas.style.height = `${Math.max(6, (size * entry.matrix.rows) / longer)}px`;
    paintWeights(canvas, entry.matrix);
    const button = element('button', {type: 'button', 'aria-pressed': 'false', 'aria-label': entry.title, title: entry.title}, canvas);
    const thumbnail = {...entry, canvas, button};
    button.addEventListener('click', () => this.choose(thumbnail));
    this.thumbnails.push(thumbnail);
    return button;
  }

  choose(thumbnail) {
    this.chosen = thumbnail;
    for (const each of this.thumbnails) each.button.setAttribute('aria-pressed', String(each === thumbnail));
    this.drawViews();
  }

  drawViews() {
    const [rows, columns] = this.wordsOf(this.kind);
    const kind = attentionKinds[this.kind];
    const {title, matrix} = this.chosen;
    const tell = (row, column, weight) => element('span', {}, kind.tell(rows[row], columns[column], percent(weight)));
    this.views.replaceChildren(
      element('div', {class: 'view heat'}, element('h3', {}, `${this.titleOf(this.kind)}, ${title}`), heatMap(matrix, rows, columns, tell)),
      element('div', {class: 'view lines'}, element('h3', {}, 'The same as lines: point at a word'), lineMap(matrix, rows, columns, [kind.rows, kind.columns])));
  }

  // Called after a change of theme, because pictures hold colours, not CSS variables.
  repaint() {
    if (this.section.hidden) return;
    for (const {canvas, matrix} of this.thumbnails) paintWeights(canvas, matrix);
    this.drawViews();
  }
}
