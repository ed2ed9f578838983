import type { ComponentChildren } from "preact";
import { useMemo, useState } from "preact/hooks";

import { count, plural } from "../lib/format";
import { useKeys } from "../lib/keys";
import type { Mark } from "../lib/marks";
import { marksOf } from "../lib/offsets";
import type { ByteRange } from "../lib/types";
import "../style/shared-passages.css";
import { Button } from "./button";
import { LongText, markStyle } from "./long-text";

/** One of two texts. Its places in passages are bytes, as the service tells them. */
export interface TextSide {
  /** What the text is, for screen readers. */
  label: string;
  /** What stands above it. */
  head?: ComponentChildren;
  text: string;
  /** Where each passage is, in the order of the other side's. Keep them from render to render. */
  ranges: readonly ByteRange[];
}

interface SharedPassagesProps {
  left: TextSide;
  right: TextSide;
  /** The words of each passage. */
  words: readonly number[];
}

/** Longer lists help nobody; the texts hold all passages. */
const MOST_LISTED = 500;
const LISTED_CHARACTERS = 160;

/** Two texts side by side, with what they share in the same colour and under the same number. */
export function SharedPassages({ left, right, words }: SharedPassagesProps) {
  const marks = useMarks(left);
  const others = useMarks(right);
  const [shown, setShown] = useState<{ number: number }>();

  const show = (number: number) => marks[number - 1] && setShown({ number });
  const step = (by: number) => show(shown === undefined ? 1 : shown.number + by);
  useKeys({ n: () => step(1), p: () => step(-1) }, { "n / p": "Next or previous passage" });

  const total = marks.length;
  return (
    <div class="shared-passages">
      <Side {...left} {...{ marks, shown, show }} />
      <Side {...right} marks={others} {...{ shown, show }} />
      <section class="passage-list" aria-label="Passages">
        <div class="row">
          <h3>{plural(total, "passage")}</h3>
          <Button class="small" disabled={total === 0} aria-keyshortcuts="p" aria-label="Previous passage" onClick={() => step(-1)}>
            ↑
          </Button>
          <Button class="small" disabled={total === 0} aria-keyshortcuts="n" aria-label="Next passage" onClick={() => step(1)}>
            ↓
          </Button>
        </div>
        {total === 0 && <p class="muted">No run of eight words or more stands in both.</p>}
        <ol>
          {marks.slice(0, MOST_LISTED).map((mark, place) => (
            <Listed
              key={mark.number}
              mark={mark}
              text={left.text.slice(mark.start, Math.min(mark.end, mark.start + LISTED_CHARACTERS))}
              words={words[place] ?? 0}
              isShown={shown?.number === mark.number}
              show={show}
            />
          ))}
        </ol>
        {total > MOST_LISTED && <p class="muted">{count(total - MOST_LISTED)} more are marked in the texts.</p>}
      </section>
    </div>
  );
}

function useMarks({ text, ranges }: TextSide): Mark[] {
  return useMemo(() => marksOf(text, ranges), [text, ranges]);
}

interface SideProps extends TextSide {
  marks: readonly Mark[];
  shown: { number: number } | undefined;
  show: (number: number) => void;
}

function Side({ label, head, text, marks, shown, show }: SideProps) {
  return (
    <div class="shared-text">
      {head}
      <LongText {...{ label, text, marks, shown }} select={show} />
    </div>
  );
}

interface ListedProps {
  mark: Mark;
  text: string;
  words: number;
  isShown: boolean;
  show: (number: number) => void;
}

function Listed({ mark: { number }, text, words, isShown, show }: ListedProps) {
  return (
    <li>
      <button type="button" class="passage" aria-current={isShown} onClick={() => show(number)}>
        <span class={`mark-number ${markStyle(number)}`}>{number}</span>
        <span class="muted">{plural(words, "word")}</span>
        <span class="passage-text" dir="auto">
          {text}
        </span>
      </button>
    </li>
  );
}
