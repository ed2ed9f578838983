import { useMemo } from "preact/hooks";

import { similarity, titleOf } from "../../lib/format";
import { masterOfMap, nameOf } from "../../lib/names";
import { toDocument, toPair } from "../../lib/places";
import { Link } from "../../lib/router";
import type { ClusterMap, MapMember } from "../../lib/types";
import { layout, strength } from "./layout";

const WIDTH = 720;
const HEIGHT = 380;
const MARGIN = 24;

/** The members as points that lead to their comparison with the master; the closer two are, the stronger the line between them. */
export function Graph({ map }: { map: ClusterMap }) {
  const { members, pairs } = map;
  const points = useMemo(() => layout(members.length, pairs, WIDTH - 2 * MARGIN, HEIGHT - 2 * MARGIN), [map]);
  const share = strength(pairs);
  const titles = members.map(titleOf);
  return (
    <>
      <svg
        class="graph"
        role="group"
        aria-label={`Graph of ${members.length} documents; the table of members has the numbers`}
        viewBox={`${-WIDTH / 2} ${-HEIGHT / 2} ${WIDTH} ${HEIGHT}`}
      >
        <g aria-hidden="true">
          {pairs.map(([one, other, value]) => {
            const [a, b] = [points[one], points[other]];
            return (
              a &&
              b && (
                <line key={`${one} ${other}`} x1={a.x} y1={a.y} x2={b.x} y2={b.y} stroke-width={0.6 + 3.4 * share(value)}>
                  <title>{`${titles[one]} – ${titles[other]}: ${similarity(value)}`}</title>
                </line>
              )
            );
          })}
        </g>
        {members.map((member, place) => {
          const point = points[place];
          return point && <Node key={place} {...{ map, member, place, point }} />;
        })}
      </svg>
      <p class="muted">Numbers are those of the members. A line is the thicker the more two documents are alike; 1 is the master.</p>
    </>
  );
}

interface NodeProps {
  map: ClusterMap;
  member: MapMember;
  place: number;
  point: { x: number; y: number };
}

function Node({ map, member, place, point }: NodeProps) {
  const master = masterOfMap(map);
  const isMaster = place === 0;
  const leadsTo = isMaster ? toDocument(master) : toPair(master, nameOf(member), master);
  const name = isMaster ? `${titleOf(member)}, the master` : `${titleOf(member)}, ${similarity(member.similarity)} like the master`;
  return (
    <Link {...leadsTo} class={isMaster ? "node master" : "node"} aria-label={`${place + 1}: ${name}`}>
      <title>{name}</title>
      <circle cx={point.x} cy={point.y} r={isMaster ? 16 : 12} />
      <text x={point.x} y={point.y}>
        {place + 1}
      </text>
    </Link>
  );
}
