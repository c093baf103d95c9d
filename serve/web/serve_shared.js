// The page of calque serve: functions that its sections share.
'use strict';

// The sections of the page: the list in the answer of /runs, and a function that takes it.
const sections = [];

const problem = {
  show(text) { byId('problem').textContent = text; byId('problem').hidden = false; },
  hide() { byId('problem').hidden = true; },
};

async function ask(path, body, signal) {
  const headers = {'Content-Type': 'application/json'};
  if (byId('key').value) headers.Authorization = `Bearer ${byId('key').value}`;
  const answer = await fetch(path, body === undefined ? {headers, signal} :
    {method: 'POST', headers, body: JSON.stringify(body), signal});
  if (answer.ok) return answer;
  const {error} = await answer.json();
  throw new Error(typeof error === 'string' ? error : error.message);
}

// Sends a request and calls `use(data)` for each event of the answer's stream.
async function readEvents(path, body, signal, use) {
  const answer = await ask(path, body, signal);
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    text += part.value;
    const events = text.split('\n\n');
    text = events.pop();
    for (const event of events) {
      if (event === 'data: [DONE]') continue;
      const data = JSON.parse(event.slice('data: '.length));
      if (data.error) throw new Error(data.error.message);
      use(data);
    }
  }
}

// Returns a function that runs `work(signal)` `wait` ms after its last call and aborts the previous run.
function latest(work, wait = 250) {
  let timer = 0, running = null;
  return () => {
    clearTimeout(timer);
    if (running) running.abort();
    timer = setTimeout(async () => {
      running = new AbortController();
      const {signal} = running;
      try {
        await work(signal);
        problem.hide();
      } catch (error) {
        if (!signal.aborted) problem.show(error.message);
      }
    }, wait);
  };
}

function options(id, items) {
  byId(id).replaceChildren(...items.map(({value, text}) => element('option', {value}, text)));
}

// Shows the value of a slider beside it.
function slider(id, changed) {
  const show = () => { byId(`${id}-shown`).textContent = byId(id).value; };
  byId(id).addEventListener('input', () => { show(); changed(); });
  show();
}

function bars(id, rows) {
  const most = Math.max(...rows.map((row) => Math.max(row.share, row.outline || 0)), 1e-9);
  byId(id).replaceChildren(...rows.flatMap((row) => {
    const bar = element('div', {class: 'bar'}, element('i'), row.outline === undefined ? null : element('b'));
    bar.querySelector('i').style.width = `${100 * row.share / most}%`;
    if (row.outline !== undefined) bar.querySelector('b').style.width = `${100 * row.outline / most}%`;
    const percent = (share) => `${(100 * share).toFixed(1)}%`;
    return [element('span', {class: 'piece'}, row.name), bar, element('span', {class: 'value'}, percent(row.share)),
      element('span', {class: 'value'}, row.outline === undefined ? '' : percent(row.outline))];
  }));
}

function lookInside(text, settings) {
  if (!text.trim()) return;
  const query = new URLSearchParams({text, ...settings, format: 'page'});
  if (byId('key').value) query.set('api_key', byId('key').value);
  byId('look').hidden = false;
  byId('explanation').src = `explain?${query}`;
  byId('look').scrollIntoView({behavior: 'smooth'});
}
