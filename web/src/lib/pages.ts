/** The rows of a long list, fetched page by page where they are looked at. */

import { useLayoutEffect, useMemo, useReducer } from "preact/hooks";

export type Load<T> = (offset: number, limit: number) => Promise<readonly T[]> | readonly T[];

export interface Pages<T> {
  at: (place: number) => T | undefined;
  error?: Error;
  retry: () => void;
}

const SIZE = 100;
/** Pages that are remembered. */
const MOST = 200;
/** Who drags the scrollbar passes many pages; only so many are on their way at once, and the next is that where the reader is then. */
const AT_ONCE = 2;
/** Rows that are fetched before they are seen. */
const AHEAD = 30;

class Book<T> {
  readonly pages = new Map<number, readonly T[]>();
  readonly onTheWay = new Set<number>();
  error?: Error;

  constructor(readonly load: Load<T>) {}

  async fetch(page: number): Promise<void> {
    this.onTheWay.add(page);
    try {
      this.put(page, await this.load(page * SIZE, SIZE));
    } catch (error) {
      this.error = error instanceof Error ? error : new Error(String(error));
    } finally {
      this.onTheWay.delete(page);
    }
  }

  private put(page: number, rows: readonly T[]): void {
    this.pages.set(page, rows);
    const oldest = this.pages.keys().next();
    if (this.pages.size > MOST && !oldest.done) this.pages.delete(oldest.value);
  }
}

/** Rows from `first` up to `last` of `total`. Another `load` is another list. */
export function usePages<T>(load: Load<T>, total: number, first: number, last: number): Pages<T> {
  const current = useMemo(() => new Book(load), [load]);
  const [news, tell] = useReducer((n: number, _: void) => n + 1, 0);

  // Before the browser paints, so that rows that are at hand are there from the start.
  useLayoutEffect(() => {
    if (current.error !== undefined || total === 0) return;
    const from = Math.floor(Math.max(0, first - AHEAD) / SIZE);
    const to = Math.floor((Math.min(total, last + AHEAD) - 1) / SIZE);
    for (let page = from; page <= to && current.onTheWay.size < AT_ONCE; page += 1) {
      if (current.pages.has(page) || current.onTheWay.has(page)) continue;
      void current.fetch(page).then(() => tell());
    }
  }, [current, total, first, last, news]);

  return {
    at: (place) => current.pages.get(Math.floor(place / SIZE))?.[place % SIZE],
    error: current.error,
    retry: () => {
      current.error = undefined;
      tell();
    },
  };
}
