/** Texts as numbers: equal words, or equal sentences, have the same one. */

export type Level = "words" | "sentences";

export interface Tokens {
  text: string;
  ids: Int32Array;
  /** Where each begins, and at last where the text ends: what stands between two belongs to the first. */
  starts: Uint32Array;
}

const UNSPACED = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}`;
/** A character of a script without spaces is a word of its own, and so is each sign. */
const WORD = new RegExp(String.raw`[${UNSPACED}]|(?:(?![${UNSPACED}])[\p{L}\p{M}\p{N}_])+|\S`, "gu");
const SENTENCE = /[^\n.!?。！？]*[\n.!?。！？]+\s*|[^\n.!?。！？]+/g;
/** Tokens between two pauses. */
const TURN = 4096;

/** Both texts by the same numbers. */
export function* tokensOf(a: string, b: string, level: Level): Generator<void, [Tokens, Tokens]> {
  const numbers = new Map<string, number>();
  return [yield* split(a, level, numbers), yield* split(b, level, numbers)];
}

function* split(text: string, level: Level, numbers: Map<string, number>): Generator<void, Tokens> {
  const splitter = new Splitter(text, level, numbers);
  // A generator itself runs slowly, so it only hands out turns.
  while (splitter.turn()) yield;
  return splitter.tokens();
}

class Splitter {
  private readonly pattern: RegExp;
  private readonly ids: number[] = [];
  private readonly starts: number[] = [];

  constructor(
    private readonly text: string,
    level: Level,
    private readonly numbers: Map<string, number>,
  ) {
    this.pattern = new RegExp(level === "words" ? WORD : SENTENCE);
  }

  /** Goes on for a while, and tells whether there is more. */
  turn(): boolean {
    for (let taken = 0; taken < TURN; taken += 1) {
      const found = this.pattern.exec(this.text);
      if (found === null) return false;
      const token = found[0].trim();
      // What is nothing but space belongs to the one before.
      if (token !== "") this.add(token, found.index);
    }
    return true;
  }

  tokens(): Tokens {
    const { text, ids, starts } = this;
    if (starts.length > 0) starts[0] = 0;
    return { text, ids: Int32Array.from(ids), starts: Uint32Array.from([...starts, text.length]) };
  }

  private add(token: string, start: number): void {
    let number = this.numbers.get(token);
    if (number === undefined) {
      number = this.numbers.size;
      this.numbers.set(token, number);
    }
    this.ids.push(number);
    this.starts.push(start);
  }
}
