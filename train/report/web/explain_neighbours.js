// The tokens whose embeddings are most similar to those of the tokens on the page.
'use strict';

function drawNeighbours(data) {
  const section = byId('neighbours');
  section.hidden = data.neighbours.length === 0;
  const rows = data.neighbours.map(({token, nearest}) => element('tr', {},
    element('th', {scope: 'row'}, element('span', {class: 'token'}, token)),
    ...nearest.map(({token: other, cosine}) => element('td', {},
      element('span', {class: 'token'}, other), element('span', {class: 'note'}, ` ${cosine.toFixed(2)}`)))));
  section.append(element('div', {class: 'wide'}, element('table', {class: 'neighbours'}, element('tbody', {}, ...rows))));
}
