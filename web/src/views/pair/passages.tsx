import { useMemo } from "preact/hooks";

import { textOf } from "../../lib/fields";
import { SharedPassages } from "../../parts/shared-passages";
import type { PairData } from "./load";

/** Both texts with what they share. */
export function Passages({ data: { pair, left, right } }: { data: PairData }) {
  const { passages } = pair;
  const inLeft = useMemo(() => passages.map((passage) => passage.a), [passages]);
  const inRight = useMemo(() => passages.map((passage) => passage.b), [passages]);
  return (
    <SharedPassages
      left={{ label: "Left text", text: textOf(left), ranges: inLeft }}
      right={{ label: "Right text", text: textOf(right), ranges: inRight }}
      words={passages.map((passage) => passage.words)}
    />
  );
}
