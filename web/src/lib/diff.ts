/**
 * What two texts have in common, in order.
 *
 * Runs of words that occur once in either text are anchors; between them shorter runs are, and what is left goes through Myers'
 * algorithm. All of it is bounded: what is too different to be worth the time counts as replaced as a whole, and very long texts are
 * compared by sentences. The work pauses with `yield`.
 */

import { sharedOnce } from "./grams";
import { longestRising } from "./rising";
import { type Level, type Tokens, tokensOf } from "./tokens";

/** Tokens that are the same in both, from these places on. */
export interface Run {
  a: number;
  b: number;
  length: number;
}

export interface Diff {
  level: Level;
  a: Tokens;
  b: Tokens;
  /** Rising in both. */
  runs: Run[];
  /** False: some parts were too different, and count as replaced. */
  complete: boolean;
}

interface Range {
  a: number;
  endA: number;
  b: number;
  endB: number;
  /** How many lengths of anchors were tried. */
  tried: number;
}

/** Characters of both texts above which sentences are compared. */
const LARGE = 6_000_000;
const ANCHORS = [6, 3, 1];
/** Tokens of both sides for which anchors do not pay. */
const SMALL = 300;
/** Edits in one stretch above which it counts as replaced. */
const MOST_EDITS = 800;
/** Steps of Myers' algorithm in all stretches together. */
const MOST_STEPS = 20_000_000;
const PAUSE_EVERY = 8192;

export function* diff(textA: string, textB: string): Generator<void, Diff> {
  const level = textA.length + textB.length > LARGE ? "sentences" : "words";
  const [a, b] = yield* tokensOf(textA, textB, level);
  const comparison = new Comparison(a.ids, b.ids);
  yield* comparison.run();
  const runs = joined(comparison.runs);
  return { level, a, b, runs: level === "words" ? meaningful(runs, a.ids.length, b.ids.length) : runs, complete: comparison.complete };
}

class Comparison {
  readonly runs: Run[] = [];
  complete = true;
  private steps = 0;

  constructor(
    private readonly a: Int32Array,
    private readonly b: Int32Array,
  ) {}

