// The positional encodings, and the cosine similarity of any two positions.
'use strict';

class PositionViewer {
  constructor(data) {
    this.matrix = data.positions;
    this.section = byId('positions');
    this.section.hidden = this.matrix.rows === 0;
    if (this.section.hidden) return;
    const {rows, columns} = this.matrix;
    this.waves = element('canvas', {role: 'img', 'aria-label': 'Positional encoding: positions down, dimensions across'});
    this.similarity = element('canvas', {role: 'img', 'aria-label': 'Similarity of positions'});
    this.waves.style.height = `${Math.max(160, Math.min(420, rows * 7))}px`;
    this.similarity.style.aspectRatio = '1';
    this.section.append(element('div', {class: 'waves'},
      element('div', {}, element('h3', {}, 'Positions down, dimensions across'), this.waves),
      element('div', {}, element('h3', {}, 'Similarity of two positions'), this.similarity)),
    element('p', {class: 'lesson note'}, 'Blue is positive, orange negative. On the right, each position is compared with each other one by the cosine between them: '
      + 'the stronger the colour, the more similar. If neighbours are similar, a head can learn "look near this token". '
      + 'With fixed waves the similarity depends only on the distance, so a head can also learn "look one token to the left".'));
    this.lengths = Array.from({length: rows}, (_, row) => Math.sqrt(this.product(row, row)) || 1);
    const distances = Array.from({length: rows}, (_, row) => this.cosine(0, row));
    this.leastSimilar = Math.min(...distances);
    tellCells(this.waves, rows, columns, (row, column) => element('span', {}, `position ${row}, dimension ${column}: ${this.value(row, column).toFixed(3)}`));
    tellCells(this.similarity, rows, rows, (row, column) => element('span', {}, `positions ${row} and ${column}: ${this.cosine(row, column).toFixed(3)}`));
    this.repaint();
  }

  value(row, column) { return this.matrix.values[row * this.matrix.columns + column]; }

  product(a, b) {
    let sum = 0;
    for (let i = 0; i < this.matrix.columns; ++i) sum += this.value(a, i) * this.value(b, i);
    return sum;
  }

  cosine(a, b) { return this.product(a, b) / (this.lengths[a] * this.lengths[b]); }

  repaint() {
    if (this.section.hidden) return;
    const {rows, columns, values} = this.matrix;
    const largest = values.reduce((most, v) => Math.max(most, Math.abs(v)), 1e-9);
    paintSigned(this.waves, rows, columns, (row, column) => this.value(row, column), largest);
    const low = cssColor('--card'), high = cssColor('--run0');
    paintCanvas(this.similarity, rows, rows, (row, column) => mixed(low, high, (this.cosine(row, column) - this.leastSimilar) / (1.0001 - this.leastSimilar)));
  }
}
