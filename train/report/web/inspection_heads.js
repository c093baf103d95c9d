// The pattern of every head, and the next token without its output.
'use strict';

// ': induction', or nothing without an inspection or a name.
function patternOf(data, layer, head) {
  const found = data.inspection && data.inspection.heads.find((each) => each.layer === layer && each.head === head);
  return found && found.pattern ? `: ${found.pattern}` : '';
}

// The probabilities of tokens before and after a change, as bars: [{text, before, after}].
function changedBars(tokens, target) {
  return element('div', {class: 'bars'}, ...['next token', 'probability', 'new', 'old'].map((text, i) =>
    element('span', {class: i > 1 ? 'head value' : 'head'}, text)),
  ...tokens.flatMap(({text, before, after}) => barRow(text, before, after, text === target)));
}

class HeadViewer {
  constructor(data) {
    this.data = data;
    const {heads, lens} = data.inspection;
    this.heads = heads;
    this.old = lens[lens.length - 1][data.given].target;
    this.layers = Math.max(...heads.map((each) => each.layer)) + 1;
    this.columns = Math.max(...heads.map((each) => each.head)) + 1;
    this.grid = element('div', {class: 'heads'});
    this.grid.style.gridTemplateColumns = `repeat(${this.columns + 1}, max-content)`;
    this.view = element('div', {'aria-live': 'polite'});
    byId('heads').append(this.grid, element('p', {class: 'note'},
      `The colour is what the probability of ${data.targetTokens[data.given]}, the next token, loses (orange) or gains (blue) without the head.`), this.view);
    this.repaint();
    const change = (each) => Math.abs(Math.log(each.without.target / this.old));
    this.choose(heads.reduce((most, each) => (change(each) > change(most) ? each : most)));
  }

  button(head) {
    const button = element('button', {type: 'button', class: 'pattern', onclick: () => this.choose(head)}, head.pattern || 'other');
    button.style.background = signedColor(0.4 * Math.log(head.without.target / this.old));
    return button;
  }

  repaint() {
    const top = Array.from({length: this.columns}, (_, head) => element('span', {class: 'label top'}, `head ${head + 1}`));
    const cells = [element('span'), ...top];
    this.buttons = new Map();
    for (let layer = 0; layer < this.layers; ++layer) {
      cells.push(element('span', {class: 'label'}, `layer ${layer + 1}`));
      for (const head of this.heads.filter((each) => each.layer === layer)) {
        const button = this.button(head);
        this.buttons.set(head, button);
        cells.push(button);
      }
    }
    this.grid.replaceChildren(...cells);
    if (this.chosen) this.choose(this.chosen);
  }

  choose(head) {
    this.chosen = head;
    for (const [each, button] of this.buttons) button.setAttribute('aria-pressed', String(each === head));
    const scores = ['previous', 'first', 'own', 'induction'].map((name) => `${name} ${head[name] === null ? 'not measured' : percent(head[name])}`);
    this.view.replaceChildren(element('h3', {}, `Without layer ${head.layer + 1}, head ${head.head + 1}`),
      element('p', {class: 'note'}, `Attention to each pattern: ${scores.join(', ')}.`), changedBars(head.without.next, this.data.targetTokens[this.data.given]));
  }
}
