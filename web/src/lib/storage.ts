/** What the browser remembers. A browser may forbid it; then nothing is remembered and nothing fails. */

import { base } from "./base";

type Keep = "session" | "always";

export function recall(key: string, keep: Keep): string | null {
  try {
    return area(keep).getItem(own(key));
  } catch {
    return null;
  }
}

export function remember(key: string, value: string | null, keep: Keep): void {
  try {
    if (value === null) area(keep).removeItem(own(key));
    else area(keep).setItem(own(key), value);
  } catch {
    // Only this page's memory is lost.
  }
}

function area(keep: Keep): Storage {
  return keep === "session" ? sessionStorage : localStorage;
}

/** All pages of a host share one memory: other pages behind the same proxy have theirs beside ours. */
function own(key: string): string {
  return `lookalike ${base.pathname} ${key}`;
}
