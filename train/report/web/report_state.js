// The settings of the page, kept in the URL fragment, so that a reload, a bookmark or a second tab
// shows the same.
'use strict';

function defaultState() {
  return {clock: 'step', logX: false, logY: false, smoothing: 0, ignoreOutliers: false, live: false,
    hidden: new Set(), logged: new Set(), sources: {train: true, valid: true}, zoom: null, theme: 'system'};
}

function readState(runs, panels) {
  const state = defaultState();
  const given = new URLSearchParams(window.location.hash.slice(1));
  if (['step', 'epoch', 'tokens', 'seconds'].includes(given.get('over'))) state.clock = given.get('over');
  state.logX = given.get('logx') === '1';
  state.logY = given.get('logy') === '1';
  state.ignoreOutliers = given.get('outliers') === '0';
  state.live = given.get('live') === '1';
  const smoothing = Number(given.get('smooth'));
  if (smoothing > 0 && smoothing <= 0.99) state.smoothing = smoothing;
  for (const index of (given.get('hide') || '').split(',')) if (runs[index] && index !== '') state.hidden.add(Number(index));
  const logged = given.has('log') ? given.get('log').split(',') : panels.filter((p) => p.log).map((p) => p.column);
  state.logged = new Set(logged);
  for (const source of ['train', 'valid']) if (given.get(source) === '0') state.sources[source] = false;
  const zoom = (given.get('zoom') || '').split('~').map(Number);
  if (zoom.length === 2 && zoom[0] < zoom[1]) state.zoom = zoom;
  if (given.has('theme')) state.theme = given.get('theme');
  return state;
}

function writeState(state, panels) {
  const kept = new URLSearchParams();
  if (state.clock !== 'step') kept.set('over', state.clock);
  if (state.logX) kept.set('logx', '1');
  if (state.logY) kept.set('logy', '1');
  if (state.ignoreOutliers) kept.set('outliers', '0');
  if (state.live) kept.set('live', '1');
  if (state.smoothing > 0) kept.set('smooth', String(state.smoothing));
  if (state.hidden.size > 0) kept.set('hide', [...state.hidden].join(','));
  const usual = panels.filter((p) => p.log).map((p) => p.column).join(',');
  if ([...state.logged].join(',') !== usual) kept.set('log', [...state.logged].join(','));
  for (const source of ['train', 'valid']) if (!state.sources[source]) kept.set(source, '0');
  if (state.zoom) kept.set('zoom', state.zoom.map((x) => Number(x.toPrecision(6))).join('~'));
  if (theme.choice !== 'system') kept.set('theme', theme.choice);
  const hash = kept.toString();
  window.history.replaceState(null, '', hash ? `#${hash}` : window.location.pathname + window.location.search);
}
