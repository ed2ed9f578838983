/** The service tells places in bytes of UTF-8; texts of the page are counted otherwise. */

import type { Mark } from "./marks";
import type { ByteRange } from "./types";

/** The ranges as marks of the text, numbered from 1 in the order given. */
export function marksOf(text: string, ranges: readonly ByteRange[]): Mark[] {
  const places = placesOf(text, ranges.flat());
  return ranges.map((_, at) => ({ number: at + 1, start: places[2 * at] ?? 0, end: places[2 * at + 1] ?? 0 }));
}

/** The places in the text of these bytes, in the order given. One walk, however many. */
function placesOf(text: string, offsets: readonly number[]): number[] {
  const places = new Array<number>(offsets.length).fill(text.length);
  const rising = offsets.map((offset, at) => ({ offset, at })).sort((a, b) => a.offset - b.offset);
  let byte = 0;
  let place = 0;
  for (const { offset, at } of rising) {
    while (byte < offset && place < text.length) {
      const code = text.codePointAt(place) ?? 0;
      byte += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
      place += code < 0x10000 ? 1 : 2;
    }
    places[at] = place;
  }
  return places;
}
