// The values of a chart's curves at one x: as a table beside the cross-hair, and as a sentence for
// screen readers.
'use strict';

function placeText(board, x) {
  const clock = board.state.clock;
  return `${clockNames[clock]} ${formatClock(clock, x)}`;
}

// The values on the other x axes at the same record: "epoch 2.50 · tokens 1.2M".
function otherClocks(board, reading) {
  const {curve, index} = reading;
  const parts = [];
  for (const clock of ['step', 'epoch', 'tokens', 'seconds']) {
    const value = curve.table[clock][index];
    if (clock === board.state.clock || !Number.isFinite(value)) continue;
    parts.push(clock === 'seconds' ? formatClock(clock, value) : `${clock} ${formatClock(clock, value)}`);
  }
  return parts.join(' · ');
}

function readingRow(panel, {curve, index}, board, x) {
  const value = formatValue(curve.raw[index], panel.format);
  const average = curve.ys === curve.raw ? '' : `smoothed ${formatValue(curve.ys[index], panel.format)}`;
  const away = curve.xs[index] === x ? '' : `at ${formatClock(board.state.clock, curve.xs[index])}`;
  const name = board.runs.length > 1 ? `${curve.run.name}, ${curve.label}` : curve.label;
  return {name, value, average, away};
}

function readingTable(panel, readings, board, x) {
  const box = element('div', {},
    element('div', {class: 'where'}, placeText(board, x)),
    readings.length ? element('div', {class: 'where note'}, otherClocks(board, readings.find((r) => r.curve.xs[r.index] === x) || readings[0])) : null);
  const table = element('table');
  for (const reading of readings.slice(0, 24)) {
    const row = readingRow(panel, reading, board, x);
    const swatch = element('span', {class: 'swatch'});
    swatch.style.borderColor = reading.curve.color;
    table.append(element('tr', {}, element('td', {}, swatch), element('td', {}, row.name),
      element('td', {class: 'number'}, element('b', {}, row.value)), element('td', {class: 'note'}, [row.average, row.away].filter(Boolean).join(' '))));
  }
  box.append(table);
  const near = board.eventsNear(x);
  for (const {text, step} of near.slice(0, 3)) box.append(element('div', {class: 'note'}, `▲ step ${formatClock('step', step)}: ${text}`));
  if (near.length > 3) box.append(element('div', {class: 'note'}, `and ${near.length - 3} more events here`));
  return box;
}

function readingText(panel, readings, board, x) {
  const rows = readings.map((reading) => readingRow(panel, reading, board, x));
  return `${panel.title} at ${placeText(board, x)}: ${rows.map((r) => `${r.name} ${r.value} ${r.average}`).join('; ')}`;
}
