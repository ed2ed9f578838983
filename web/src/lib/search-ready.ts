/** Answers that wait for the search index. */

import { ApiError, SEARCH_NOT_READY } from "./api";
import type { Data } from "./data";
import { usePoll } from "./poll";

const RETRY_MILLISECONDS = 5000;

/** Whether an answer has to wait until the search index is made. It is asked for again until then. */
export function useSearchAwaited({ error, loading, reload }: Data<unknown>): boolean {
  const awaited = error instanceof ApiError && error.code === SEARCH_NOT_READY;
  usePoll(reload, awaited && !loading, error, RETRY_MILLISECONDS);
  return awaited;
}
