/** One cluster: who belongs to it, how close they are, who may be missing. */

import { useMemo, useState } from "preact/hooks";

import { type Data, useData, useMe } from "../lib/data";
import { verdictsOf } from "../lib/decide";
import { plural, similarity } from "../lib/format";
import { useKeys } from "../lib/keys";
import { type DocumentName, clusterPath, isSame, masterOfMap } from "../lib/names";
import { nameIn, toCluster, toPair } from "../lib/places";
import { Link, type ViewProps, go } from "../lib/router";
import type { ClusterMap, ClusterShape, Decisions } from "../lib/types";
import { Empty, Failed, Loading, Page, Refused } from "../parts";
import { Graph } from "./cluster/graph";
import { HeatMap } from "./cluster/heat-map";
import { Members } from "./cluster/members";
import { OutsideDocuments } from "./cluster/outside";

const MEMBERS = 200;
/** Above that a graph is a knot, and groups are drawn. */
const LARGEST_GRAPH = 30;
/** Cells of a heat-map that are still seen, on a wide screen and a narrow one. */
const [LARGEST_HEAT_MAP, NARROW_HEAT_MAP] = [160, 96];
const NARROW = "(max-width: 700px)";

export default function ClusterView(route: ViewProps) {
  const id = route.path[1] ?? "";
  const asked = clusterPath(nameIn(route, id), "/map", { limit: MEMBERS });
  const { data: map, error, loading, reload } = useData<ClusterMap>(asked);
  // Of a cluster that turns out to be small the graph is enough, but none should wait for that.
  const graph = useData<ClusterShape>(clusterPath(nameIn(route, id), "/shape", { limit: LARGEST_GRAPH, by: "linked" }));
  const cells = useData<ClusterShape>(clusterPath(nameIn(route, id), "/shape", { limit: matchMedia(NARROW).matches ? NARROW_HEAT_MAP : LARGEST_HEAT_MAP }));
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
          <Closeness {...{ graph, cells }} />
        </>
      )}
      {map !== undefined && <OutsideDocuments map={map} verdicts={verdicts} />}
    </Page>
  );
}

/** Pictures of the whole cluster, however many members the table has. */
function Closeness({ graph, cells }: { graph: Data<ClusterShape>; cells: Data<ClusterShape> }) {
  const isLarge = (graph.data?.shown ?? 0) > LARGEST_GRAPH;
  const error = graph.error ?? cells.error;
  const { data } = graph;
  const reload = () => {
    graph.reload();
    cells.reload();
  };
  return (
    <section class="card">
      <h2>How close they are</h2>
      {error && <Failed error={error} retry={reload} />}
      {data === undefined && graph.loading && <Loading lines={8} />}
      {data !== undefined && data.contents < 2 && <p class="muted">All are exact copies of each other.</p>}
      {data !== undefined && data.contents >= 2 && (
        <>
          <p>
            {plural(data.size, "document")}, {plural(data.contents, "different text")}
            {data.weakest !== null && `; the weakest measured similarity is ${similarity(data.weakest)}`}.
          </p>
          <Graph shape={data} />
          {isLarge && cells.data && <HeatMap shape={cells.data} />}
        </>
      )}
    </section>
  );
}

function Summary({ map }: { map: ClusterMap }) {
  return <>{plural(map.size, "document")}. The first one stands for all.</>;
}
