/** A JSON value a line: how documents are sent, and how answers to them, exports and files of jobs come. */

import type { Clock } from "./clock.js";
import type { Lines } from "./content.js";
import { parseJson, toJson } from "./json.js";

/** Lines and characters of a request at most: browsers do not answer while they still send. */
const BATCH = 512;
const BATCH_CHARACTERS = 2_000_000;

export interface Batch {
  text: string;
  count: number;
}

export async function* batches(lines: Lines<unknown>): AsyncGenerator<Batch, void, undefined> {
  let [text, count] = ["", 0];
  for await (const line of lines) {
    text += `${toJson(line)}\n`;
    count += 1;
    if (count < BATCH && text.length < BATCH_CHARACTERS) continue;
    yield { text, count };
    [text, count] = ["", 0];
  }
  if (count > 0) yield { text, count };
}

/** The values of an answer of JSON lines, such as an export or a file of a job, as they arrive. */
export async function* linesOf<T>(response: Response, clock?: Clock): AsyncGenerator<T, void, undefined> {
  if (response.body === null) return;
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await (clock ? clock.watch(() => reader.read()) : reader.read());
      const pieces = (done ? decoder.decode() : decoder.decode(value, { stream: true })).split("\n");
      const unfinished = pieces.pop() ?? "";
      for (const piece of pieces) {
        const line = rest + piece;
        rest = "";
        if (line !== "") yield parseJson<T>(line);
      }
      rest += unfinished;
      // The last line may have no end.
      if (done && rest !== "") yield parseJson<T>(rest);
      if (done) return;
    }
  } finally {
    // Also when the reader stops early; a stream that failed cannot be cancelled, which is no matter.
    await reader.cancel().catch(() => undefined);
  }
}
