import { useMemo, useState } from "preact/hooks";

import { textOf } from "../../lib/fields";
import { count, plural } from "../../lib/format";
import { useKeys } from "../../lib/keys";
import { marksOf } from "../../lib/offsets";
import type { Pair } from "../../lib/types";
import { Button } from "../../parts";
import { LongText, markStyle } from "../../parts/long-text";
import type { PairData } from "./load";

/** Longer lists help nobody; the texts hold all passages. */
const MOST_LISTED = 500;
const LISTED_CHARACTERS = 160;

/** Both texts with what they share in the same colour and under the same number. */
export function Passages({ data: { pair, left, right } }: { data: PairData }) {
  const { passages } = pair;
  const [textA, textB] = [textOf(left), textOf(right)];
  const marksA = useMemo(() => marksOf(textA, passages.map((passage) => passage.a)), [textA, passages]);
  const marksB = useMemo(() => marksOf(textB, passages.map((passage) => passage.b)), [textB, passages]);
  const [shown, setShown] = useState<{ number: number }>();

  const show = (number: number) => passages[number - 1] && setShown({ number });
  const step = (by: number) => show(shown === undefined ? 1 : shown.number + by);
  useKeys({ n: () => step(1), p: () => step(-1) }, { "n / p": "Next or previous passage" });

  return (
    <div class="pair-passages">
      <LongText label="Left text" text={textA} marks={marksA} shown={shown} select={show} />
      <LongText label="Right text" text={textB} marks={marksB} shown={shown} select={show} />
      <section class="passage-list" aria-label="Passages">
        <div class="row">
          <h3>{plural(passages.length, "passage")}</h3>
          <Button class="small" disabled={passages.length === 0} aria-keyshortcuts="p" aria-label="Previous passage" onClick={() => step(-1)}>
            ↑
          </Button>
          <Button class="small" disabled={passages.length === 0} aria-keyshortcuts="n" aria-label="Next passage" onClick={() => step(1)}>
            ↓
          </Button>
        </div>
        {passages.length === 0 && <p class="muted">No run of eight words or more stands in both.</p>}
        <ol>
          {passages.slice(0, MOST_LISTED).map((passage, place) => (
            <Listed key={place} passage={passage} number={place + 1} isShown={shown?.number === place + 1} show={show} />
          ))}
        </ol>
        {passages.length > MOST_LISTED && <p class="muted">{count(passages.length - MOST_LISTED)} more are marked in the texts.</p>}
      </section>
    </div>
  );
}

interface ListedProps {
  passage: Pair["passages"][number];
  number: number;
  isShown: boolean;
  show: (number: number) => void;
}

function Listed({ passage, number, isShown, show }: ListedProps) {
  return (
    <li>
      <button type="button" class="passage" aria-current={isShown} onClick={() => show(number)}>
        <span class={`mark-number ${markStyle(number)}`}>{number}</span>
        <span class="muted">{plural(passage.words, "word")}</span>
        <span class="passage-text" dir="auto">
          {passage.text.slice(0, LISTED_CHARACTERS)}
        </span>
      </button>
    </li>
  );
}
