/** What a person decides of documents, each with its way back. */

import { post } from "./api";
import { refreshAll } from "./data";
import { idKey } from "./format";
import { done } from "./undo";
import type { Decision, Id } from "./types";

/** True: duplicates; false: not; null: nobody decided. */
export type Verdict = boolean | null;

/** Decides of a pair; `before` is what an undo returns to. All that is shown is asked for anew. */
export async function decide(a: Id, b: Id, duplicate: Verdict, before: Verdict = null): Promise<void> {
  const set = (verdict: Verdict) => post("/api/decisions", { a, b, duplicate: verdict });
  await set(duplicate);
  done(verdictText(duplicate), () => set(before));
  refreshAll();
}

/** Prefers a document as the one that stays of its cluster, or takes that back. */
export async function prefer(id: Id, keep: boolean): Promise<void> {
  const set = (kept: boolean) => post("/api/keepers", { id, keep: kept });
  await set(keep);
  done(keep ? "Kept as the one that stays" : "No longer preferred", () => set(!keep));
  refreshAll();
}

export function verdictText(verdict: Verdict): string {
  if (verdict === null) return "Decision removed";
  return verdict ? "Decided: duplicates" : "Decided: not duplicates";
}

/** Tells what was decided of pairs, in either order. */
export function decisionFinder(decisions: readonly Decision[]): (a: Id, b: Id) => Verdict {
  const known = new Map(decisions.flatMap(({ a, b, duplicate }) => [[key(a, b), duplicate] as const, [key(b, a), duplicate] as const]));
  return (a, b) => known.get(key(a, b)) ?? null;
}

function key(a: Id, b: Id): string {
  return [a, b].map(idKey).join("\0");
}
