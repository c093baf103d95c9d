// Curves as arrays: smoothing, lookup, and paths that keep the extremes of each column of pixels.
'use strict';

// Exponential moving average with bias correction, so that the first value is unchanged. Gaps (NaN)
// stay gaps and do not affect the average.
function smoothed(values, weight) {
  const out = new Float64Array(values.length);
  let average = 0, mass = 0;
  for (let i = 0; i < values.length; ++i) {
    if (Number.isNaN(values[i])) { out[i] = NaN; continue; }
    average = weight * average + (1 - weight) * values[i];
    mass = weight * mass + (1 - weight);
    out[i] = average / mass;
  }
  return out;
}

// The first index whose x is not below the value.
function lowerBound(xs, value) {
  let from = 0, to = xs.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if (xs[middle] < value) from = middle + 1;
    else to = middle;
  }
  return from;
}

// The index of the finite point nearest to x, or -1.
function nearest(xs, ys, x) {
  let left = lowerBound(xs, x) - 1, right = left + 1;
  while (left >= 0 && !Number.isFinite(ys[left])) --left;
  while (right < xs.length && !Number.isFinite(ys[right])) ++right;
  if (left < 0) return right < xs.length ? right : -1;
  if (right >= xs.length) return left;
  return x - xs[left] <= xs[right] - x ? left : right;
}

// The curve within xScale as an SVG path. Where several points share a column of pixels, the path
// has the first, lowest, highest and last of them, so no spike is lost.
function curvePath(xs, ys, xScale, yScale) {
  const begin = Math.max(0, lowerBound(xs, xScale.low) - 1);
  const end = Math.min(xs.length, lowerBound(xs, xScale.high) + 2);
  const visible = (i) => Number.isFinite(ys[i]) && (!yScale.log || ys[i] > 0) && (!xScale.log || xs[i] > 0);
  const parts = [];
  let pen = 'M', column = NaN, low = -1, high = -1, last = -1;
  const put = (i) => {
    parts.push(pen, xScale.at(xs[i]).toFixed(1), ' ', yScale.at(ys[i]).toFixed(1));
    pen = 'L';
  };
  const flush = () => {
    for (const i of [Math.min(low, high), Math.max(low, high)]) {
      if (i >= 0 && i !== last && (i !== low || low !== high)) put(i);
    }
    if (last >= 0) put(last);
    low = high = last = -1;
  };
  for (let i = begin; i < end; ++i) {
    if (!visible(i)) { flush(); pen = 'M'; column = NaN; continue; }
    const here = Math.round(xScale.at(xs[i]));
    if (here !== column) {
      flush();
      put(i);
      column = here;
    } else {
      if (low < 0 || ys[i] < ys[low]) low = i;
      if (high < 0 || ys[i] > ys[high]) high = i;
      last = i;
    }
  }
  flush();
  return parts.join('');
}

// [lowest, highest] of the values for x in [low, high]; with `ignoreOutliers`, of the middle 98 %
// of each curve's values; with `positive`, of the values above 0. Null if there are none.
function valueRange(curves, low, high, positive, ignoreOutliers) {
  let bottom = Infinity, top = -Infinity;
  for (const {xs, ys} of curves) {
    const begin = lowerBound(xs, low), end = lowerBound(xs, high * (1 + 1e-12) + 1e-12);
    let here = [];
    for (let i = begin; i < end; ++i) {
      if (!Number.isFinite(ys[i]) || (positive && ys[i] <= 0)) continue;
      if (ignoreOutliers) here.push(ys[i]);
      if (ys[i] < bottom && !ignoreOutliers) bottom = ys[i];
      if (ys[i] > top && !ignoreOutliers) top = ys[i];
    }
    if (here.length === 0) continue;
    here = Float64Array.from(here).sort();
    const cut = Math.floor(here.length / 100);
    bottom = Math.min(bottom, here[cut]);
    top = Math.max(top, here[here.length - 1 - cut]);
  }
  return bottom <= top ? [bottom, top] : null;
}
