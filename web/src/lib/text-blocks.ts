/** A long text in blocks, each of which the browser lays out only when it is looked at. */

export interface Block {
  start: number;
  end: number;
}

/** A block ends with the first line that ends behind so many characters. */
const WANTED = 4000;
/** A line that is longer is cut, if possible between words. */
const MOST = 10_000;

export function blocksOf(text: string): Block[] {
  const blocks: Block[] = [];
  for (let start = 0; start < text.length; ) {
    const end = endOf(text, start);
    blocks.push({ start, end });
    start = end;
  }
  return blocks;
}

/** How high a block will be, roughly: it only has to keep the scrollbar from jumping. */
export function heightOf(characters: number, perLine: number): number {
  const LINE_PIXELS = 21;
  return Math.ceil(characters / perLine) * LINE_PIXELS;
}

function endOf(text: string, start: number): number {
  if (text.length - start <= WANTED) return text.length;
  // Only so far, since there may be no line end in all of the text.
  const line = text.slice(start + WANTED, start + MOST).indexOf("\n");
  if (line >= 0) return start + WANTED + line + 1;
  return text.length - start <= MOST ? text.length : cut(text, start);
}

function cut(text: string, start: number): number {
  const space = text.slice(start + WANTED, start + MOST).lastIndexOf(" ");
  if (space >= 0) return start + WANTED + space + 1;
  // Scripts without spaces: anywhere but within a character.
  const end = start + MOST;
  const code = text.charCodeAt(end - 1);
  return code >= 0xd800 && code < 0xdc00 ? end + 1 : end;
}
