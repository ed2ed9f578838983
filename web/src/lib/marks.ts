/** Numbered marks of a text, which may overlap, as pieces that do not. */

export interface Mark {
  /** From 1. */
  number: number;
  start: number;
  end: number;
}

export interface MarkedPiece {
  start: number;
  end: number;
  /** All marks that cover it; the one that is seen comes last. */
  numbers: number[];
  /** Those of them that begin here. */
  begins: number[];
}

/** By rising start. Where marks overlap, the one that begins last is seen. */
export function piecesOf(marks: readonly Mark[]): MarkedPiece[] {
  const sorted = marks.filter((mark) => mark.end > mark.start).sort((a, b) => a.start - b.start || b.end - a.end);
  const edges = [...new Set(sorted.flatMap((mark) => [mark.start, mark.end]))].sort((a, b) => a - b);
  const pieces: MarkedPiece[] = [];
  let open: Mark[] = [];
  let next = 0;
  edges.forEach((start, place) => {
    open = open.filter((mark) => mark.end > start);
    const begins: number[] = [];
    for (let mark = sorted[next]; mark !== undefined && mark.start === start; mark = sorted[next]) {
      open.push(mark);
      begins.push(mark.number);
      next += 1;
    }
    const end = edges[place + 1];
    if (open.length === 0 || end === undefined) return;
    pieces.push({ start, end, numbers: open.map((mark) => mark.number), begins });
  });
  return pieces;
}

/** The place of the first piece that ends behind the place in the text. */
export function firstBehind(pieces: readonly MarkedPiece[], place: number): number {
  let from = 0;
  let to = pieces.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((pieces[middle]?.end ?? 0) <= place) from = middle + 1;
    else to = middle;
  }
  return from;
}
