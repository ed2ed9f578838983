import { useMemo } from "preact/hooks";

import { piecesOf } from "../lib/marks";
import { marksOf } from "../lib/offsets";
import type { ByteRange } from "../lib/types";
import "../style/snippet.css";

interface SnippetProps {
  text: string;
  /** What is marked. */
  ranges: readonly ByteRange[];
}

/** A short text with marked words. */
export function Snippet({ text, ranges }: SnippetProps) {
  const content = useMemo(() => {
    const pieces = piecesOf(marksOf(text, ranges));
    const ends = [0, ...pieces.map((piece) => piece.end)];
    return [
      ...pieces.flatMap(({ start, end }, place) => [text.slice(ends[place], start), <mark key={start}>{text.slice(start, end)}</mark>]),
      text.slice(ends.at(-1)),
    ];
  }, [text, ranges]);
  return (
    <p class="snippet" dir="auto">
      {content}
    </p>
  );
}
