/** All that is needed to show a pair, fetched ahead where the reader is likely to go. */

import { useRef, useState } from "preact/hooks";

import { get, idPath } from "../../lib/api";
import { type Data, useAsk } from "../../lib/data";
import type { PairIds } from "../../lib/pairs";
import type { Id, Pair, Stored } from "../../lib/types";

export interface PairData {
  pair: Pair;
  left: Stored;
  right: Stored;
}

interface Ahead {
  name: string;
  since: number;
  answer: Promise<PairData>;
  data?: PairData;
}

/** What was fetched longer ago may have changed. */
const FRESH_MILLISECONDS = 60_000;
let ahead: Ahead | undefined;

/** Asks for a pair that is probably wanted next. */
export function fetchAhead([a, b]: PairIds): void {
  const name = nameOf(a, b);
  if (ahead?.name === name) return;
  const next: Ahead = { name, since: performance.now(), answer: fetchPair(a, b) };
  next.answer.then(
    (data) => {
      next.data = data;
    },
    () => {
      // Who goes there asks again and is told then.
      if (ahead === next) ahead = undefined;
    },
  );
  ahead = next;
}

export function usePair(a: Id, b: Id): Data<PairData> {
  const name = nameOf(a, b);
  const [first] = useState(() => taken(name));
  const answer = useRef(first?.answer);
  return useAsk(
    a === "" || b === "" ? null : name,
    (signal) => {
      const ready = answer.current;
      answer.current = undefined;
      return ready ?? fetchPair(a, b, signal);
    },
    { first: first?.data },
  );
}

function taken(name: string): Ahead | undefined {
  const found = ahead?.name === name && performance.now() - ahead.since < FRESH_MILLISECONDS ? ahead : undefined;
  ahead = undefined;
  return found;
}

async function fetchPair(a: Id, b: Id, signal?: AbortSignal): Promise<PairData> {
  const [pair, left, right] = await Promise.all([
    get<Pair>(`/api/pairs/${idPath(a)}/${idPath(b)}`, signal),
    get<Stored>(`/api/documents/${idPath(a)}`, signal),
    get<Stored>(`/api/documents/${idPath(b)}`, signal),
  ]);
  return { pair, left, right };
}

function nameOf(a: Id, b: Id): string {
  return `${idPath(a)}/${idPath(b)}`;
}
