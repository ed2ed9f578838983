/** What a person decides of documents, each with its way back. */

import { post } from "./api";
import { refreshAll } from "./data";
import { count, plural } from "./format";
import { type DocumentName, nameKey, sidesOf } from "./names";
import { done } from "./undo";
import type { BulkDecision, Decision } from "./types";

/** True: duplicates; false: not; null: nobody decided. */
export type Verdict = boolean | null;

/** A decision as the service wants it. */
export function decisionOf(a: DocumentName, b: DocumentName, duplicate: Verdict) {
  return { a: a.id, a_labels: a.labels, b: b.id, b_labels: b.labels, duplicate };
}

/** Decides of a pair; `before` is what the reader decided before, to which an undo returns. All that is shown is asked for anew. */
export async function decide(a: DocumentName, b: DocumentName, duplicate: Verdict, before: Verdict = null): Promise<void> {
  const set = (verdict: Verdict) => post("/api/decisions", decisionOf(a, b, verdict));
  await set(duplicate);
  done(verdictText(duplicate), () => set(before));
  refreshAll();
}

/** Decides the same of one document and each of the others, of whom `before` tells what the reader decided before. */
export async function decideAll(one: DocumentName, others: readonly DocumentName[], duplicate: Verdict, before: VerdictOf): Promise<void> {
  const set = (of: readonly DocumentName[], verdict: Verdict) => {
    const pairs = of.map((other) => ({ a: one.id, a_labels: one.labels, b: other.id, b_labels: other.labels }));
    return post<BulkDecision>("/api/decisions/bulk", { pairs, duplicate: verdict });
  };
  const { decided, refused } = await set(others, duplicate);
  const was = others.map((other) => before(one, other));
  const why = refused[0] === undefined ? "" : `; not of ${count(refused.length)}: ${refused[0].reason}`;
  done(`${verdictText(duplicate)}, ${plural(decided, "pair")}${why}`, async () => {
    for (const verdict of new Set(was)) await set(others.filter((_, place) => was[place] === verdict), verdict);
  });
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

export interface Verdicts {
  /** What is in force, whoever decided it. */
  verdict: VerdictOf;
  /** The same where the reader decided it: an undo returns to that, and by itself to what others decided before. */
  own: VerdictOf;
}

export function verdictsOf(decisions: readonly Decision[], me: string | undefined): Verdicts {
  return { verdict: decisionFinder(decisions), own: decisionFinder(decisions.filter(({ by }) => by === me)) };
}

/** Tells what was decided of pairs, in either order. */
function decisionFinder(decisions: readonly Decision[]): VerdictOf {
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
