/** All that is needed to show a pair, fetched ahead where the reader is likely to go. */

import { useRef, useState } from "preact/hooks";

import { get } from "../../lib/api";
import { type Data, useAsk } from "../../lib/data";
import { type DocumentName, documentPath, pairPath } from "../../lib/names";
import type { PairNames } from "../../lib/pairs";
import { asAddressed, toPair } from "../../lib/places";
import { href } from "../../lib/router";
import type { Pair, Stored } from "../../lib/types";

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
export function fetchAhead(pair: PairNames): void {
  const [a, b] = [asAddressed(pair[0]), asAddressed(pair[1])];
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

export function usePair(a: DocumentName, b: DocumentName): Data<PairData> {
  const name = nameOf(a, b);
  const [first] = useState(() => taken(name));
  const answer = useRef(first?.answer);
  return useAsk(
    a.id === "" || b.id === "" ? null : name,
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

async function fetchPair(a: DocumentName, b: DocumentName, signal?: AbortSignal): Promise<PairData> {
  const [pair, left, right] = await Promise.all([
    get<Pair>(pairPath(a, b), signal),
    get<Stored>(documentPath(a), signal),
    get<Stored>(documentPath(b), signal),
  ]);
  return { pair, left, right };
}

function nameOf(a: DocumentName, b: DocumentName): string {
  const { to, query } = toPair(a, b);
  return href(to, query);
}
