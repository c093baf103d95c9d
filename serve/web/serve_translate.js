// Translates while the user types, with the chosen model or, side by side, with all models that have its
// source language. Shows the alignment of words.
'use strict';

// Underlines the words of a translation that are more probably wrong than right.
function showConfidence(words, {words: judged}) {
  judged.forEach(({confidence}, i) => {
    words[i].classList.toggle('doubtful', confidence < 0.5);
    words[i].title = `right with a probability of ${Math.round(100 * confidence)}%`;
  });
}

// Returns a word that, while it is hovered or has the focus, highlights the words linked to it.
function alignedWord(text, own, others, numbers) {
  const word = element('span', {class: numbers.length ? 'word' : 'word unlinked', tabindex: 0}, text);
  const mark = (on) => {
    word.classList.toggle('chosen', on);
    for (const number of numbers) others[number].classList.toggle('linked', on);
  };
  for (const type of ['pointerenter', 'focus', 'pointerleave', 'blur']) {
    word.addEventListener(type, () => mark(word.matches(':hover, :focus')));
  }
  own.push(word);
  return word;
}

function alignedLine({source, target, links}, confidence) {
  const from = [], to = [];
  source.forEach((text, i) => alignedWord(text, from, to, links.filter(([s]) => s === i).map(([, t]) => t)));
  target.forEach((text, i) => alignedWord(text, to, from, links.filter(([, t]) => t === i).map(([s]) => s)));
  if (confidence) showConfidence(to, confidence);
  const row = (words) => element('p', {}, ...words.flatMap((word) => [word, ' ']));
  return element('div', {class: 'aligned'}, row(from), row(to));
}

// Aligns the lines that have words on both sides.
async function showAlignment(source, target, {name: model, confidence}, signal) {
  const to = target.split('\n');
  const lines = source.split('\n').map((line, i) => [line, to[i] || '']).filter((pair) => pair.every((line) => line.trim()));
  byId('words').hidden = lines.length === 0;
  if (lines.length === 0) return;
  const body = {source: lines.map(([line]) => line), target: lines.map(([, line]) => line), model};
  const {alignments} = await (await ask('align', body, signal)).json();
  const {confidences} = confidence ? await (await ask('confidence', body, signal)).json() : {confidences: []};
  byId('alignment').replaceChildren(...alignments.map((line, i) => alignedLine(line, confidences[i])));
}

function result(name, text, alternatives, warnings) {
  return element('div', {}, name ? element('h3', {}, name) : null, element('div', {class: 'result', 'aria-label': 'Translation'}, text),
    ...warnings.map((warning) => element('p', {}, warning)),
    element('ol', {class: 'others', 'aria-label': 'Alternatives'}, ...alternatives.map((other) => element('li', {}, other))));
}

// The line of a text area that has the cursor.
function lineAtCursor({value, selectionStart}) {
  const begin = value.slice(0, selectionStart).lastIndexOf('\n') + 1;
  return value.slice(begin).split('\n', 1)[0];
}

function startTranslating(translators) {
  byId('translate').hidden = false;
  const title = (each) => `${each.source} → ${each.target} (${each.name})`;
  options('translator', translators.map((each, i) => ({value: i, text: title(each)})));
  const chosen = () => translators[byId('translator').value];
  const relatives = () => translators.filter((each) => each !== chosen() && each.source === chosen().source);
  const translate = latest(async (signal) => {
    byId('beside-label').hidden = relatives().length === 0;
    const q = byId('source').value;
    byId('results').classList.add('old');
    const shown = byId('beside').checked ? [chosen(), ...relatives()] : [chosen()];
    const alternatives = Number(byId('alternatives').value);
    const found = await Promise.all(shown.map(async ({name, source, target}) =>
      q.trim() ? (await ask('translate', {q, source, target, model: name, alternatives}, signal)).json() : {translatedText: ''}));
    byId('results').replaceChildren(...found.map(({translatedText, alternatives: others, warnings}, i) =>
      result(shown.length > 1 ? title(shown[i]) : '', translatedText, others || [], warnings || [])));
    byId('results').classList.remove('old');
    await showAlignment(q, found[0].translatedText, chosen(), signal);
  });
  byId('source').addEventListener('input', translate);
  for (const id of ['translator', 'beside']) byId(id).addEventListener('change', translate);
  slider('alternatives', translate);
  slider('beam', () => {});
  byId('inside').addEventListener('click', () => lookInside(lineAtCursor(byId('source')), {model: chosen().name, beam: byId('beam').value}));
  translate();
}

sections.push({list: 'translators', start: startTranslating});
