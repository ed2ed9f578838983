/** A diff as rows: what is the same stands beside each other, what differs in its place. */

import type { Diff } from "./diff";
import type { Tokens } from "./tokens";

/** Start and end in a text. */
export type Span = readonly [start: number, end: number];

/** `a` is missing for what only the second text has, `b` for what only the first has. */
export interface Piece {
  a?: Span;
  b?: Span;
}

export interface Row {
  pieces: Piece[];
  changed: boolean;
  /** Characters of the longer side. */
  length: number;
}

/** Rows end with a line; from so many characters on, with a sentence; and at the most after so many. */
const WANTED = 240;
const MOST = 480;
const ENDS = ".!?。！？";

export function* rowsOf(diff: Diff): Generator<void, Row[]> {
  const rows = new Rows(diff);
  let [a, b] = [0, 0];
  for (const run of diff.runs) {
    rows.differ(a, run.a, b, run.b);
    rows.same(run.a, run.b, run.length);
    [a, b] = [run.a + run.length, run.b + run.length];
    yield;
  }
  rows.differ(a, diff.a.ids.length, b, diff.b.ids.length);
  rows.close();
  return rows.all;
}

class Rows {
  readonly all: Row[] = [];
  private pieces: Piece[] = [];
  private changed = false;
  private lengths = { a: 0, b: 0 };
  private readonly a: Side;
  private readonly b: Side;

  constructor(diff: Diff) {
    this.a = new Side(diff.a);
    this.b = new Side(diff.b);
  }

  same(a: number, b: number, length: number): void {
    let start = 0;
    for (let token = 0; token < length; token += 1) {
      const grown = this.lengths.a + this.a.length(a + start, a + token + 1);
      if (!this.a.endsRow(a + token, grown) && !this.b.endsLine(b + token)) continue;
      this.add(this.a.span(a + start, a + token + 1), this.b.span(b + start, b + token + 1));
      this.close();
      start = token + 1;
    }
    if (start < length) this.add(this.a.span(a + start, a + length), this.b.span(b + start, b + length));
  }

  differ(a: number, endA: number, b: number, endB: number): void {
    const left = this.a.cut(a, endA, this.lengths.a);
    const right = this.b.cut(b, endB, this.lengths.b);
    const rows = Math.max(left.length, right.length);
    for (let row = 0; row < rows; row += 1) {
      if (row > 0) this.close();
      const [gone, added] = [left[row], right[row]];
      if (gone) this.add(gone.span, undefined);
      if (added) this.add(undefined, added.span);
      this.changed = true;
    }
    if (left.at(-1)?.whole || right.at(-1)?.whole) this.close();
  }

  close(): void {
    if (this.pieces.length === 0) return;
    this.all.push({ pieces: this.pieces, changed: this.changed, length: Math.max(this.lengths.a, this.lengths.b) });
    this.pieces = [];
    this.changed = false;
    this.lengths = { a: 0, b: 0 };
  }

  private add(a: Span | undefined, b: Span | undefined): void {
    this.pieces.push({ ...(a && { a }), ...(b && { b }) });
    if (a) this.lengths.a += a[1] - a[0];
    if (b) this.lengths.b += b[1] - b[0];
  }
}

/** One text, walked through from its start to its end. */
class Side {
  private line: number;

  constructor(private readonly tokens: Tokens) {
    this.line = tokens.text.indexOf("\n");
  }

  span(from: number, to: number): Span {
    return [this.start(from), this.start(to)];
  }

  length(from: number, to: number): number {
    return this.start(to) - this.start(from);
  }

  /** Whether a line ends in or behind this token. */
  endsLine(token: number): boolean {
    const start = this.start(token);
    if (this.line >= 0 && this.line < start) this.line = this.tokens.text.indexOf("\n", start);
    return this.line >= 0 && this.line < this.start(token + 1);
  }

  endsRow(token: number, length: number): boolean {
    if (length >= MOST || this.endsLine(token)) return true;
    return length >= WANTED && this.endsSentence(token);
  }

  /** Parts that each fit into a row, the first into one that holds something; `whole`: the row ends behind it. */
  cut(from: number, to: number, held: number): { span: Span; whole: boolean }[] {
    const parts: { span: Span; whole: boolean }[] = [];
    let start = from;
    for (let token = from; token < to; token += 1) {
      const length = this.length(start, token + 1) + (parts.length === 0 ? held : 0);
      const whole = this.endsRow(token, length);
      if (!whole && token + 1 < to) continue;
      parts.push({ span: this.span(start, token + 1), whole });
      start = token + 1;
    }
    return parts;
  }

  private endsSentence(token: number): boolean {
    const [start, end] = [this.start(token), this.start(token + 1)];
    // Only the end of a token is looked at, and a word is short.
    return ENDS.includes(this.tokens.text.slice(Math.max(start, end - 8), end).trimEnd().at(-1) ?? " ");
  }

  private start(token: number): number {
    return this.tokens.starts[token] ?? this.tokens.text.length;
  }
}
