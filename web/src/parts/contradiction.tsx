import type { StreamAgreement } from "../lib/types";

/** A mark for documents with other images or links below a text that is alike. */
export function Contradiction({ streams }: { streams: StreamAgreement | null | undefined }) {
  const kinds = streams?.contradict ?? [];
  if (kinds.length === 0) return null;
  return <span class="tag warn">other {kinds.join(", ")}</span>;
}