  *run(): Generator<void, void> {
    const open: Range[] = [{ a: 0, endA: this.a.length, b: 0, endB: this.b.length, tried: 0 }];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const range = this.trimmed(next);
      if (range.a === range.endA || range.b === range.endB) continue;
      const words = ANCHORS[range.tried];
      const small = range.endA - range.a + (range.endB - range.b) <= SMALL;
      if (small || words === undefined) yield* this.myers(range);
      else for (const between of yield* this.anchored(range, words)) open.push(between);
    }
  }

  /** Takes what both begin and end with. */
  private trimmed({ a, endA, b, endB, tried }: Range): Range {
    const start = a;
    while (a < endA && b < endB && this.a[a] === this.b[b]) {
      a += 1;
      b += 1;
    }
    this.found(start, b - (a - start), a - start);
    const end = endA;
    while (a < endA && b < endB && this.a[endA - 1] === this.b[endB - 1]) {
      endA -= 1;
      endB -= 1;
    }
    this.found(endA, endB, end - endA);
    return { a, endA, b, endB, tried };
  }

  private found(a: number, b: number, length: number): void {
    if (length > 0) this.runs.push({ a, b, length });
  }

  /** Takes the runs around anchors, and returns what lies between them. */
  private *anchored(range: Range, words: number): Generator<void, Range[]> {
    const shared = yield* sharedOnce(
      { ids: this.a, from: range.a, to: range.endA },
      { ids: this.b, from: range.b, to: range.endB },
      words,
    );
    const between: Range[] = [];
    let [a, b] = [range.a, range.b];
    for (const place of longestRising(shared.map((one) => one.b))) {
      const anchor = shared[place];
      // Most anchors lie in the run of the one before.
      if (anchor === undefined || anchor.a < a || anchor.b < b) continue;
      const run = this.extended({ ...anchor, length: words }, a, b, range);
      this.runs.push(run);
      between.push({ a, endA: run.a, b, endB: run.b, tried: range.tried + 1 });
      [a, b] = [run.a + run.length, run.b + run.length];
    }
    between.push({ a, endA: range.endA, b, endB: range.endB, tried: range.tried + 1 });
    return between;
  }

  private extended(anchor: Run, leastA: number, leastB: number, { endA, endB }: Range): Run {
    let { a, b } = anchor;
    while (a > leastA && b > leastB && this.a[a - 1] === this.b[b - 1]) {
      a -= 1;
      b -= 1;
    }
    let length = anchor.a + anchor.length - a;
    while (a + length < endA && b + length < endB && this.a[a + length] === this.b[b + length]) length += 1;
    return { a, b, length };
  }

  /** The greedy algorithm of Myers 1986, which keeps the furthest places of every round to find its way back. */
  private *myers(range: Range): Generator<void, void> {
    const [lengthA, lengthB] = [range.endA - range.a, range.endB - range.b];
    const most = Math.min(lengthA + lengthB, MOST_EDITS);
    const furthest = new Int32Array(2 * most + 3);
    const middle = most + 1;
    const rounds: Int32Array[] = [];
    for (let edits = 0; edits <= most && this.steps < MOST_STEPS; edits += 1) {
      for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
        const below = furthest[middle + diagonal + 1] ?? 0;
        const beside = furthest[middle + diagonal - 1] ?? 0;
        let x = diagonal === -edits || (diagonal !== edits && beside < below) ? below : beside + 1;
        while (x < lengthA && x - diagonal < lengthB && this.a[range.a + x] === this.b[range.b + x - diagonal]) x += 1;
        furthest[middle + diagonal] = x;
        this.steps += 1;
        if (this.steps % PAUSE_EVERY === 0) yield;
        if (diagonal === lengthA - lengthB && x >= lengthA) {
          this.wayBack(range, rounds, edits);
          return;
        }
      }
      rounds.push(furthest.slice(middle - edits, middle + edits + 1));
    }
    this.complete = false;
  }

  private wayBack(range: Range, rounds: readonly Int32Array[], edits: number): void {
    let x = range.endA - range.a;
    let diagonal = x - (range.endB - range.b);
    for (let left = edits; left > 0; left -= 1) {
      const before = rounds[left - 1];
      const at = (other: number) => before?.[other + left - 1] ?? 0;
      const inserted = diagonal === -left || (diagonal !== left && at(diagonal - 1) < at(diagonal + 1));
      const from = inserted ? at(diagonal + 1) : at(diagonal - 1);
      const start = inserted ? from : from + 1;
      this.found(range.a + start, range.b + start - diagonal, x - start);
      x = from;
      diagonal += inserted ? 1 : -1;
    }
    this.found(range.a, range.b, x);
  }
}

/** In order, and neighbours as one. */
function joined(runs: Run[]): Run[] {
  runs.sort((one, other) => one.a - other.a);
  const all: Run[] = [];
  for (const run of runs) {
    const last = all.at(-1);
    if (last !== undefined && last.a + last.length === run.a && last.b + last.length === run.b) last.length += run.length;
    else all.push({ ...run });
  }
  return all;
}

/** Without single words that happen to stand in both of two long stretches that differ: they only make them hard to read. */
function meaningful(runs: readonly Run[], lengthA: number, lengthB: number): Run[] {
  const LONGEST_CHANCE = 2;
  const TIMES_LONGER = 4;
  const kept: Run[] = [];
  let [a, b] = [0, 0];
  runs.forEach((run, place) => {
    const next = runs[place + 1] ?? { a: lengthA, b: lengthB };
    const before = run.a - a + (run.b - b);
    const behind = next.a - run.a - run.length + (next.b - run.b - run.length);
    if (run.length <= LONGEST_CHANCE && Math.min(before, behind) >= TIMES_LONGER * run.length) return;
    kept.push(run);
    [a, b] = [run.a + run.length, run.b + run.length];
  });
  return kept;
}
