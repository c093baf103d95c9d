// The tables and lists of the page: a summary of the runs, their results, configurations, events
// and remarks.
'use strict';

function lastFinite(values) {
  for (let i = (values || []).length - 1; i >= 0; --i) if (Number.isFinite(values[i])) return i;
  return -1;
}

function bestIndex(values, better) {
  let best = -1;
  for (let i = 0; i < (values || []).length; ++i) {
    if (!Number.isFinite(values[i])) continue;
    if (best < 0 || (better === 'lower' ? values[i] < values[best] : values[i] > values[best])) best = i;
  }
  return best;
}

function swatchFor(run) {
  const swatch = element('span', {class: 'swatch'});
  swatch.style.borderColor = run.color;
  swatch.style.borderTopStyle = run.dash ? 'dashed' : 'solid';
  return swatch;
}

function lastClock(run, clock) {
  const ends = [run.train, run.valid].map((table) => table[clock][table[clock].length - 1]).filter(Number.isFinite);
  return ends.length ? Math.max(...ends) : NaN;
}

// A row for each run: how far it has come, and its best validation value of each metric that has a
// better direction. The best of several runs is bold.
function drawSummary(board) {
  const panels = board.panels.filter((p) => p.better && board.runs.some((run) => run.valid.columns[p.column]));
  const clocks = ['step', 'epoch', 'tokens', 'seconds'].filter((c) => board.runs.some((run) => Number.isFinite(lastClock(run, c))));
  const head = element('tr', {}, element('th', {scope: 'col'}, 'Run'),
    ...clocks.map((c) => element('th', {scope: 'col', class: 'number'}, clockNames[c])),
    ...panels.map((p) => element('th', {scope: 'col', class: 'number'}, `best ${p.title}`)));
  const body = element('tbody');
  const best = panels.map((p) => bestIndex(board.runs.map((run) => (run.valid.columns[p.column] || [])[bestIndex(run.valid.columns[p.column], p.better)]), p.better));
  board.runs.forEach((run, place) => {
    const row = element('tr', {}, element('td', {}, swatchFor(run), ` ${run.name}`),
      ...clocks.map((c) => element('td', {class: 'number'}, formatClock(c, lastClock(run, c)))));
    panels.forEach((p, column) => {
      const values = run.valid.columns[p.column];
      const index = bestIndex(values, p.better);
      const cell = element('td', {class: 'number'});
      if (index >= 0) {
        const bold = board.runs.length > 1 && best[column] === place;
        cell.append(element('span', {class: bold ? 'best' : ''}, formatValue(values[index], p.format)),
          element('div', {class: 'note'}, `step ${formatClock('step', run.valid.step[index])}`));
      }
      const end = (run.ends || {})[p.column];
      if (end) cell.append(element('div', {class: 'note'}, `expected end: ${formatValue(end[1], p.format)} to ${formatValue(end[2], p.format)}`));
      row.append(cell);
    });
    body.append(row);
  });
  byId('summary').append(element('div', {class: 'scroll'}, element('table', {}, element('thead', {}, head), body)));
  if (panels.length) byId('summary').append(element('p', {class: 'note'}, 'Best values are of the validation set.'));
}

// The tables of each run's last validation, such as a confusion matrix.
function drawResults(board) {
  const section = byId('tables');
  for (const run of board.runs) {
    for (const {title, columns, rows} of run.tables) {
      const head = element('tr', {}, ...columns.map((text, i) => element('th', {scope: 'col', class: i > 0 ? 'number' : ''}, text)));
      const body = element('tbody', {}, ...rows.map((row) => element('tr', {},
        ...row.map((text, i) => element(i > 0 ? 'td' : 'th', i > 0 ? {class: 'number'} : {scope: 'row'}, text)))));
      section.append(element('h3', {}, board.runs.length > 1 ? swatchFor(run) : null, board.runs.length > 1 ? ` ${run.name}: ${title}` : title),
        element('div', {class: 'scroll'}, element('table', {}, element('thead', {}, head), body)));
    }
  }
  section.hidden = board.runs.every((run) => run.tables.length === 0);
}

function drawConfig(board, config) {
  const section = byId('config');
  if (config.length === 0) { section.hidden = true; return; }
  const several = board.runs.length > 1;
  const different = config.filter((row) => row.differs);
  const all = element('input', {type: 'checkbox', id: 'all-keys'});
  const filter = element('input', {type: 'search', id: 'config-filter', placeholder: 'find a key or value', 'aria-label': 'Find a key or value in the configuration'});
  const body = element('tbody');
  const head = element('tr', {}, element('th', {scope: 'col'}, 'Key'), ...board.runs.map((run) => element('th', {scope: 'col'}, swatchFor(run), ` ${run.name}`)));
  const note = element('p', {class: 'note'});
  const draw = () => {
    const wanted = filter.value.trim().toLowerCase();
    const rows = (several && !all.checked ? different : config).filter((row) => !wanted || [row.key, ...row.values].some((text) => text.toLowerCase().includes(wanted)));
    body.replaceChildren(...rows.map((row) => element('tr', {class: row.differs && all.checked ? 'differs' : ''},
      element('td', {class: 'mono'}, row.key), ...row.values.map((value) => element('td', {class: 'mono'}, value)))));
    note.textContent = !several ? `${rows.length} keys` : `${different.length} of ${config.length} keys differ between these runs.`;
  };
  all.addEventListener('change', draw);
  filter.addEventListener('input', draw);
  const table = element('div', {class: 'scroll'}, element('table', {}, element('thead', {}, head), body));
  const tools = element('div', {class: 'tools'}, several ? element('label', {}, all, 'show every key') : null, filter);
  if (several) section.append(tools, table, note);
  else section.append(element('details', {}, element('summary', {}, `${config.length} keys`), tools, table));
  draw();
}

function drawEvents(board) {
  const list = element('ol');
  let count = 0;
  const most = 500;
  for (const run of board.runs) {
    for (const [step, text] of run.events) {
      if (++count > most) continue;
      list.append(element('li', {}, board.runs.length > 1 ? swatchFor(run) : null, ` step ${formatClock('step', step)}: ${text}`));
    }
  }
  byId('events').hidden = count === 0;
  byId('events').append(list);
  if (count > most) byId('events').append(element('p', {class: 'note'}, `and ${count - most} more in metrics.jsonl`));
}

function drawRemarks(board) {
  for (const run of board.runs) {
    for (const remark of run.remarks) byId('remarks').append(element('p', {class: 'remark'}, remark));
  }
}
