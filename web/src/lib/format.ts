/** Numbers, times and names as the page writes them. */

import type { Id } from "./types";

const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const oneDecimal = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });
const NOT_KNOWN = "–";
/** A number and its unit must not be parted at the end of a line. */
const NARROW = "\u202f";

export function count(n: number): string {
  return whole.format(n);
}

/** With its sign, for changes. */
export function change(n: number): string {
  if (n === 0) return "±0";
  return n > 0 ? `+${count(n)}` : `−${count(-n)}`;
}

/** "1 document", "2,000 documents". */
export function plural(n: number, one: string, many = `${one}s`): string {
  return `${count(n)} ${n === 1 ? one : many}`;
}

/** A share: 0.1234 is "12 %", 0.0123 is "1.2 %". */
export function percent(x: number): string {
  const hundredths = x * 100;
  if (hundredths > 0 && hundredths < 0.1) return `< 0.1${NARROW}%`;
  return `${(hundredths < 10 ? oneDecimal : whole).format(hundredths)}${NARROW}%`;
}

/** 0.93 is "93 %". Above 0.99 there is a decimal, and only what is equal is "100 %". */
export function similarity(x: number | null | undefined): string {
  if (x === null || x === undefined) return NOT_KNOWN;
  const shown = x > 0.99 && x < 1 ? oneDecimal.format(Math.floor(x * 1000) / 10) : whole.format(x * 100);
  return `${shown}${NARROW}%`;
}

/** The day, in UTC so that the day a document carries stays what it is. A text that is no date stays as it is. */
export function date(when: number | string | null | undefined): string {
  if (when === null || when === undefined || when === "") return NOT_KNOWN;
  const day = new Date(typeof when === "number" ? when * 1000 : when);
  return Number.isNaN(day.getTime()) ? String(when) : day.toISOString().slice(0, 10);
}

/** Day and time where the reader is, for what happened in the service. */
export function moment(seconds: number | null | undefined): string {
  if (seconds === null || seconds === undefined) return NOT_KNOWN;
  const then = new Date(seconds * 1000);
  if (Number.isNaN(then.getTime())) return String(seconds);
  const two = (n: number) => String(n).padStart(2, "0");
  const day = [then.getFullYear(), two(then.getMonth() + 1), two(then.getDate())].join("-");
  return `${day} ${two(then.getHours())}:${two(then.getMinutes())}`;
}

export function duration(seconds: number): string {
  if (seconds < 1) return `${Math.round(seconds * 1000)}${NARROW}ms`;
  if (seconds < 60) return `${oneDecimal.format(seconds)}${NARROW}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)}${NARROW}s`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
  return plural(Math.round(seconds / 86_400), "day");
}

export function bytes(n: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let size = n;
  let unit = 0;
  while (size >= 999.5 && unit < units.length - 1) {
    size /= 1000;
    unit += 1;
  }
  return `${(unit > 0 && size < 10 ? oneDecimal : whole).format(size)}${NARROW}${units[unit]}`;
}

export function idText(id: Id): string {
  return String(id);
}

/** A document by its id, and by the labels that part it from others of the same id. */
export function nameText({ id, labels }: { id: Id; labels?: readonly string[] }): string {
  return labels === undefined || labels.length === 0 ? idText(id) : `${idText(id)} (${labels.join(", ")})`;
}

/** For maps and lists: 17 and "17" are two ids. */
export function idKey(id: Id): string {
  return `${typeof id} ${id}`;
}

/** What a document is called: its title, or else its name. */
export function titleOf({ id, labels, title }: { id: Id; labels?: readonly string[]; title?: string | null }): string {
  return title?.trim() || nameText({ id, labels });
}

/** A first word such as `features.weight` or `log_level`, or one in backquotes. */
const beginsWithKey = /^(`|[^\s.]*(_|\.\w))/;

/** Messages of the service begin in lower case, for the command line. A key stays as it is written. */
export function sentence(message: string): string {
  const text = message.trim();
  const end = /[.!?:…]$/.test(text) ? "" : ".";
  return (beginsWithKey.test(text) ? text : text.slice(0, 1).toUpperCase() + text.slice(1)) + end;
}
