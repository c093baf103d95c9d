// The most probable next token after each layer, for every token that was read.
'use strict';

// <s> and the text, without its last token.
function tokensRead(data) { return ['<s>', ...data.targetTokens.slice(0, -1)]; }

function stateName(state) { return state === 0 ? 'embedding' : `layer ${state}`; }

class LensViewer {
  constructor(data) {
    this.data = data;
    this.table = element('table', {class: 'lens'});
    byId('lens').append(element('div', {class: 'wide'}, this.table));
    this.repaint();
  }

  tooltipOf(state, place) {
    const {best, target} = this.data.inspection.lens[state][place];
    const rows = best.map(({text, probability}) => element('tr', {},
      element('td', {}, element('code', {}, text)), element('td', {class: 'number'}, percent(probability))));
    return element('div', {}, element('div', {class: 'where'}, `${stateName(state)}, after ${tokensRead(this.data)[place]}`),
      element('table', {}, element('tbody', {}, ...rows)),
      element('div', {class: 'where'}, `${this.data.targetTokens[place]} follows in the text: ${percent(target)}`));
  }

  cell(state, place) {
    const {text, probability} = this.data.inspection.lens[state][place].best[0];
    const right = text === this.data.targetTokens[place];
    const cell = element('td', {class: right ? 'token right' : 'token',
      onpointerenter: (event) => tooltip.show(this.tooltipOf(state, place), event.pageX, event.pageY), onpointerleave: () => tooltip.hide()}, clipped(text));
    cell.style.background = weightColor(0.5 * probability * probability);
    return cell;
  }

  repaint() {
    const {lens} = this.data.inspection;
    const words = (kind, label, list) => element('tr', {class: kind}, element('th', {scope: 'row'}, label),
      ...list.map((word) => element('td', {class: 'token'}, clipped(word))));
    const rows = lens.map((guesses, state) => element('tr', {}, element('th', {scope: 'row'}, stateName(state)),
      ...guesses.map((_, place) => this.cell(state, place))));
    this.table.replaceChildren(element('tbody', {}, words('text', 'in the text', this.data.targetTokens), ...rows.reverse(),
      words('text', 'read', tokensRead(this.data))));
  }
}
