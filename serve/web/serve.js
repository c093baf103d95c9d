// The page of calque serve: classifies texts, and starts each section for which there are runs.
'use strict';

function startClassifying(classifiers) {
  byId('classify').hidden = false;
  options('classifier', classifiers.map(({name}) => ({value: name, text: name})));
  const classify = latest(async (signal) => {
    const text = byId('text').value;
    if (!text.trim()) return bars('classes', []);
    const {classes} = await (await ask('classify', {text, model: byId('classifier').value}, signal)).json();
    bars('classes', classes.map(({label, probability}) => ({name: label, share: probability})));
  });
  byId('text').addEventListener('input', classify);
  byId('classifier').addEventListener('change', classify);
}

async function start() {
  theme.start('system', () => {});
  byId('key-card').addEventListener('submit', (event) => event.preventDefault());
  try {
    const runs = await (await ask('runs')).json();
    byId('key-card').hidden = !runs.key_required;
    if (runs.translators.length) startTranslating(runs.translators);
    if (runs.language_models.length) startGenerating(runs.language_models);
    if (runs.classifiers.length) startClassifying(runs.classifiers);
  } catch (error) {
    problem.show(error.message);
  }
}

start();
