/** Asking again while something is under way. */

import { useEffect } from "preact/hooks";

const INTERVAL_MILLISECONDS = 1000;

/** Asks again some time after each answer, as long as it is wanted, and not while nobody looks at the tab. */
export function usePoll(again: () => void, wanted: boolean, answer: unknown, interval = INTERVAL_MILLISECONDS): void {
  useEffect(() => {
    if (!wanted) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const wait = () => {
      clearTimeout(timer);
      if (!document.hidden) timer = setTimeout(again, interval);
    };
    wait();
    document.addEventListener("visibilitychange", wait);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", wait);
    };
  }, [again, wanted, answer, interval]);
}
