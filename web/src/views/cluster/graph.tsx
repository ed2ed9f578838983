import { useMemo } from "preact/hooks";

import { count, percent, plural, similarity, titleOf } from "../../lib/format";
import { nameOf } from "../../lib/names";
import { toDocument, toPair } from "../../lib/places";
import { Link } from "../../lib/router";
import type { ClusterShape, ShapeGroup } from "../../lib/types";
import { type Edge, layout } from "./layout";

const WIDTH = 720;
const HEIGHT = 380;
const MARGIN = 34;
const [SMALLEST, LARGEST] = [11, 30];

/** Groups of documents as points that lead to their comparison with the master; the farther apart, the less alike. */
export function Graph({ shape }: { shape: ClusterShape }) {
  const { groups } = shape;
  const edges = useMemo(() => shape.pairs.filter(([a, b]) => a !== b).map(([a, b, value]): Edge => [a, b, value]), [shape]);
  const { points, error } = useMemo(() => layout(groups.length, edges, WIDTH - 2 * MARGIN, HEIGHT - 2 * MARGIN), [shape]);
  const most = Math.max(...groups.map(({ documents }) => documents));
  const isGrouped = groups.length < shape.shown;
  return (
    <>
      <svg
        class="graph"
        role="group"
        aria-label={`Graph of ${plural(groups.length, isGrouped ? "group" : "text")}; the table of members has the documents`}
        viewBox={`${-WIDTH / 2} ${-HEIGHT / 2} ${WIDTH} ${HEIGHT}`}
      >
        <g aria-hidden="true">
          {closest(edges, groups.length).map(([one, other, value]) => {
            const [a, b] = [points[one], points[other]];
            return (
              a &&
              b && (
                <line key={`${one} ${other}`} x1={a.x} y1={a.y} x2={b.x} y2={b.y}>
                  <title>{`${labelOf(groups[one])} – ${labelOf(groups[other])}: ${similarity(value)}`}</title>
                </line>
              )
            );
          })}
        </g>
        {groups.map((group, place) => {
          const point = points[place];
          const radius = SMALLEST + (LARGEST - SMALLEST) * Math.sqrt((group.documents - 1) / Math.max(1, most - 1));
          return point && <Node key={place} {...{ shape, group, place, point, radius }} />;
        })}
      </svg>
      <p class="muted">
        The farther apart, the less alike: drawn distances are off by {percent(error)} on average. A line leads to the most similar neighbour, 1
        is or has the master, and the larger a circle, the more documents it stands for.
        {isGrouped && ` A group is of texts that are more alike to each other than to any other group (single linkage).`}
      </p>
    </>
  );
}

/** For each node the strongest of its edges. */
function closest(edges: readonly Edge[], nodes: number): Edge[] {
  const best: (Edge | undefined)[] = Array.from({ length: nodes });
  for (const edge of edges) {
    for (const node of [edge[0], edge[1]]) {
      const known = best[node];
      if (known === undefined || edge[2] > known[2]) best[node] = edge;
    }
  }
  return [...new Set(best.filter((edge) => edge !== undefined))];
}

export function labelOf(group: ShapeGroup | undefined): string {
  if (group === undefined) return "";
  return group.documents > 1 ? `${titleOf(group)} and ${count(group.documents - 1)} more` : titleOf(group);
}

interface NodeProps {
  shape: ClusterShape;
  group: ShapeGroup;
  place: number;
  point: { x: number; y: number };
  radius: number;
}

function Node({ shape, group, place, point, radius }: NodeProps) {
  const first = shape.groups[0] ?? group;
  const isMaster = place === 0;
  const leadsTo = isMaster ? toDocument(nameOf(first)) : toPair(nameOf(first), nameOf(group), nameOf(first));
  const name = isMaster ? `${labelOf(group)}, with the master` : labelOf(group);
  return (
    <Link {...leadsTo} class={isMaster ? "node master" : "node"} aria-label={`${place + 1}: ${name}`}>
      <title>{name}</title>
      <circle cx={point.x} cy={point.y} r={radius} />
      <text x={point.x} y={point.y}>
        {place + 1}
      </text>
    </Link>
  );
}
