/** What a person decides of documents, each with its way back. */

import { post } from "./api";
import { refreshAll } from "./data";
import { type DocumentName, nameKey, sidesOf } from "./names";
import { done } from "./undo";
import type { Decision } from "./types";

/** True: duplicates; false: not; null: nobody decided. */
export type Verdict = boolean | null;

/** A decision as the service wants it. */
export function decisionOf(a: DocumentName, b: DocumentName, duplicate: Verdict) {
  return { a: a.id, a_labels: a.labels, b: b.id, b_labels: b.labels, duplicate };
}

/** Decides of a pair; `before` is what an undo returns to. All that is shown is asked for anew. */
export async function decide(a: DocumentName, b: DocumentName, duplicate: Verdict, before: Verdict = null): Promise<void> {
  const set = (verdict: Verdict) => post("/api/decisions", decisionOf(a, b, verdict));
  await set(duplicate);
  done(verdictText(duplicate), () => set(before));
  refreshAll();
}

/** Prefers a document as the one that stays of its cluster, or takes that back. */
export async function prefer(name: DocumentName, keep: boolean): Promise<void> {
  const set = (kept: boolean) => post("/api/keepers", { id: name.id, labels: name.labels, keep: kept });
  await set(keep);
  done(keep ? "Kept as the one that stays" : "No longer preferred", () => set(!keep));
  refreshAll();
}

export function verdictText(verdict: Verdict): string {
  if (verdict === null) return "Decision removed";
  return verdict ? "Decided: duplicates" : "Decided: not duplicates";
}

/** What was decided of a pair. */
export type VerdictOf = (a: DocumentName, b: DocumentName) => Verdict;

/** Tells what was decided of pairs, in either order. */
export function decisionFinder(decisions: readonly Decision[]): VerdictOf {
  const known = new Map<string, boolean>();
  for (const decision of decisions) {
    const [a, b] = sidesOf(decision);
    known.set(key(a, b), decision.duplicate).set(key(b, a), decision.duplicate);
  }
  return (a, b) => known.get(key(a, b)) ?? null;
}

function key(a: DocumentName, b: DocumentName): string {
  return [a, b].map(nameKey).join("\0");
}
