/** What the service tells, for components. */

import { useCallback, useEffect, useRef, useState } from "preact/hooks";

import { ApiError, SEARCH_NOT_READY, get } from "./api";
import { usePoll } from "./poll";
import type { Me, Role } from "./types";

export interface Data<T> {
  data?: T;
  error?: Error;
  loading: boolean;
  reload: () => void;
}

interface Held<T> {
  question: string | null;
  data?: T;
  error?: Error;
  loading: boolean;
}

interface Options<T> {
  /** Milliseconds to wait before asking, for questions that change while somebody types. */
  wait?: number;
  /** What is known from the start. */
  first?: T;
}

/** Asks for a path, and for the next one when it changes. What was there stays until the new answer comes; null asks for nothing. */
export function useData<T>(path: string | null): Data<T> {
  return useAsk(path, (signal, question) => get<T>(question, signal));
}

/** The same for a question that is more than a path: it is asked when its text becomes another one. */
export function useAsk<T>(
  question: string | null,
  ask: (signal: AbortSignal, question: string) => Promise<T>,
  { wait, first }: Options<T> = {},
): Data<T> {
  const [held, hold] = useState<Held<T>>({ question, data: first, loading: question !== null });
  const [round, setRound] = useState(0);
  const reload = useCallback(() => setRound((before) => before + 1), []);
  const latest = useRef(ask);
  latest.current = ask;
  useRefresh(reload);

  useEffect(() => {
    if (question === null) {
      hold({ question, loading: false });
      return;
    }
    const stop = new AbortController();
    hold((old) => ({ ...old, loading: true }));
    const begin = () =>
      latest.current(stop.signal, question).then(
        (data) => !stop.signal.aborted && hold({ question, data, loading: false }),
        (error: Error) => {
          if (stop.signal.aborted) return;
          // What was said to another question must not stand beside the error of this one.
          hold((old) => ({ question, error, loading: false, ...(old.question === question && { data: old.data }) }));
        },
      );
    let timer: ReturnType<typeof setTimeout> | undefined;
    if (wait === undefined) void begin();
    else timer = setTimeout(begin, wait);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [question, round]);

  return { data: held.data, error: held.error, loading: held.loading, reload };
}

const SEARCH_RETRY_MILLISECONDS = 5000;

/** Whether an answer has to wait until the search index is made. It is asked for again until then. */
export function useSearchAwaited({ error, loading, reload }: Data<unknown>): boolean {
  const awaited = error instanceof ApiError && error.code === SEARCH_NOT_READY;
  usePoll(reload, awaited && !loading, error, SEARCH_RETRY_MILLISECONDS);
  return awaited;
}

const refreshers = new Set<() => void>();

/** Asks anew for everything that is shown, after a change that may concern any of it. */
export function refreshAll(): void {
  for (const refresh of [...refreshers]) refresh();
}

/** Calls back when everything is asked for anew. */
export function useRefresh(refresh: () => void): void {
  const latest = useRef(refresh);
  latest.current = refresh;
  useEffect(() => {
    const call = () => latest.current();
    refreshers.add(call);
    return () => {
      refreshers.delete(call);
    };
  }, []);
}

const ranks: Record<Role, number> = { read: 0, reviewer: 1, write: 2, admin: 3 };
interface Asked {
  answer: Promise<Me>;
  known?: Me;
}

let me: Asked | undefined;

/** Whoever the service takes the reader for may have changed with the token. */
export function forgetMe(): void {
  me = undefined;
}

/** Asks once; whoever asks while that is under way waits for the same answer. */
function askMe(): Promise<Me> {
  if (me) return me.answer;
  const asked: Asked = { answer: get<Me>("/api/me") };
  me = asked;
  asked.answer.then(
    (answer) => (asked.known = answer),
    () => me === asked && forgetMe(),
  );
  return asked.answer;
}

/** Who the reader is. Once known, every view knows it from its first moment and offers nothing that it takes back. */
export function useMe(): Me | undefined {
  const [known, know] = useState(me?.known);
  useEffect(() => {
    let gone = false;
    askMe().then(
      (answer) => !gone && know(answer),
      () => {},
    );
    return () => {
      gone = true;
    };
  }, []);
  return known;
}

/** Whether the reader has the role. Until that is known the page offers everything, and the service refuses what it must. */
export function useMay(role: Role): boolean {
  return mayAs(useMe(), role);
}

export function mayAs(known: Me | undefined, role: Role): boolean {
  return known === undefined || ranks[known.role] >= ranks[role];
}
