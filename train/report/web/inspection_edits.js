// The output of the model with changes, beside the output without them.
'use strict';

function drawEdits(data) {
  const {edits, next, text} = data.inspection.edited;
  const row = (label, continuation) => [element('span', {class: 'label'}, label),
    element('span', {class: 'text'}, continuation)];
  byId('edits').append(element('p', {class: 'context'}, `${edits.join(', ')}.`),
    element('div', {class: 'hero'}, ...row('old', data.translation), ...row('new', text)),
    changedBars(next, data.targetTokens[data.given]));
}
