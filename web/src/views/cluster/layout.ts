/**
 * Places for the nodes of a small graph, such that distances mean something: the farther apart two are drawn, the less they are alike.
 *
 * Stress majorization (Gansner, Koren and North 2004): each node goes to where the others want it, again and again, which never makes
 * the drawing worse. Nothing is random, so a cluster always looks the same.
 */

export interface Point {
  x: number;
  y: number;
}

/** Places of two nodes and their similarity. */
export type Edge = readonly [number, number, number];

export interface Layout {
  points: Point[];
  /** By which share the drawn distances of the edges differ from what they should be, on average. */
  error: number;
}

const ROUNDS = 200;
/** Two that are the same are still two. */
const SHORTEST = 0.03;
/** Pairs that were not compared are kept apart, but give way to those that were. */
const [FARTHER, WEIGHT_OF_UNKNOWN] = [1.2, 0.02];
const GOLDEN_ANGLE = Math.PI * (3 - Math.sqrt(5));

/** Points within a box of the size around the middle. */
export function layout(nodes: number, edges: readonly Edge[], width: number, height: number): Layout {
  const wanted = wantedDistances(nodes, edges);
  const scale = Math.max(...wanted, SHORTEST);
  let points: Point[] = Array.from({ length: nodes }, (_, place) => {
    const radius = scale * Math.sqrt(place / Math.max(1, nodes));
    return { x: radius * Math.cos(place * GOLDEN_ANGLE), y: radius * Math.sin(place * GOLDEN_ANGLE) };
  });
  const known = new Set(edges.map(([a, b]) => a * nodes + b));
  const weight = (a: number, b: number) => {
    const distance = wanted[a * nodes + b] ?? scale;
    return (known.has(a * nodes + b) || known.has(b * nodes + a) ? 1 : WEIGHT_OF_UNKNOWN) / (distance * distance);
  };
  for (let round = 0; round < ROUNDS; round += 1) points = points.map((point, place) => wantedPlace(point, place, points, wanted, weight));
  return { points: fit(points, width / 2, height / 2), error: errorOf(points, edges, wanted) };
}

/** One less the similarity, for every two nodes. */
function wantedDistances(nodes: number, edges: readonly Edge[]): Float64Array {
  const farthest = edges.reduce((most, [, , similarity]) => Math.max(most, 1 - similarity), SHORTEST);
  const wanted = new Float64Array(nodes * nodes).fill(farthest * FARTHER);
  for (const [a, b, similarity] of edges) {
    const distance = Math.max(SHORTEST, 1 - similarity);
    wanted[a * nodes + b] = distance;
    wanted[b * nodes + a] = distance;
  }
  return wanted;
}

/** The mean of the places at which a node would have the right distance to each of the others. */
function wantedPlace(point: Point, place: number, points: readonly Point[], wanted: Float64Array, weight: (a: number, b: number) => number): Point {
  const sum = { x: 0, y: 0, weight: 0 };
  points.forEach((other, at) => {
    if (at === place) return;
    const [dx, dy] = [point.x - other.x, point.y - other.y];
    const distance = Math.max(1e-9, Math.hypot(dx, dy));
    const length = (wanted[place * points.length + at] ?? 0) / distance;
    const share = weight(place, at);
    sum.x += share * (other.x + dx * length);
    sum.y += share * (other.y + dy * length);
    sum.weight += share;
  });
  return sum.weight > 0 ? { x: sum.x / sum.weight, y: sum.y / sum.weight } : point;
}

function errorOf(points: readonly Point[], edges: readonly Edge[], wanted: Float64Array): number {
  const errors = edges.flatMap(([a, b]) => {
    const [one, other] = [points[a], points[b]];
    const distance = wanted[a * points.length + b];
    if (one === undefined || other === undefined || distance === undefined) return [];
    return [Math.abs(Math.hypot(one.x - other.x, one.y - other.y) - distance) / distance];
  });
  return errors.length === 0 ? 0 : errors.reduce((sum, error) => sum + error, 0) / errors.length;
}

/** By the same measure both ways, so that distances stay true. */
function fit(points: readonly Point[], halfWidth: number, halfHeight: number): Point[] {
  const [xs, ys] = [points.map(({ x }) => x), points.map(({ y }) => y)];
  const middle = (values: readonly number[]) => (Math.min(...values) + Math.max(...values)) / 2;
  const half = (values: readonly number[]) => Math.max(1e-9, (Math.max(...values) - Math.min(...values)) / 2);
  const [x0, y0] = [middle(xs), middle(ys)];
  const scale = Math.min(halfWidth / half(xs), halfHeight / half(ys));
  return points.map(({ x, y }) => ({ x: (x - x0) * scale, y: (y - y0) * scale }));
}
