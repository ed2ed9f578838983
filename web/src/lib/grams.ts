/** Runs of tokens that occur once in a stretch of either text: places where the two belong together. */

export interface Stretch {
  ids: Int32Array;
  from: number;
  to: number;
}

export interface Anchor {
  a: number;
  b: number;
}

const NOWHERE = -1;
const SEVERAL = -2;
/** Runs between two pauses. */
const TURN = 8192;

/** The places of all such runs of so many tokens, rising in the first text. */
export function* sharedOnce(a: Stretch, b: Stretch, words: number): Generator<void, Anchor[]> {
  const table = new Table(a.to - a.from);
  const anchors: Anchor[] = [];
  // A generator itself runs slowly, so it only hands out turns.
  yield* turns(a, words, (from, to) => {
    for (let place = from; place < to; place += 1) {
      const slot = table.slot(hashOf(a.ids, place, words), true);
      table.inA[slot] = table.inA[slot] === NOWHERE ? place : SEVERAL;
    }
  });
  yield* turns(b, words, (from, to) => {
    for (let place = from; place < to; place += 1) {
      const slot = table.slot(hashOf(b.ids, place, words), false);
      if (slot !== NOWHERE) table.inB[slot] = table.inB[slot] === NOWHERE ? place : SEVERAL;
    }
  });
  yield* turns(a, words, (from, to) => {
    for (let place = from; place < to; place += 1) {
      const slot = table.slot(hashOf(a.ids, place, words), false);
      const other = table.inB[slot] ?? NOWHERE;
      // Two runs may have the same hash.
      if (table.inA[slot] === place && other >= 0 && agree(a.ids, place, b.ids, other, words)) anchors.push({ a: place, b: other });
    }
  });
  return anchors;
}

function* turns({ from, to }: Stretch, words: number, act: (from: number, to: number) => void): Generator<void, void> {
  const end = to - words + 1;
  for (let start = from; start < end; start += TURN) {
    act(start, Math.min(end, start + TURN));
    yield;
  }
}

/** By hash, where a run is in either text. A map of the language takes several times as long. */
class Table {
  readonly inA: Int32Array;
  readonly inB: Int32Array;
  private readonly hashes: Int32Array;
  private readonly mask: number;

  constructor(most: number) {
    const size = 2 ** Math.ceil(Math.log2(2 * most + 2));
    this.inA = new Int32Array(size).fill(NOWHERE);
    this.inB = new Int32Array(size).fill(NOWHERE);
    this.hashes = new Int32Array(size);
    this.mask = size - 1;
  }

  /** Where the hash is, or will be; `NOWHERE` if it is not and is not to be. */
  slot(hash: number, isNew: boolean): number {
    let slot = (hash ^ (hash >>> 15)) & this.mask;
    while (this.inA[slot] !== NOWHERE) {
      if (this.hashes[slot] === hash) return slot;
      slot = (slot + 1) & this.mask;
    }
    if (!isNew) return NOWHERE;
    this.hashes[slot] = hash;
    return slot;
  }
}

function hashOf(ids: Int32Array, place: number, words: number): number {
  let hash = 0;
  for (let word = place; word < place + words; word += 1) {
    hash = Math.imul(hash ^ (ids[word] ?? 0), 0x9e3779b1);
    hash ^= hash >>> 13;
  }
  return hash;
}

function agree(a: Int32Array, placeA: number, b: Int32Array, placeB: number, words: number): boolean {
  for (let word = 0; word < words; word += 1) {
    if (a[placeA + word] !== b[placeB + word]) return false;
  }
  return true;
}
