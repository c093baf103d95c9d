// The distribution of each step, and how temperature, top-k and top-p would change it.
'use strict';

// The probabilities of the best tokens at a temperature, and of all others together.
function tempered(step, temperature) {
  const highest = step.best[0][1];
  const mass = (logit) => (logit === null ? 0 : Math.exp((logit - highest) / temperature));
  const best = step.best.map(([, logit]) => mass(logit));
  const rest = step.restLogits.reduce((sum, logit, i) => sum + step.restCounts[i] * mass(logit), 0);
  const total = best.reduce((a, b) => a + b, 0) + rest;
  return {best: best.map((m) => m / total), rest: rest / total};
}

// Applies temperature, then top-k, then top-p. Returns the probabilities of the best tokens (0:
// cannot be drawn), and of all others together.
function filtered(step, {temperature, topK, topP}) {
  const {best, rest} = tempered(step, temperature);
  let kept = topK > 0 ? Math.min(topK, best.length) : best.length;
  let others = topK > 0 ? 0 : rest;
  const mass = best.slice(0, kept).reduce((a, b) => a + b, 0) + others;
  if (topP < 1) {
    let sum = 0, place = 0;
    while (place < kept && sum < topP * mass) sum += best[place++];
    if (sum >= topP * mass) { kept = place; others = 0; }
    else others = Math.max(0, topP * mass - sum);
  }
  const total = best.slice(0, kept).reduce((a, b) => a + b, 0) + others;
  return {best: best.map((p, i) => (i < kept ? p / total : 0)), rest: others / total};
}

// The perplexity of a step, exp(entropy): the number of equally likely tokens with this entropy.
function perplexityOf(step) {
  const {best, rest} = tempered(step, 1);
  const part = (p) => (p > 0 ? -p * Math.log(p) : 0);
  const count = step.restCounts.reduce((a, b) => a + b, 0);
  const spread = rest > 0 ? part(rest / count) * count : 0;
  return Math.exp(best.reduce((sum, p) => sum + part(p), 0) + spread);
}

// A row of .bars: a token, its probability as a filled bar and the plain one as an outline.
function barRow(text, plain, now, chosen) {
  const outline = element('b'), filled = element('i');
  outline.style.width = `${100 * plain}%`;
  filled.style.width = `${100 * now}%`;
  const out = now === 0 && plain > 0 ? ' out' : '';
  const mark = chosen ? ' chosen' : '';
  return [element('span', {class: `piece${mark}${out}`}, text), element('span', {class: `bar${out}`}, filled, outline),
    element('span', {class: `value${out}`}, percent(now)), element('span', {class: 'value head'}, percent(plain))];
}

class StepViewer {
  constructor(data) {
    this.data = data;
    this.current = 0;
    this.choice = {temperature: 1, topK: 0, topP: 1};
    this.section = byId('steps');
    if (data.steps.length === 0) { this.section.hidden = true; return; }
    this.words = data.targetTokens.map((word, index) => this.wordButton(word, index));
    this.context = element('p', {class: 'context'});
    this.summary = element('p', {class: 'note'});
    this.bars = element('div', {class: 'bars'});
    this.section.append(element('div', {class: 'tokens', role: 'group', 'aria-label': 'Steps'}, ...this.words),
      element('p', {class: 'note'}, `The bar below each token is the probability it had when it was chosen; ${this.total()}. Arrow keys go through the steps.`),
      this.context, this.drawControls(), this.bars, this.summary);
    this.section.addEventListener('keydown', (event) => {
      if (!event.target.classList.contains('token')) return;
      const by = {ArrowRight: 1, ArrowLeft: -1}[event.key];
      if (!by) return;
      this.show(Math.min(this.words.length - 1, Math.max(0, this.current + by)));
      this.words[this.current].focus();
      event.preventDefault();
    });
    this.show(Math.min(data.given, this.words.length - 1));
  }

  total() {
    const sum = this.data.steps.reduce((logs, step) => logs + Math.log(tempered(step, 1).best[step.chosen]), 0);
    return `multiplied, they are the probability of the whole text, ${percent(Math.exp(sum))} (log-probability ${sum.toFixed(2)})`;
  }

  wordButton(word, index) {
    const step = this.data.steps[index];
    const sure = element('span', {class: 'sure'});
    sure.style.width = percent(tempered(step, 1).best[step.chosen]).replace('< ', '').replace(' ', '');
    return element('button', {type: 'button', class: 'token', 'aria-pressed': 'false', onclick: () => this.show(index)}, word, sure);
  }

  drawControls() {
    const slider = (name, key, attributes, text) => {
      const output = element('output', {}, text(this.choice[key]));
      const input = element('input', {type: 'range', id: `slider-${key}`, ...attributes, oninput: () => {
        this.choice[key] = Number(input.value);
        output.textContent = text(this.choice[key]);
        this.draw();
      }});
      input.value = this.choice[key];
      return element('label', {}, name, input, output);
    };
    return element('div', {class: 'controls'},
      slider('temperature', 'temperature', {min: 0.1, max: 2, step: 0.05}, (v) => v.toFixed(2)),
      slider('top-k', 'topK', {min: 0, max: 40, step: 1}, (v) => (v === 0 ? 'off' : String(v))),
      slider('top-p', 'topP', {min: 0.05, max: 1, step: 0.01}, (v) => (v >= 1 ? 'off' : v.toFixed(2))));
  }

  show(index) {
    this.current = index;
    this.words.forEach((word, i) => word.setAttribute('aria-pressed', String(i === index)));
    this.draw();
  }

  draw() {
    const step = this.data.steps[this.current];
    const written = this.data.targetTokens.slice(0, this.current).join(' ');
    this.context.replaceChildren(`Step ${this.current + 1} of ${this.words.length}. So far: `,
      element('code', {}, `<s> ${written}`), ' and now chooses ', element('span', {class: 'next'}, this.data.targetTokens[this.current]));
    const plain = tempered(step, 1);
    const now = filtered(step, this.choice);
    this.bars.replaceChildren(...['token', 'probability', 'now', 'model'].map((text, i) =>
      element('span', {class: i > 1 ? 'head value' : 'head'}, text)));
    const shown = step.best.map((_, i) => i).filter((i) => i < 10 || i === step.chosen);
    for (const i of shown) this.bars.append(...barRow(step.best[i][0], plain.best[i], now.best[i], i === step.chosen));
    const count = this.data.vocabularySize - shown.length;
    if (count > 0) {
      const rest = (d) => d.rest + d.best.reduce((sum, p, i) => sum + (shown.includes(i) ? 0 : p), 0);
      this.bars.append(...barRow(`${grouped(String(count))} others`, rest(plain), rest(now), false));
    }
    const perplexity = perplexityOf(step);
    const drawable = now.best.filter((p) => p > 0).length;
    this.summary.textContent = `Filled: with these settings; outline: as the model gave it. The model's choice here is as uncertain as one between ${perplexity < 10 ? perplexity.toFixed(2) : perplexity.toFixed(0)} equally likely tokens. `
      + (now.rest > 0 ? 'With these settings any token can be drawn.' : `With these settings ${drawable} token${drawable === 1 ? '' : 's'} can be drawn.`);
  }
}
