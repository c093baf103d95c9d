// Generates text token by token, and shows the probabilities of the next token.
'use strict';

// Returns the probabilities of the best tokens after temperature, top k and top p. `logs` are their
// log-probabilities, largest first, at least top k of them. The other tokens are known only by their
// total probability. They are treated as if each were as probable as the last of `logs`; at temperature 1
// this assumption changes nothing.
function samplingShares(logs, {temperature, topK, topP}) {
  const scale = temperature > 0 ? 1 / temperature : 1e6;
  const shareOf = (log) => Math.exp((log - logs[0]) * scale);
  const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);
  let shares = logs.map((log, i) => topK === 0 || i < topK ? shareOf(log) : 0);
  const last = logs[logs.length - 1];
  const unlisted = topK === 0 ? 1 - sum(logs.map(Math.exp)) : 0;
  const others = unlisted > 1e-9 ? unlisted / Math.exp(last) : 0;  // how many; at most 1e-9 is a rounding error
  let rest = others * shareOf(last);
  let reached = 0;
  const all = sum(shares) + rest;
  shares = shares.map((share) => {
    const kept = reached < topP * all ? share : 0;
    reached += share;
    return kept;
  });
  rest = Math.max(0, Math.min(rest, topP * all - reached));
  const kept = sum(shares) + rest;
  return shares.map((share) => share / kept);
}

function startGenerating(models) {
  byId('generate').hidden = false;
  options('model', models.map(({name}) => ({value: name, text: name})));
  let next = [];  // the best next tokens: [text, log-probability]
  const settings = () => ({temperature: Number(byId('temperature').value), topK: Number(byId('top-k').value),
    topP: Number(byId('top-p').value)});
  const show = () => {
    const shares = samplingShares(next.map(([, log]) => log), settings());
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
    const mine = writing = new AbortController();
    let failed = false;
    byId('stop').disabled = false;
    const {temperature, topK, topP} = settings();
    const body = {model: byId('model').value, prompt: byId('prompt').value, max_tokens: count, temperature, top_k: topK,
      top_p: topP, stream: true};
    try {
      await readEvents('v1/completions', body, mine.signal, ({choices}) => { byId('prompt').value += choices[0].text; });
      problem.hide();
    } catch (error) {
      failed = !mine.signal.aborted;
      if (failed) problem.show(error.message);
    }
    if (writing !== mine) return;
    byId('stop').disabled = true;
    if (!failed) look();  // its success would hide the message
  };
  byId('prompt').addEventListener('input', look);
  byId('model').addEventListener('change', look);
  for (const id of ['temperature', 'top-k', 'top-p']) slider(id, show);
  slider('tokens', () => {});
  byId('write').addEventListener('click', () => write(Number(byId('tokens').value)));
  byId('one').addEventListener('click', () => write(1));
  byId('stop').addEventListener('click', () => writing && writing.abort());
  byId('inside-text').addEventListener('click', () => lookInside(byId('prompt').value, {model: byId('model').value, inspect: true,
    without_heads: byId('without-heads').value, steer: byId('steer').value, against: byId('against').value}));
  look();
}

sections.push({list: 'language_models', start: startGenerating});
