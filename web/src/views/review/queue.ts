/**
 * The pairs that wait, as far as they are at hand.
 *
 * The service tells them a page at a time; what is decided or skipped here is not shown again. A decision may part a cluster, and
 * its documents are then asked about in other pairs: so at the end the queue is asked for once more from its beginning.
 */

import { useEffect, useRef, useState } from "preact/hooks";

import { get, withQuery } from "../../lib/api";
import { nameKey } from "../../lib/names";
import type { ReviewPair, ReviewQueue } from "../../lib/types";

export interface Narrowed {
  order: string;
  filter: string;
  batch: string;
  tag: string;
  disputed: string;
}

export interface Review {
  pairs: readonly ReviewPair[];
  /** Undefined: not known yet. */
  total: number | undefined;
  left: number;
  /** By this reader since the queue was opened. */
  decided: number;
  skipped: number;
  error: Error | undefined;
  loading: boolean;
  takeOut: (pair: ReviewPair, decided: boolean) => void;
  putBack: (pair: ReviewPair, decided: boolean) => void;
  /** What was noted of a pair. */
  patch: (pair: ReviewPair, change: Partial<ReviewPair>) => void;
  /** From the beginning, with what was skipped. */
  restart: () => void;
}

interface Held {
  pairs: readonly ReviewPair[];
  next: string | null;
  /** Pages from here on are the first ones again. */
  isLastRound: boolean;
  total?: number;
  left: number;
  decided: number;
  skipped: number;
}

const PAGE = 20;
/** So many are left when more are asked for. */
const FEW = 6;
const nothing: Held = { pairs: [], next: null, isLastRound: false, left: 0, decided: 0, skipped: 0 };

export function useReview(narrowed: Narrowed): Review {
  const [held, hold] = useState<Held>(nothing);
  const [error, setError] = useState<Error>();
  const [loading, setLoading] = useState(true);
  const [round, setRound] = useState(0);
  /** Pairs that were shown, with whether they were decided. */
  const seen = useRef(new Map<string, boolean>());
  const stop = useRef(new AbortController());

  const ask = (after: string | null, isFirst: boolean, isLastRound: boolean) => {
    setLoading(true);
    setError(undefined);
    const { signal } = stop.current;
    get<ReviewQueue>(withQuery("/api/review/next", { ...narrowed, after, limit: PAGE }), signal).then(
      (page) => {
        hold((old) => {
          const known = new Set(old.pairs.map(pairKey));
          const fresh = page.pairs.filter((pair) => !known.has(pairKey(pair)) && !seen.current.has(pairKey(pair)));
          const pairs = isFirst ? fresh : [...old.pairs, ...fresh];
          return { ...old, pairs, next: page.next, left: page.left, total: page.total, isLastRound };
        });
        setLoading(false);
      },
      (failure: Error) => {
        if (signal.aborted) return;
        setError(failure);
        setLoading(false);
      },
    );
  };

  const question = JSON.stringify(narrowed);
  useEffect(() => {
    stop.current = new AbortController();
    seen.current = new Map([...seen.current].filter(([, decided]) => decided));
    hold(nothing);
    ask(null, true, false);
    return () => stop.current.abort();
  }, [question, round]);

  useEffect(() => {
    if (loading || error !== undefined || held.total === undefined || held.pairs.length > FEW) return;
    if (held.next !== null) ask(held.next, false, held.isLastRound);
    else if (held.pairs.length === 0 && !held.isLastRound && seen.current.size > 0) ask(null, false, true);
  }, [loading, error, held]);

  const change = (pair: ReviewPair, decided: boolean, isOut: boolean) => {
    if (isOut) seen.current.set(pairKey(pair), decided);
    else seen.current.delete(pairKey(pair));
    hold((old) => {
      const others = old.pairs.filter((other) => pairKey(other) !== pairKey(pair));
      const by = isOut ? -1 : 1;
      return {
        ...old,
        pairs: isOut ? others : [pair, ...others],
        left: old.left + (decided ? by : 0),
        decided: old.decided - (decided ? by : 0),
        skipped: old.skipped - (decided ? 0 : by),
      };
    });
  };
  return {
    pairs: held.pairs,
    total: held.total,
    left: held.left,
    decided: held.decided,
    skipped: held.skipped,
    error,
    loading,
    takeOut: (pair, decided) => change(pair, decided, true),
    putBack: (pair, decided) => change(pair, decided, false),
    patch: (pair, more) =>
      hold((old) => ({
        ...old,
        pairs: old.pairs.map((other) => (pairKey(other) === pairKey(pair) ? { ...other, ...more } : other)),
      })),
    restart: () => setRound(round + 1),
  };
}

/** The same whichever way round. */
export function pairKey({ a, b }: ReviewPair): string {
  return [nameKey(a), nameKey(b)].sort().join("\n");
}
