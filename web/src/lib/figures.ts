/** Figures of quality, more exact than shares elsewhere on the page. */

import type { Interval } from "./types";

const oneDecimal = new Intl.NumberFormat("en", { minimumFractionDigits: 1, maximumFractionDigits: 1 });
const NARROW = "\u202f";

/** 0.98765 is "98.8 %". */
export function exactPercent(x: number | null | undefined): string {
  return x === null || x === undefined ? "–" : `${oneDecimal.format(x * 100)}${NARROW}%`;
}

/** "98.8 % (97.2 to 99.5)". */
export function withInterval(figure: Interval | null | undefined): string {
  if (figure === null || figure === undefined) return "–";
  const { value, low, high } = figure;
  return `${exactPercent(value)} (${oneDecimal.format(low * 100)} to ${oneDecimal.format(high * 100)})`;
}
