import type { Pair } from "../../lib/types";

type VerdictName = Pair["methods"][number]["verdict"];

const verdicts: Record<string, [text: string, kind: string]> = {
  duplicate: ["duplicate", "good"],
  "near-duplicate": ["near-duplicate", "good"],
  different: ["different", "bad"],
  missed: ["alike, but not found", "warn"],
  "kept-apart": ["alike, but kept apart", "warn"],
  empty: ["nothing to compare", "warn"],
};

/** What a method makes of a pair. */
export function VerdictTag({ verdict }: { verdict: VerdictName }) {
  const [text, kind] = (Object.hasOwn(verdicts, verdict) ? verdicts[verdict] : undefined) ?? [verdict, ""];
  return <span class={`tag ${kind}`}>{text}</span>;
}
