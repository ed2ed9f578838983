/** One cluster: who belongs to it, how close they are, who may be missing. */

import { useMemo, useState } from "preact/hooks";

import { idPath } from "../lib/api";
import { useData } from "../lib/data";
import { decisionFinder } from "../lib/decide";
import { count, idText, plural, similarity } from "../lib/format";
import { useKeys } from "../lib/keys";
import { Link, type ViewProps, go } from "../lib/router";
import type { ClusterMap, Decisions, Id } from "../lib/types";
import { Empty, Failed, Loading, Page } from "../parts";
import { Graph } from "./cluster/graph";
import { HeatMap } from "./cluster/heat-map";
import { Members } from "./cluster/members";
import { OutsideDocuments } from "./cluster/outside";

const MEMBERS = 200;
/** Above that a graph is a knot. */
const LARGEST_GRAPH = 35;

export default function ClusterView({ path }: ViewProps) {
  const id = path[1] ?? "";
  const { data: map, error, loading, reload } = useData<ClusterMap>(`/api/clusters/${idPath(id)}/map?limit=${MEMBERS}`);
  const { data: decided } = useData<Decisions>("/api/decisions");
  const verdict = useMemo(() => decisionFinder(decided?.decisions ?? []), [decided]);
  const [selected, setSelected] = useState<readonly Id[]>([]);
  useKeys({ l: () => go(["clusters"]) }, { l: "All clusters" });

  const master = map?.members[0];
  const [one, other] = selected;
  const compare = map !== undefined && one !== undefined && other !== undefined && (
    <Link class="button primary" to={["pairs", one, other]} query={{ in: idText(map.cluster) }}>
      Compare the two
    </Link>
  );
  // The third choice takes the place of the first.
  const select = (member: Id) =>
    setSelected((before) => (before.includes(member) ? before.filter((id) => id !== member) : [...before, member].slice(-2)));

  return (
    <Page title={master?.title?.trim() || `Cluster ${id}`} lead={map && <Summary map={map} />} actions={compare}>
      {error && <Failed error={error} retry={reload} />}
      {map === undefined && loading && <Loading lines={12} />}
      {map !== undefined && map.size < 2 && (
        <Empty title="This document resembles no other.">
          <Link to="clusters">All clusters</Link>
        </Empty>
      )}
      {map !== undefined && map.size >= 2 && (
        <>
          <Members {...{ map, selected, select, verdict }} />
          <section class="card">
            <h2>How close they are</h2>
            {map.members.length <= LARGEST_GRAPH ? <Graph map={map} /> : <HeatMap map={map} />}
          </section>
        </>
      )}
      {map !== undefined && <OutsideDocuments map={map} verdict={verdict} />}
    </Page>
  );
}

function Summary({ map }: { map: ClusterMap }) {
  const weakest = map.pairs.reduce((least, [, , value]) => Math.min(least, value), 1);
  const shown = map.members.length < map.size ? `, of which ${count(map.members.length)} are shown` : "";
  return (
    <>
      {plural(map.size, "document")}
      {shown}
      {map.pairs.length > 0 && `; the weakest measured similarity is ${similarity(weakest)}`}. The first one stands for all.
    </>
  );
}
