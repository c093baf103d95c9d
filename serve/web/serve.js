// The page of calque serve: translates as one types, writes text token by token and classifies, all
// through the server's own routes.
'use strict';

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

// Runs `work(signal)` a moment after the last call, and aborts the one before.
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

function lookInside(text, model) {
  if (!text.trim()) return;
  const query = new URLSearchParams({text, model, format: 'page'});
  if (byId('key').value) query.set('api_key', byId('key').value);
  byId('look').hidden = false;
  byId('explanation').src = `explain?${query}`;
  byId('look').scrollIntoView({behavior: 'smooth'});
}

function startTranslating(translators) {
  byId('translate').hidden = false;
  options('translator', translators.map((each, i) => ({value: i, text: `${each.source} → ${each.target} (${each.name})`})));
  const chosen = () => translators[byId('translator').value];
  const translate = latest(async (signal) => {
    const q = byId('source').value;
    byId('target').classList.add('old');
    const {source, target} = chosen();
    const body = {q, source, target, alternatives: Number(byId('alternatives').value)};
    const found = q.trim() ? await (await ask('translate', body, signal)).json() : {translatedText: ''};
    byId('target').textContent = found.translatedText;
    byId('target').classList.remove('old');
    byId('others').replaceChildren(...(found.alternatives || []).map((text) => element('li', {}, text)));
  });
  byId('source').addEventListener('input', translate);
  byId('translator').addEventListener('change', translate);
  slider('alternatives', translate);
  byId('inside').addEventListener('click', () => lookInside(byId('source').value, chosen().name));
}

// The probabilities that a token is drawn from, as temperature, top k and top p make them. `logs`
// are those of the best tokens; what all others have together is kept apart.
function drawn(logs, {temperature, topK, topP}) {
  const scale = temperature > 0 ? 1 / temperature : 1e6;
  const best = Math.max(...logs);
  let shares = logs.map((log) => Math.exp((log - best) * scale));
  const total = () => shares.reduce((sum, share) => sum + share, 0);
  if (topK > 0) shares = shares.map((share, i) => i < topK ? share : 0);
  let reached = 0;
  const all = total();
  shares = shares.map((share) => {
    const kept = reached < topP * all ? share : 0;
    reached += share;
    return kept;
  });
  const rest = total();
  return shares.map((share) => share / rest);
}

function startGenerating(models) {
  byId('generate').hidden = false;
  options('model', models.map(({name}) => ({value: name, text: name})));
  let next = [];  // the best next tokens: [text, log-probability]
  const settings = () => ({temperature: Number(byId('temperature').value), topK: Number(byId('top-k').value),
    topP: Number(byId('top-p').value)});
  const show = () => {
    const shares = drawn(next.map(([, log]) => log), settings());
    bars('next', next.map(([name, log], i) => ({name: name.replaceAll('\n', '⏎'), share: shares[i] || 0, outline: Math.exp(log)})));
  };
  const look = latest(async (signal) => {
    const body = {model: byId('model').value, prompt: byId('prompt').value, max_tokens: 1, temperature: 0, logprobs: 20};
    const {choices} = await (await ask('v1/completions', body, signal)).json();
    const top = choices[0].logprobs.top_logprobs[0] || {};
    next = Object.entries(top).sort((a, b) => b[1] - a[1]);
    show();
  });
  let writing = null;
  const write = async (count) => {
    if (writing) writing.abort();
    writing = new AbortController();
    byId('stop').disabled = false;
    const {temperature, topK, topP} = settings();
    const body = {model: byId('model').value, prompt: byId('prompt').value, max_tokens: count, temperature, top_k: topK,
      top_p: topP, stream: true};
    try {
      const answer = await ask('v1/completions', body, writing.signal);
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
          byId('prompt').value += data.choices[0].text;
        }
      }
      problem.hide();
    } catch (error) {
      if (!writing.signal.aborted) problem.show(error.message);
    }
    byId('stop').disabled = true;
    look();
  };
  byId('prompt').addEventListener('input', look);
  byId('model').addEventListener('change', look);
  for (const id of ['temperature', 'top-k', 'top-p']) slider(id, show);
  slider('tokens', () => {});
  byId('write').addEventListener('click', () => write(Number(byId('tokens').value)));
  byId('one').addEventListener('click', () => write(1));
  byId('stop').addEventListener('click', () => writing && writing.abort());
  byId('inside-text').addEventListener('click', () => lookInside(byId('prompt').value, byId('model').value));
  look();
}

function startClassifying(classifiers) {
  byId('classify').hidden = false;
  options('classifier', classifiers.map(({name}) => ({value: name, text: name})));
  const classify = latest(async (signal) => {
    const text = byId('text').value;
    if (!text.trim()) return bars('classes', []);
    const {classes} = await (await ask('classify', {text, model: byId('classifier').value}, signal)).json();
    bars('classes', classes.map(({label, probability}) => ({name: label, share: probability})));
  });
  byId('text').addEventListener('input', classify);
  byId('classifier').addEventListener('change', classify);
}

async function start() {
  theme.start('system', () => {});
  byId('key-card').addEventListener('submit', (event) => event.preventDefault());
  try {
    const runs = await (await ask('runs')).json();
    byId('key-card').hidden = !runs.key_required;
    if (runs.translators.length) startTranslating(runs.translators);
    if (runs.language_models.length) startGenerating(runs.language_models);
    if (runs.classifiers.length) startClassifying(runs.classifiers);
  } catch (error) {
    problem.show(error.message);
  }
}

start();
