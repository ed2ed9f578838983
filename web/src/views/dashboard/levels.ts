/** Thresholds and what was counted at them. */

import type { Level } from "../../lib/types";

const CLOSE = 1e-9;
const STEPS: Record<string, number> = {
  ArrowLeft: -0.01,
  ArrowDown: -0.01,
  ArrowRight: 0.01,
  ArrowUp: 0.01,
  PageDown: -0.05,
  PageUp: 0.05,
};

/** The first level at or above the threshold; above all of them the last. */
export function levelAt(levels: readonly Level[], threshold: number): Level | undefined {
  let from = 0;
  let to = levels.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((levels[middle]?.threshold ?? 0) < threshold - CLOSE) from = middle + 1;
    else to = middle;
  }
  return levels[from] ?? levels.at(-1);
}

/** The nearest whole per cent within the bounds. */
export function onGrid(threshold: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, Math.round(threshold * 100) / 100));
}

/** Where a key moves the threshold to; absent: the key is none of ours. */
export function moved(key: string, threshold: number, low: number, high: number): number | undefined {
  if (key === "Home") return low;
  if (key === "End") return high;
  const step = STEPS[key];
  return step === undefined ? undefined : onGrid(threshold + step, low, high);
}
