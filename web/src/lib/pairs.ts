/**
 * The pairs that a reader goes through one after another.
 *
 * A view that lists pairs sets the queue and links to the pairs with `queue=` and its own name, such as `#/pairs/A/B?queue=label`;
 * the pair's view finds its way from there.
 */

import { store, useStore } from "./store";
import type { Id } from "./types";

export type PairIds = readonly [a: Id, b: Id];

interface Queue {
  label: string;
  pairs: readonly PairIds[];
}

export interface Neighbours {
  /** What the queue is of, such as "Pairs to label". */
  label: string;
  /** From 1; 0 if the pair is not among them. */
  place: number;
  total: number;
  before?: PairIds;
  after?: PairIds;
}

const queue = store<Queue>({ label: "", pairs: [] });

export function setQueue(pairs: readonly PairIds[], label: string): void {
  queue.set({ label, pairs });
}

/** Who comes before and after a pair, whichever way round it is named. */
export function neighbours(a: Id, b: Id): Neighbours {
  return around(queue.get(), a, b);
}

export function useNeighbours(a: Id, b: Id): Neighbours {
  return around(useStore(queue), a, b);
}

function around({ label, pairs }: Queue, a: Id, b: Id): Neighbours {
  // Addresses hold the texts of ids.
  const [one, other] = [String(a), String(b)];
  const place = pairs.findIndex(([x, y]) => {
    const [first, second] = [String(x), String(y)];
    return (first === one && second === other) || (first === other && second === one);
  });
  return { label, place: place + 1, total: pairs.length, before: pairs[place - 1], after: pairs[place + 1] };
}
