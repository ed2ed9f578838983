/** What the browser remembers. A browser may forbid it; then nothing is remembered and nothing fails. */

type Keep = "session" | "always";

export function recall(key: string, keep: Keep): string | null {
  try {
    return area(keep).getItem(key);
  } catch {
    return null;
  }
}

export function remember(key: string, value: string | null, keep: Keep): void {
  try {
    if (value === null) area(keep).removeItem(key);
    else area(keep).setItem(key, value);
  } catch {
    // Only this page's memory is lost.
  }
}

function area(keep: Keep): Storage {
  return keep === "session" ? sessionStorage : localStorage;
}
