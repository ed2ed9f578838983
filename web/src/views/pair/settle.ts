/** What a person makes of a pair, as requests that can be taken back. */

import { ApiError, get, post } from "../../lib/api";
import { type Verdict, decisionOf, verdictText } from "../../lib/decide";
import { shortName } from "../../lib/fields";
import { type DocumentName, isSame, nameOf } from "../../lib/names";
import type { Keeper, Keepers } from "../../lib/types";
import type { PairData } from "./load";

export type Choice = "duplicate" | "different" | "left" | "right" | "none";

/** A request, and the one that takes it back. */
export interface Step {
  path: string;
  forth: unknown;
  back: unknown;
}

/** What has to be done for a choice: nothing that holds already is done again, so that an undo leaves it. */
export async function stepsFor(choice: Choice, { pair, left, right }: PairData, me: string | undefined): Promise<Step[]> {
  const before = pair.decision?.duplicate ?? null;
  const wanted = verdictOf(choice);
  const steps: Step[] = [];
  if (wanted !== before) {
    const body = (duplicate: Verdict) => decisionOf(nameOf(left), nameOf(right), duplicate);
    // Who takes back an own decision returns to what another decided before.
    const own = pair.decision?.by === me || wanted === null ? before : null;
    steps.push({ path: "/api/decisions", forth: body(wanted), back: body(own) });
  }
  if (choice !== "left" && choice !== "right") return steps;
  const [one, two] = [nameOf(left), nameOf(right)];
  const [kept, other] = choice === "left" ? [one, two] : [two, one];
  // What is shown may be older than the choice made of the pair before.
  const { keepers } = await get<Keepers>("/api/keepers");
  // Of two that are preferred the service could keep either.
  if (isKeeper(keepers, other)) steps.push(keeperStep(other, false));
  if (!isKeeper(keepers, kept)) steps.push(keeperStep(kept, true));
  return steps;
}

/** All of the steps, or none if one is refused. */
export async function take(steps: readonly Step[]): Promise<void> {
  const taken: Step[] = [];
  try {
    for (const step of steps) {
      await post(step.path, step.forth);
      taken.push(step);
    }
  } catch (error) {
    // A step without an answer may be done all the same, as when the page is left meanwhile.
    if (error instanceof ApiError && error.status !== 0) await takeBack(taken).catch(() => undefined);
    throw error;
  }
}

export async function takeBack(steps: readonly Step[]): Promise<void> {
  for (const step of steps.toReversed()) await post(step.path, step.back);
}

export function messageFor(choice: Choice, { left, right }: PairData): string {
  if (choice !== "left" && choice !== "right") return verdictText(verdictOf(choice));
  return `Decided: duplicates, keep ${shortName(choice === "left" ? left : right)}`;
}

export function isKeeper(keepers: readonly Keeper[], name: DocumentName): boolean {
  return keepers.some((keeper) => isSame(nameOf(keeper), name));
}

function keeperStep({ id, labels }: DocumentName, keep: boolean): Step {
  return { path: "/api/keepers", forth: { id, labels, keep }, back: { id, labels, keep: !keep } };
}

function verdictOf(choice: Choice): Verdict {
  if (choice === "none") return null;
  return choice !== "different";
}
