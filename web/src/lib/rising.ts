/** The places of a longest subsequence of values that rise. */
export function longestRising(values: readonly number[]): number[] {
  // For each length, where the subsequence with the smallest end ends.
  const ends: number[] = [];
  const before = new Int32Array(values.length);
  values.forEach((value, place) => {
    let from = 0;
    let to = ends.length;
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((values[ends[middle] ?? 0] ?? 0) < value) from = middle + 1;
      else to = middle;
    }
    before[place] = ends[from - 1] ?? -1;
    ends[from] = place;
  });
  const places = new Array<number>(ends.length);
  let place = ends.at(-1) ?? -1;
  for (let at = ends.length - 1; at >= 0; at -= 1) {
    places[at] = place;
    place = before[place] ?? -1;
  }
  return places;
}
