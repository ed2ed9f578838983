/**
 * JSON in which no id changes: whole numbers beyond 2^53 become bigints, where the browser lets us see their digits, and go back as
 * the digits they were.
 */

interface Source {
  source?: string;
}

type Reviver = (key: string, value: unknown, context?: Source) => unknown;

interface FaithfulJson {
  parse(text: string, reviver?: Reviver): unknown;
  rawJSON?(text: string): unknown;
}

const faithful = JSON as unknown as FaithfulJson;

/** Reviving is slow, so it is only done where such a number may stand. */
const longNumber = /(^|[^.\d])\d{16,}/;
const wholeNumber = /^-?\d+$/;

export function parseJson<T>(text: string): T {
  return faithful.parse(text, longNumber.test(text) ? keepDigits : undefined) as T;
}

export function toJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === "bigint" ? (faithful.rawJSON?.(String(inner)) ?? Number(inner)) : inner,
  );
}

function keepDigits(_key: string, value: unknown, context?: Source): unknown {
  const digits = context?.source;
  const unsafe = typeof value === "number" && !Number.isSafeInteger(value);
  return unsafe && digits !== undefined && wholeNumber.test(digits) ? BigInt(digits) : value;
}
