// Matrices as pictures: heat maps on a canvas, and heat maps and lines in SVG with words beside
// them.
'use strict';

function cssColor(name) {
  const probe = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const hex = probe.length === 4 ? probe.replace(/[^#]/g, '$&$&') : probe;
  return [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
}

function mixed(from, to, share) {
  return from.map((value, i) => Math.round(value + (to[i] - value) * share));
}

// Small weights are common and worth seeing, so colour grows with the square root.
const weightShade = (weight) => Math.sqrt(Math.min(1, Math.max(0, weight)));

function weightColor(weight) {
  return `rgb(${mixed(cssColor('--card'), cssColor('--run0'), weightShade(weight)).join(',')})`;
}

// Paints color(row, column), an [r, g, b], as one pixel.
function paintCanvas(canvas, rows, columns, color) {
  canvas.width = columns;
  canvas.height = rows;
  const context = canvas.getContext('2d');
  const image = context.createImageData(columns, rows);
  for (let row = 0; row < rows; ++row) {
    for (let column = 0; column < columns; ++column) {
      const [r, g, b] = color(row, column);
      image.data.set([r, g, b, 255], 4 * (row * columns + column));
    }
  }
  context.putImageData(image, 0, 0);
}

function paintWeights(canvas, matrix) {
  const low = cssColor('--card'), high = cssColor('--run0');
  paintCanvas(canvas, matrix.rows, matrix.columns, (row, column) => mixed(low, high, weightShade(weightAt(matrix, row, column))));
}

// From orange (negative) through the card's colour to blue (positive).
function paintSigned(canvas, rows, columns, value, largest) {
  const low = cssColor('--run1'), middle = cssColor('--card'), high = cssColor('--run0');
  paintCanvas(canvas, rows, columns, (row, column) => {
    const share = Math.max(-1, Math.min(1, value(row, column) / largest));
    return share < 0 ? mixed(middle, low, -share) : mixed(middle, high, share);
  });
}

function weightAt(matrix, row, column) {
  return matrix.thousandths[row * matrix.columns + column] / 1000;
}

function percent(share) {
  if (share > 0 && share < 0.0005) return '< 0.1 %';
  return `${(100 * share).toFixed(1)} %`;
}

// Shows tell(row, column) as the tooltip of the cell under the pointer.
function tellCells(canvas, rows, columns, tell) {
  canvas.addEventListener('pointermove', (event) => {
    const box = canvas.getBoundingClientRect();
    const row = Math.min(rows - 1, Math.floor(((event.clientY - box.top) / box.height) * rows));
    const column = Math.min(columns - 1, Math.floor(((event.clientX - box.left) / box.width) * columns));
    if (row >= 0 && column >= 0) tooltip.show(tell(row, column), event.pageX, event.pageY);
  });
  canvas.addEventListener('pointerleave', () => tooltip.hide());
}

// Long words are cut beside a matrix; the tooltips show them in full.
function clipped(word) {
  const letters = Array.from(word);
  return letters.length > 16 ? `${letters.slice(0, 15).join('')}…` : word;
}

const textWidth = (words) => Math.max(3, ...words.map((word) => Array.from(word).length)) * 7.7 + 12;

// From orange (-1) through the card's colour (0) to blue (1).
function signedColor(share) {
  const end = cssColor(share < 0 ? '--run1' : '--run0');
  return `rgb(${mixed(cssColor('--card'), end, Math.min(1, Math.abs(share))).join(',')})`;
}

// A matrix with words at its left (rows) and top (columns). Cells have the colours of attention
// weights, unless color(row, column) gives others.
function heatMap(matrix, wholeRowWords, wholeColumnWords, tell, label = 'Heat map of attention weights', color = null) {
  const rowWords = wholeRowWords.map(clipped), columnWords = wholeColumnWords.map(clipped);
  const cell = Math.max(9, Math.min(26, Math.floor(430 / Math.max(matrix.rows, matrix.columns))));
  const left = textWidth(rowWords), top = textWidth(columnWords) * 0.72 + 6;
  const width = left + matrix.columns * cell + 50, height = top + matrix.rows * cell + 6;
  const svg = svgElement('svg', {width, height, viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': label});
  columnWords.forEach((word, column) => {
    const x = left + (column + 0.5) * cell + 3;
    svg.append(svgElement('text', {transform: `translate(${x} ${top - 5}) rotate(-45)`}, word));
  });
  const low = cssColor('--card'), high = cssColor('--run0');
  rowWords.forEach((word, row) => {
    svg.append(svgElement('text', {x: left - 6, y: top + (row + 0.5) * cell + 4, 'text-anchor': 'end'}, word));
    for (let column = 0; column < matrix.columns; ++column) {
      const weight = color ? null : weightAt(matrix, row, column);
      svg.append(svgElement('rect', {class: 'cell', x: left + column * cell, y: top + row * cell, width: cell, height: cell,
        fill: color ? color(row, column) : `rgb(${mixed(low, high, weightShade(weight)).join(',')})`,
        onpointerenter: (event) => tooltip.show(tell(row, column, weight), event.pageX, event.pageY),
        onpointerleave: () => tooltip.hide()}));
    }
  });
  svg.append(svgElement('rect', {x: left, y: top, width: matrix.columns * cell, height: matrix.rows * cell, fill: 'none', stroke: 'var(--line)', 'pointer-events': 'none'}));
  return svg;
}

// A matrix as lines between two columns of words; pointing at a word dims the lines of the others.
// Weights below 2 % have no line.
function lineMap(matrix, wholeRowWords, wholeColumnWords, titles) {
  const rowWords = wholeRowWords.map(clipped), columnWords = wholeColumnWords.map(clipped);
  const step = 24, gap = 190, top = 30;
  const left = textWidth(rowWords), right = left + gap;
  const width = right + textWidth(columnWords) + 52, height = top + Math.max(matrix.rows, matrix.columns) * step + 6;
  const svg = svgElement('svg', {width, height, viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': 'Attention as lines between words'});
  svg.append(svgElement('text', {class: 'small', x: left - 8, y: 12, 'text-anchor': 'end'}, titles[0]),
    svgElement('text', {class: 'small', x: right + 8, y: 12}, titles[1]));
  const lines = [], shares = [];
  const y = (index) => top + (index + 0.5) * step;
  for (let row = 0; row < matrix.rows; ++row) {
    for (let column = 0; column < matrix.columns; ++column) {
      const weight = weightAt(matrix, row, column);
      if (weight < 0.02) continue;
      const line = svgElement('path', {d: `M${left} ${y(row)}C${left + gap / 2} ${y(row)} ${right - gap / 2} ${y(column)} ${right} ${y(column)}`,
        fill: 'none', stroke: 'var(--run0)', 'stroke-width': (0.6 + 4 * weight).toFixed(2), opacity: (0.08 + 0.92 * weight).toFixed(2)});
      lines.push({line, row, column});
      svg.append(line);
    }
  }
  const focus = (row, column) => {
    for (const entry of lines) entry.line.classList.toggle('dim', (row !== null && entry.row !== row) || (column !== null && entry.column !== column));
    shares.forEach((share, index) => {
      share.textContent = row === null ? '' : percent(weightAt(matrix, row, index));
    });
  };
  const word = (text, attributes, row, column) => svgElement('text', {...attributes, class: 'word', tabindex: 0,
    onpointerenter: () => focus(row, column), onpointerleave: () => focus(null, null), onfocus: () => focus(row, column), onblur: () => focus(null, null)}, text);
  rowWords.forEach((text, row) => svg.append(word(text, {x: left - 8, y: y(row) + 4, 'text-anchor': 'end'}, row, null)));
  columnWords.forEach((text, column) => {
    const share = svgElement('text', {class: 'small', x: width - 4, y: y(column) + 4, 'text-anchor': 'end'});
    shares.push(share);
    svg.append(word(text, {x: right + 8, y: y(column) + 4}, null, column), share);
  });
  return svg;
}
