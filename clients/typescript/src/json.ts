/**
 * JSON in which no id changes: whole numbers that a `number` cannot hold become bigints, and go back as the digits they were.
 * Engines differ in whether they show the digits of a number, so these are put in quotes, with a mark that no text has by chance.
 */

const MARK = `lookalike-${Math.random().toString(36).slice(2)}${Math.random().toString(36).slice(2)}-`;
const marked = new RegExp(`"${MARK}(-?\\d+)"`, "g");

/** Where such a number may stand; looking closer is slow, so it is only done then. */
const mayBeLong = /\d{16}/;
/** The beginning of a text, or a whole number of 16 digits or more. */
const quoteOrNumber = /"|(?<![\d.eE+-])-?\d{16,}(?![\d.eE])/g;

export function parseJson<T>(text: string): T {
  if (!mayBeLong.test(text)) return JSON.parse(text) as T;
  const quoted = quoteLongNumbers(text);
  return JSON.parse(quoted, quoted === text ? undefined : revive) as T;
}

export function toJson(value: unknown): string {
  let hasLong = false;
  const text = JSON.stringify(value, (_key, inner: unknown) => {
    if (typeof inner !== "bigint") return inner;
    hasLong = true;
    return `${MARK}${inner}`;
  });
  return hasLong ? text.replace(marked, "$1") : text;
}

function revive(_key: string, value: unknown): unknown {
  if (typeof value !== "string" || !value.startsWith(MARK)) return value;
  const digits = value.slice(MARK.length);
  const number = Number(digits);
  return Number.isSafeInteger(number) ? number : BigInt(digits);
}

function quoteLongNumbers(text: string): string {
  const parts: string[] = [];
  let done = 0;
  quoteOrNumber.lastIndex = 0;
  for (let found = quoteOrNumber.exec(text); found !== null; found = quoteOrNumber.exec(text)) {
    if (found[0] === '"') {
      quoteOrNumber.lastIndex = endOfText(text, found.index);
      continue;
    }
    parts.push(text.slice(done, found.index), `"${MARK}${found[0]}"`);
    done = quoteOrNumber.lastIndex;
  }
  return done === 0 ? text : parts.join("") + text.slice(done);
}

/** The place after the closing quote of the text that begins here. */
function endOfText(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text[end - 1 - slashes] === "\\") slashes += 1;
    if (slashes % 2 === 0) return end + 1;
  }
  return text.length;
}
