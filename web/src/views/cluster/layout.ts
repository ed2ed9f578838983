/**
 * Places for the nodes of a small graph: neighbours are drawn together as far as they are alike, all others pushed apart. The first
 * node stays in the middle. Nothing is random, so a cluster always looks the same.
 */

export interface Point {
  x: number;
  y: number;
}

/** Places of two nodes and their similarity. */
export type Edge = readonly [number, number, number];

const ROUNDS = 300;
const APART = 60;
/** Between the ideal lengths of the strongest and the weakest edge. */
const [SHORTEST, LONGEST] = [70, 220];
const GOLDEN_ANGLE = Math.PI * (3 - Math.sqrt(5));

/** Points within a box of the size around the middle. */
export function layout(nodes: number, edges: readonly Edge[], width: number, height: number): Point[] {
  const points = Array.from({ length: nodes }, (_, place) => {
    const radius = APART * Math.sqrt(place);
    return { x: radius * Math.cos(place * GOLDEN_ANGLE), y: radius * Math.sin(place * GOLDEN_ANGLE) };
  });
  const lengths = idealLengths(edges);
  for (let round = 0; round < ROUNDS; round += 1) {
    const forces = points.map((point) => ({ x: -0.01 * point.x, y: -0.01 * point.y }));
    pushApart(points, forces);
    pullTogether(points, forces, edges, lengths);
    move(points, forces, 30 * (1 - round / ROUNDS));
  }
  return fit(points, width / 2, height / 2);
}

/** From 0 for the weakest to 1 for the strongest. */
export function strength(edges: readonly Edge[]): (similarity: number) => number {
  const values = edges.map((edge) => edge[2]);
  const least = Math.min(...values);
  const spread = Math.max(...values) - least;
  return (similarity) => (spread > 0 ? (similarity - least) / spread : 1);
}

function idealLengths(edges: readonly Edge[]): number[] {
  const share = strength(edges);
  return edges.map((edge) => LONGEST - (LONGEST - SHORTEST) * share(edge[2]));
}

function pushApart(points: readonly Point[], forces: Point[]): void {
  points.forEach((a, one) => {
    points.forEach((b, other) => {
      const force = forces[one];
      if (one === other || force === undefined) return;
      const [dx, dy] = [a.x - b.x, a.y - b.y];
      const squared = Math.max(1, dx * dx + dy * dy);
      force.x += (dx * APART * APART) / squared / 10;
      force.y += (dy * APART * APART) / squared / 10;
    });
  });
}

function pullTogether(points: readonly Point[], forces: Point[], edges: readonly Edge[], lengths: readonly number[]): void {
  // A node with many edges is not pulled harder than one with few.
  const pull = 0.5 / Math.max(1, edges.length / points.length);
  edges.forEach(([one, other], place) => {
    const [a, b, onA, onB] = [points[one], points[other], forces[one], forces[other]];
    if (!a || !b || !onA || !onB) return;
    const [dx, dy] = [b.x - a.x, b.y - a.y];
    const distance = Math.max(1, Math.hypot(dx, dy));
    const force = (pull * (distance - (lengths[place] ?? LONGEST))) / distance;
    onA.x += dx * force;
    onA.y += dy * force;
    onB.x -= dx * force;
    onB.y -= dy * force;
  });
}

/** Moves all but the first, by at most `most`. */
function move(points: Point[], forces: readonly Point[], most: number): void {
  points.forEach((point, place) => {
    const force = forces[place];
    if (place === 0 || force === undefined) return;
    const size = Math.max(1e-9, Math.hypot(force.x, force.y));
    const step = Math.min(size, most) / size;
    point.x += force.x * step;
    point.y += force.y * step;
  });
}

function fit(points: readonly Point[], halfWidth: number, halfHeight: number): Point[] {
  const widest = Math.max(1, ...points.map((point) => Math.abs(point.x)));
  const highest = Math.max(1, ...points.map((point) => Math.abs(point.y)));
  // Stretched to the box: only who is beside whom is told by the places, not how far.
  return points.map(({ x, y }) => ({ x: (x / widest) * halfWidth, y: (y / highest) * halfHeight }));
}
