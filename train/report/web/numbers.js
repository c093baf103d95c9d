// Formats numbers for people, and computes axes: scales, and ticks at round values.
'use strict';

function grouped(text) {
  return text.replace(/\B(?=(\d{3})+$)/g, ',');
}

function shortNumber(value, digits = 3) {
  const size = Math.abs(value);
  for (const [unit, sign] of [[1e9, 'G'], [1e6, 'M'], [1e3, 'k']]) {
    if (size >= unit * 0.9995) return `${trimmed(value / unit, digits)}${sign}`;
  }
  return trimmed(value, digits);
}

function trimmed(value, digits) {
  const text = value.toPrecision(digits);
  if (text.includes('e')) return String(Number(text));
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}

function formatNumber(value) {
  const size = Math.abs(value);
  if (value === 0) return '0';
  if (size < 1e-3) return value.toExponential(2);
  if (size >= 1e7) return value.toExponential(3);
  if (size >= 1000) return grouped(value.toFixed(0));
  return value.toPrecision(4);
}

function formatValue(value, format) {
  if (!Number.isFinite(value)) return 'none';
  if (format === 'percent') return `${(100 * value).toFixed(2)} %`;
  if (format === 'short') return shortNumber(value, 4);
  return formatNumber(value);
}

function formatDuration(seconds) {
  if (seconds < 60) return `${trimmed(seconds, 3)} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s`;
  const minutes = Math.floor((seconds % 3600) / 60);
  if (seconds < 172800) return `${Math.floor(seconds / 3600)} h ${minutes} min`;
  return `${Math.floor(seconds / 86400)} d ${Math.floor((seconds % 86400) / 3600)} h`;
}

const clockNames = {step: 'step', epoch: 'epoch', tokens: 'tokens', seconds: 'time trained'};

function formatClock(clock, value) {
  if (!Number.isFinite(value)) return 'unknown';
  if (clock === 'step') return grouped(value.toFixed(0));
  if (clock === 'epoch') return value.toFixed(2);
  if (clock === 'tokens') return shortNumber(value, 4);
  return formatDuration(value);
}

// Maps [low, high] to [from, to], linearly or, if `log` is set, logarithmically.
function makeScale(low, high, from, to, log) {
  const warp = log ? Math.log : (v) => v;
  const unwarp = log ? Math.exp : (v) => v;
  const start = warp(low), span = warp(high) - start || 1;
  return {
    low, high, log,
    at: (value) => from + ((warp(value) - start) / span) * (to - from),
    back: (place) => unwarp(start + ((place - from) / (to - from)) * span),
  };
}

function roundStep(span, count, steps = [1, 2, 5, 10]) {
  const rough = span / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(rough));
  return power * (steps.find((s) => s * power >= rough * 0.999) || 10);
}

function linearTicks(low, high, count, step = roundStep(high - low, count)) {
  const ticks = [];
  const most = 1000;  // a limit, because rounding may make i + 1 equal i
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9 && ticks.length < most; ++i) {
    ticks.push(i * step);
  }
  return {ticks, step};
}

function logTicks(low, high, count) {
  const decades = Math.log10(high / low);
  if (decades < 0.7) return linearTicks(low, high, count);
  const within = decades > count ? [1] : decades > count / 2.5 ? [1, 3] : [1, 2, 5];
  const every = Math.max(1, Math.ceil(decades / count));
  const ticks = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); ++power) {
    if (power % every !== 0) continue;
    for (const w of within) {
      const value = w * 10 ** power;
      if (value >= low * 0.9999 && value <= high * 1.0001) ticks.push(value);
    }
  }
  return {ticks, step: 0};
}

const durations = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 21600, 43200, 86400];

function timeTicks(low, high, count) {
  const rough = (high - low) / count;
  if (rough < 1) return linearTicks(low, high, count);
  const step = durations.find((d) => d >= rough) || 86400 * Math.ceil(rough / 86400);
  return linearTicks(low, high, count, step);
}

function clockTicks(clock, scale, count) {
  if (scale.log) return logTicks(scale.low, scale.high, count);
  if (clock === 'seconds') return timeTicks(scale.low, scale.high, count);
  const found = linearTicks(scale.low, scale.high, count);
  return clock === 'step' && found.step < 1 ? linearTicks(scale.low, scale.high, count, 1) : found;
}

function clockTickLabel(clock, value) {
  if (clock !== 'seconds') return value === 0 ? '0' : shortNumber(value, 4);
  if (value === 0) return '0';
  if (value < 60) return `${trimmed(value, 3)} s`;
  if (value < 3600) return `${trimmed(value / 60, 3)} min`;
  return `${trimmed(value / 3600, 3)} h`;
}

// The number of decimals that distinguishes multiples of the step.
function decimals(step) {
  return Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
}

function valueTickLabel(value, step, format) {
  if (format === 'percent') return `${step > 0 ? (100 * value).toFixed(decimals(100 * step)) : trimmed(100 * value, 3)}%`;
  if (format === 'short' || Math.abs(value) >= 10000) return shortNumber(value, 4);
  if (value !== 0 && (step > 0 ? step < 1e-3 : Math.abs(value) < 1e-3)) return Number(value.toPrecision(4)).toExponential();
  if (value === 0) return '0';
  if (step > 0) return value.toFixed(decimals(step));
  return trimmed(value, 3);
}
