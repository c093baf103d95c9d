// The explain page: puts the lessons together.
'use strict';

function drawSentence(data) {
  const row = (label, text, kind) => [element('span', {class: 'label'}, label), element('span', {class: `text ${kind}`}, text)];
  byId('sentence').append(...row('source', data.source, ''), ...row('translation', data.translation, 'translation'));
  if (data.model) byId('sentence').append(element('span', {class: 'label'}, 'model'), element('span', {class: 'note'}, data.model));
}

function drawTokens(data) {
  for (const [label, words] of [['reads', data.sourceTokens], ['writes', data.targetTokens]]) {
    byId('tokens').append(element('div', {class: 'tokens'}, element('span', {class: 'label'}, label), ...words.map((word) => element('span', {class: 'token'}, word))));
  }
  byId('tokens').append(element('p', {class: 'note'}, `${data.sourceTokens.length} tokens in, ${data.targetTokens.length} out, of a vocabulary of ${grouped(String(data.vocabularySize))}.`));
}

function start() {
  const data = embeddedData();
  const given = new URLSearchParams(window.location.hash.slice(1)).get('theme');
  const pictures = [];
  theme.shown = () => pictures.forEach((picture) => picture.repaint());
  theme.start(given, () => window.history.replaceState(null, '', `#theme=${theme.choice}`));
  drawSentence(data);
  drawTokens(data);
  new StepViewer(data);
  pictures.push(new AttentionViewer(data), new PositionViewer(data));
  new BeamViewer(data);
}

start();
