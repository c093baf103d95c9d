// The samples of every validation: a slider selects the step, and words that differ from the
// reference are marked.
'use strict';

// The words of a text, or the characters of a longer text without spaces.
function wordsOf(text) {
  return /\s/.test(text.trim()) || text.length < 12 ? text.split(/(?<=\s)/) : Array.from(text);
}

// For each word of `output`: whether it belongs to a longest common subsequence with the reference.
// Very long texts are not compared; all their words count as common.
function inCommon(output, reference) {
  const a = output.map((w) => w.trim()), b = reference.map((w) => w.trim());
  const rows = a.length, columns = b.length;
  const common = new Array(rows).fill(false);
  if (rows * columns > 250000) return common.fill(true);
  const length = Array.from({length: rows + 1}, () => new Uint16Array(columns + 1));
  for (let i = rows - 1; i >= 0; --i) {
    for (let j = columns - 1; j >= 0; --j) {
      length[i][j] = a[i] === b[j] ? length[i + 1][j + 1] + 1 : Math.max(length[i + 1][j], length[i][j + 1]);
    }
  }
  for (let i = 0, j = 0; i < rows && j < columns;) {
    if (a[i] === b[j]) { common[i] = true; ++i; ++j; }
    else if (length[i + 1][j] >= length[i][j + 1]) ++i;
    else ++j;
  }
  return common;
}

function markedOutput(output, reference) {
  const node = element('span', {class: 'output'});
  if (output === '') return element('span', {class: 'output note'}, '(nothing)');
  if (!reference) { node.append(output); return node; }
  const words = wordsOf(output);
  const common = inCommon(words, wordsOf(reference));
  words.forEach((word, i) => node.append(common[i] ? word : element('span', {class: 'off'}, word)));
  if (output.trim() === reference.trim()) node.append(element('span', {class: 'exact'}, '✓ exact'));
  return node;
}

// Every sentence of the runs with its outputs by run: {source, reference, outputs: Map(run -> [[step, text]])}.
function collectSentences(runs) {
  const sentences = new Map();
  for (const run of runs) {
    for (const {step, outputs} of run.samples.steps) {
      for (const [index, output] of outputs) {
        const [source, reference] = run.samples.sentences[index];
        const key = JSON.stringify([source, reference]);
        if (!sentences.has(key)) sentences.set(key, {source, reference, outputs: new Map()});
        const byRun = sentences.get(key).outputs;
        if (!byRun.has(run)) byRun.set(run, []);
        byRun.get(run).push([step, output]);
      }
    }
  }
  return [...sentences.values()];
}

function outputAt(history, step) {
  let found = null;
  for (const [at, text] of history || []) if (at <= step) found = text;
  return found;
}

function historyOf(sentence, runs) {
  const list = element('dl');
  for (const run of runs) {
    let before = null;
    for (const [step, text] of sentence.outputs.get(run) || []) {
      if (text === before) continue;
      before = text;
      list.append(element('dt', {}, `${runs.length > 1 ? `${run.name}, ` : ''}step ${formatClock('step', step)}`),
        element('dd', {}, markedOutput(text, sentence.reference)));
    }
  }
  return list;
}

class SampleViewer {
  constructor(board) {
    this.board = board;
    this.sentences = collectSentences(board.runs);
    this.steps = [...new Set(board.runs.flatMap((run) => run.samples.steps.map((s) => s.step)))].sort((a, b) => a - b);
    this.section = byId('samples');
    this.section.hidden = this.sentences.length === 0;
    if (this.section.hidden) return;
    this.most = 12;
    this.timer = null;
    this.slider = element('input', {type: 'range', id: 'sample-step', min: 0, max: this.steps.length - 1, step: 1,
      'aria-label': 'Step of the samples', oninput: () => this.draw()});
    this.slider.value = this.steps.length - 1;
    this.where = element('output', {for: 'sample-step'});
    this.play = element('button', {type: 'button', onclick: () => this.togglePlay()}, 'Play');
    this.score = element('span', {class: 'note'});
    this.list = element('div');
    this.section.append(element('div', {class: 'tools'},
      element('button', {type: 'button', 'aria-label': 'Earlier', onclick: () => this.move(-1)}, '←'), this.slider,
      element('button', {type: 'button', 'aria-label': 'Later', onclick: () => this.move(1)}, '→'), this.play, this.where, this.score), this.list);
    this.draw();
  }

  move(by) {
    this.slider.value = Number(this.slider.value) + by;
    this.draw();
  }

  togglePlay() {
    const stop = () => { clearInterval(this.timer); this.timer = null; this.play.textContent = 'Play'; };
    if (this.timer) { stop(); return; }
    if (Number(this.slider.value) === this.steps.length - 1) this.slider.value = 0;
    this.play.textContent = 'Stop';
    this.draw();
    this.timer = setInterval(() => {
      this.move(1);
      if (Number(this.slider.value) === this.steps.length - 1) stop();
    }, Math.max(80, Math.min(700, 8000 / this.steps.length)));
  }

  draw() {
    if (this.section.hidden) return;
    const step = this.steps[Number(this.slider.value)];
    const runs = this.board.visibleRuns();
    this.where.textContent = `step ${formatClock('step', step)}`;
    this.slider.setAttribute('aria-valuetext', this.where.textContent);
    this.score.textContent = runs.map((run) => this.scoreOf(run, step)).join(' · ');
    this.list.replaceChildren(...this.sentences.slice(0, this.most).map((s) => this.drawSentence(s, runs, step)));
    if (this.sentences.length > this.most) {
      this.list.append(element('button', {type: 'button', onclick: () => { this.most = Infinity; this.draw(); }}, `Show all ${this.sentences.length} sentences`));
    }
  }

  scoreOf(run, step) {
    const outputs = this.sentences.map((s) => [outputAt(s.outputs.get(run), step), s.reference]).filter(([output]) => output !== null);
    if (outputs.every(([, reference]) => !reference)) return '';
    const exact = outputs.filter(([output, reference]) => output.trim() === reference.trim()).length;
    return `${this.board.runs.length > 1 ? `${run.name}: ` : ''}${exact} of ${outputs.length} exact`;
  }

  drawSentence(sentence, runs, step) {
    const list = element('dl', {}, element('dt', {}, sentence.reference ? 'source' : 'prompt'), element('dd', {}, sentence.source));
    if (sentence.reference) list.append(element('dt', {}, 'reference'), element('dd', {}, sentence.reference));
    for (const run of runs) {
      const output = outputAt(sentence.outputs.get(run), step);
      if (output === null) continue;
      const label = this.board.runs.length > 1 ? element('dt', {}, swatchFor(run), ` ${run.name}`) : element('dt', {}, 'output');
      list.append(label, element('dd', {}, markedOutput(output, sentence.reference)));
    }
    const history = element('details', {}, element('summary', {}, 'outputs over time'));
    history.addEventListener('toggle', () => {
      if (history.open && history.children.length === 1) history.append(historyOf(sentence, runs));
    });
    return element('div', {class: 'sentence'}, list, history);
  }
}
