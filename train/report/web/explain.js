// The explain page: fills the lessons of explain.html.
'use strict';

// Whether the page is about a language model, which continues a prompt instead of translating.
function continuesText(data) { return data.sourceTokens.length === 0; }

function drawSentence(data) {
  const row = (label, text, kind) => [element('span', {class: 'label'}, label), element('span', {class: `text ${kind}`}, text)];
  const [first, second] = continuesText(data) ? ['prompt', 'continuation'] : ['source', 'translation'];
  byId('sentence').append(...row(first, data.source, ''), ...row(second, data.translation, 'translation'));
  if (data.model) byId('sentence').append(element('span', {class: 'label'}, 'model'), element('span', {class: 'note'}, data.model));
}

function drawTokens(data) {
  const read = continuesText(data) ? data.targetTokens.slice(0, data.given) : data.sourceTokens;
  const written = data.targetTokens.slice(data.given);
  for (const [label, words] of [['reads', read], ['writes', written]]) {
    byId('tokens').append(element('div', {class: 'tokens'}, element('span', {class: 'label'}, label), ...words.map((word) => element('span', {class: 'token'}, word))));
  }
  byId('tokens').append(element('p', {class: 'note'}, `${read.length} tokens in, ${written.length} out, of a vocabulary of ${grouped(String(data.vocabularySize))}.`));
}

// Rewrites the heading and the lesson of the steps for a language model.
function adaptLessons(data) {
  if (!continuesText(data)) return;
  byId('steps').querySelector('h2').textContent = 'The text, step by step';
  byId('steps').querySelector('.lesson').textContent = 'A language model gives every token of the vocabulary a score (a logit) for being the next one, '
    + 'and softmax turns the scores into probabilities. It does so for the tokens of the prompt too. Choose a token below to see what else it considered.';
}

// Draws what the page has of an inspection. Returns the pictures to repaint.
function drawInspection(data) {
  const found = data.inspection;
  for (const name of ['lens', 'heads', 'attribution']) byId(name).hidden = found === null;
  byId('edits').hidden = !found || found.edited === null;
  byId('patching').hidden = !found || found.patching === null;
  if (found === null) return [];
  if (found.edited) drawEdits(data);
  const pictures = [new LensViewer(data), new HeadViewer(data), new AttributionViewer(data)];
  if (found.patching) pictures.push(new PatchingViewer(data));
  return pictures;
}

function start() {
  const data = embeddedData();
  const given = new URLSearchParams(window.location.hash.slice(1)).get('theme');
  const pictures = [];
  theme.shown = () => pictures.forEach((picture) => picture.repaint());
  theme.start(given, () => window.history.replaceState(null, '', `#theme=${theme.choice}`));
  adaptLessons(data);
  drawSentence(data);
  drawTokens(data);
  new StepViewer(data);
  pictures.push(new AttentionViewer(data), new PositionViewer(data), ...drawInspection(data));
  drawNeighbours(data);
  new BeamViewer(data);
}

start();
