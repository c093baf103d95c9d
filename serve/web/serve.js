// The page of calque serve: starts each section for which there are runs.
'use strict';

async function start() {
  theme.start('system', () => {});
  byId('key-card').addEventListener('submit', (event) => event.preventDefault());
  try {
    const runs = await (await ask('runs')).json();
    byId('key-card').hidden = !runs.key_required;
    for (const {list, start} of sections) if (runs[list].length) start(runs[list]);
  } catch (error) {
    problem.show(error.message);
  }
}

start();
