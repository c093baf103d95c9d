// Highlights the tagged spans of a text while the user types, each label in a colour of its own.
'use strict';

function taggedSpan(text, label) {
  if (!label) return element('span', {class: 'word'}, text);
  const mark = element('span', {class: 'word linked'}, text, ' ', element('small', {}, label));
  const hue = [...label].reduce((sum, letter) => (sum * 31 + letter.codePointAt(0)) % 360, 7);
  mark.style.borderColor = `hsl(${hue} 70% 50%)`;
  mark.style.background = `hsl(${hue} 70% 50% / 0.18)`;
  return mark;
}

function showTags({words, spans}) {
  const shown = [];
  for (let at = 0; at < words.length;) {
    const span = spans.find(({begin}) => begin === at) || {end: at + 1};
    const text = words.slice(at, span.end).map(({word}) => word).join(' ');
    shown.push(taggedSpan(text, span.label), ' ');
    at = span.end;
  }
  byId('tagged').replaceChildren(...shown);
}

function startTagging(taggers) {
  byId('look').before(element('section', {class: 'card', id: 'tag'}, element('h2', {}, 'Tag'),
    element('div', {class: 'controls'}, element('label', {}, 'Tagger ', element('select', {id: 'tagger'}))),
    element('textarea', {id: 'sentence', rows: 3, 'aria-label': 'Text to tag', placeholder: 'Type a text'}),
    element('div', {class: 'aligned'}, element('p', {id: 'tagged', 'aria-live': 'polite'}))));
  options('tagger', taggers.map(({name}) => ({value: name, text: name})));
  const tag = latest(async (signal) => {
    const fields = {text: byId('sentence').value, model: byId('tagger').value};
    showTags((await (await ask('tag', fields, signal)).json()).tags);
  });
  byId('sentence').addEventListener('input', tag);
  byId('tagger').addEventListener('change', tag);
}

sections.push({list: 'taggers', start: startTagging});
