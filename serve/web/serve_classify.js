// Classifies a text while the user types.
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

sections.push({list: 'classifiers', start: startClassifying});
