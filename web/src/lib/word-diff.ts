/** Two short texts in pieces, by whether the other has them. */

import { type Diff, diff } from "./diff";
import type { Tokens } from "./tokens";

export interface Piece {
  text: string;
  differs: boolean;
}

/** In one go: for texts that are compared in a few milliseconds. */
export function piecesOfBoth(a: string, b: string): [Piece[], Piece[]] {
  const compared = finished(diff(a, b));
  return [piecesOf(compared.a, compared, "a"), piecesOf(compared.b, compared, "b")];
}

function piecesOf({ text, starts, ids }: Tokens, { runs }: Diff, side: "a" | "b"): Piece[] {
  const pieces: Piece[] = [];
  const add = (from: number, to: number, differs: boolean) => {
    if (to > from) pieces.push({ text: text.slice(starts[from] ?? 0, starts[to] ?? text.length), differs });
  };
  let token = 0;
  for (const run of runs) {
    add(token, run[side], true);
    token = run[side] + run.length;
    add(run[side], token, false);
  }
  add(token, ids.length, true);
  return pieces;
}

function finished<T>(work: Generator<void, T>): T {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}
