/** One cluster: who belongs to it, how close they are, who may be missing. */

import { useMemo, useState } from "preact/hooks";

import { useData, useMe } from "../lib/data";
import { verdictsOf } from "../lib/decide";
import { count, plural, similarity } from "../lib/format";
import { useKeys } from "../lib/keys";
import { type DocumentName, clusterPath, isSame, masterOfMap } from "../lib/names";
import { nameIn, toCluster, toPair } from "../lib/places";
import { Link, type ViewProps, go } from "../lib/router";
import type { ClusterMap, Decisions } from "../lib/types";
import { Empty, Loading, Page, Refused } from "../parts";
import { Graph } from "./cluster/graph";
import { HeatMap } from "./cluster/heat-map";
import { Members } from "./cluster/members";
import { OutsideDocuments } from "./cluster/outside";

const MEMBERS = 200;
/** Above that a graph is a knot. */
const LARGEST_GRAPH = 35;

export default function ClusterView(route: ViewProps) {
  const id = route.path[1] ?? "";
  const asked = clusterPath(nameIn(route, id), "/map", { limit: MEMBERS });
  const { data: map, error, loading, reload } = useData<ClusterMap>(asked);
  const { data: decided } = useData<Decisions>("/api/decisions");
  const me = useMe();
  const verdicts = useMemo(() => verdictsOf(decided?.decisions ?? [], me?.name), [decided, me]);
  const [selected, setSelected] = useState<readonly DocumentName[]>([]);
  useKeys({ l: () => go(["clusters"]) }, { l: "All clusters" });

  const master = map?.members[0];
  const [one, other, more] = selected;
  const compare = map !== undefined && one !== undefined && other !== undefined && more === undefined && (
    <Link class="button primary" {...toPair(one, other, masterOfMap(map))}>
      Compare the two
    </Link>
  );
  const select = (member: DocumentName) =>
    setSelected((before) => {
      const others = before.filter((chosen) => !isSame(chosen, member));
      return others.length < before.length ? others : [...before, member];
    });

  return (
    <Page title={master?.title?.trim() || `Cluster ${id}`} lead={map && <Summary map={map} />} actions={compare}>
      {error && <Refused error={error} retry={reload} choose={(labels) => toCluster({ id, labels })} />}
      {map === undefined && loading && <Loading lines={12} />}
      {map !== undefined && map.size < 2 && (
        <Empty title="This document resembles no other.">
          <Link to="clusters">All clusters</Link>
        </Empty>
      )}
      {map !== undefined && map.size >= 2 && (
        <>
          <Members {...{ map, selected, select, setSelected, verdicts }} />
          <section class="card">
            <h2>How close they are</h2>
            {map.members.length <= LARGEST_GRAPH ? <Graph map={map} /> : <HeatMap map={map} />}
          </section>
        </>
      )}
      {map !== undefined && <OutsideDocuments map={map} verdicts={verdicts} />}
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
