// Activation patching from another prompt: a heat map, layer by token.
'use strict';

class PatchingViewer {
  constructor(data) {
    this.data = data;
    const {against, gains, loses, before, after} = data.inspection.patching;
    this.view = element('div', {class: 'view wide'});
    byId('patching').append(element('p', {class: 'context'}, 'The other prompt: ', element('code', {}, against)),
      element('p', {class: 'note'}, `Measured by log p(${gains.text}) - log p(${loses.text}), the tokens that gain and lose the most probability: `
        + `${before.toFixed(2)} after the prompt, ${after.toFixed(2)} after the other one.`), this.view);
    this.repaint();
  }

  repaint() {
    const {tokens, before, after, patched} = this.data.inspection.patching;
    const read = tokensRead(this.data);
    const columns = tokens.map(({text}, i) => (text === read[i] ? text : `${read[i]}→${text}`));
    const states = patched.map((_, row) => patched.length - 1 - row);  // the last layer on top
    const share = (row, column) => (after > before ? (patched[states[row]][column] - before) / (after - before) : 0);
    const tell = (row, column) => element('span', {}, `${columns[column]}, ${stateName(states[row])}: ${(100 * share(row, column)).toFixed(1)} %`);
    this.view.replaceChildren(heatMap({rows: states.length, columns: columns.length}, states.map(stateName), columns, tell,
      'Heat map of patching', (row, column) => signedColor(share(row, column))));
  }
}
