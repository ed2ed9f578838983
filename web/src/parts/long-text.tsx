import { useEffect, useMemo, useRef } from "preact/hooks";

import { type Mark, type MarkedPiece, firstBehind, piecesOf } from "../lib/marks";
import { scrollTo } from "../lib/scroll-to";
import { type Block, blocksOf, heightOf } from "../lib/text-blocks";
import "../style/long-text.css";

interface LongTextProps {
  /** What the text is, for screen readers. */
  label: string;
  text: string;
  /** Keep them from render to render: other marks draw the text anew. */
  marks?: readonly Mark[];
  /** The number of the mark that is shown; each other object scrolls to it. */
  shown?: { number: number };
  select?: (number: number) => void;
}

/** Colours and lines under the marks; then they begin again. */
const STYLES = 8;
const CHARACTERS_A_LINE = 75;
const NO_MARKS: readonly Mark[] = [];

export function markStyle(number: number): string {
  return `mark-${(number - 1) % STYLES}`;
}

/** A text of any length in a box of its own. */
export function LongText({ label, text, marks = NO_MARKS, shown, select }: LongTextProps) {
  const box = useRef<HTMLDivElement>(null);
  // The same nodes with each render, so that a choice does not draw megabytes again.
  const blocks = useMemo(() => {
    const pieces = piecesOf(marks);
    return blocksOf(text).map((block) => <TextBlock key={block.start} {...{ text, block, pieces }} />);
  }, [text, marks]);

  useEffect(() => {
    if (box.current === null || shown === undefined) return;
    const pieces = [...box.current.querySelectorAll(`[data-marks~="${shown.number}"]`)];
    for (const piece of pieces) piece.classList.add("shown");
    if (pieces[0]) scrollTo(box.current, pieces[0]);
    return () => pieces.forEach((piece) => piece.classList.remove("shown"));
  }, [shown, blocks]);

  const click = (event: MouseEvent) => {
    if (select === undefined || !(event.target instanceof Element)) return;
    const button = event.target.closest("button")?.dataset["mark"];
    const piece = event.target.closest<HTMLElement>("[data-marks]")?.dataset["marks"]?.split(" ").at(-1);
    // Who selects some text does not want to go anywhere.
    if (button === undefined && !getSelection()?.isCollapsed) return;
    const number = button ?? piece;
    if (number !== undefined) select(Number(number));
  };

  return (
    <div ref={box} class="long-text" role="region" aria-label={label} tabIndex={0} onClick={click}>
      {text === "" ? <p class="muted">This document has no text.</p> : blocks}
    </div>
  );
}

interface TextBlockProps {
  text: string;
  block: Block;
  pieces: readonly MarkedPiece[];
}

function TextBlock({ text, block: { start, end }, pieces }: TextBlockProps) {
  const content = [];
  let place = start;
  for (let number = firstBehind(pieces, start); number < pieces.length; number += 1) {
    const piece = pieces[number];
    if (piece === undefined || piece.start >= end) break;
    const [from, to] = [Math.max(start, piece.start), Math.min(end, piece.end)];
    if (from > place) content.push(text.slice(place, from));
    content.push(<Marked key={from} piece={piece} isStart={from === piece.start} text={text.slice(from, to)} />);
    place = to;
  }
  if (place < end) content.push(text.slice(place, end));
  return (
    <div class="text-block" dir="auto" style={{ containIntrinsicSize: `auto ${heightOf(end - start, CHARACTERS_A_LINE)}px` }}>
      {content}
    </div>
  );
}

function Marked({ piece, isStart, text }: { piece: MarkedPiece; isStart: boolean; text: string }) {
  const top = piece.numbers.at(-1) ?? 1;
  return (
    <mark class={markStyle(top)} data-marks={piece.numbers.join(" ")}>
      {isStart &&
        piece.begins.map((number) => (
          <button key={number} type="button" class="mark-number" data-mark={number} aria-label={`Passage ${number}`}>
            {number}
          </button>
        ))}
      {text}
    </mark>
  );
}
