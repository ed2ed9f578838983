/**
 * The pairs that a reader goes through one after another.
 *
 * A view that lists pairs sets the queue and links to the pairs with `queue=` and its own name, such as `#/pairs/A/B?queue=label`;
 * the pair's view finds its way from there.
 */

import { type DocumentName, isMeant } from "./names";
import { store, useStore } from "./store";

export type PairNames = readonly [a: DocumentName, b: DocumentName];

interface Queue {
  label: string;
  pairs: readonly PairNames[];
}

export interface Neighbours {
  /** What the queue is of, such as "Pairs to label". */
  label: string;
  /** From 1; 0 if the pair is not among them. */
  place: number;
  total: number;
  before?: PairNames;
  after?: PairNames;
}

const queue = store<Queue>({ label: "", pairs: [] });

export function setQueue(pairs: readonly PairNames[], label: string): void {
  queue.set({ label, pairs });
}

/** Who comes before and after a pair, whichever way round it is named. */
export function neighbours(a: DocumentName, b: DocumentName): Neighbours {
  return around(queue.get(), a, b);
}

export function useNeighbours(a: DocumentName, b: DocumentName): Neighbours {
  return around(useStore(queue), a, b);
}

function around({ label, pairs }: Queue, a: DocumentName, b: DocumentName): Neighbours {
  const place = pairs.findIndex(([x, y]) => (isMeant(a, x) && isMeant(b, y)) || (isMeant(a, y) && isMeant(b, x)));
  return { label, place: place + 1, total: pairs.length, before: pairs[place - 1], after: pairs[place + 1] };
}
