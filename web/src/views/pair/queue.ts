/** Where the reader is among the pairs of a cluster, or of a list that another view made. */

import { useEffect } from "preact/hooks";

import { useData } from "../../lib/data";
import { count, nameText, plural } from "../../lib/format";
import { type DocumentName, clusterPath, isSame, nameOf } from "../../lib/names";
import { type PairNames, setQueue, useNeighbours } from "../../lib/pairs";
import { nameIn } from "../../lib/places";
import type { ViewProps } from "../../lib/router";
import type { Cluster } from "../../lib/types";

interface Way {
  before?: PairNames;
  after?: PairNames;
  /** Such as "Cluster a: 3 of 12"; absent: the pair stands alone. */
  text?: string;
  /** The pairs of the cluster are not known yet. */
  isLoading?: boolean;
  /** The view that has more pairs after the last. */
  back?: readonly string[];
}

const LABELLING = "label";

export function useQueue(a: DocumentName, b: DocumentName, route: ViewProps): Way {
  const [id, queue] = [route.query.get("in"), route.query.get("queue")];
  const cluster = id === null ? null : nameIn(route, id, "in_labels");
  const found = useNeighbours(a, b);
  const label = cluster === null ? found.label : `Cluster ${nameText(cluster)}`;
  // While the reader goes through a cluster its pairs stay as they are, although each decision may change it.
  const known = cluster === null || (found.label === label && found.place > 0);
  const { data, loading } = useData<Cluster>(known ? null : clusterPath(cluster));
  useEffect(() => {
    if (data !== undefined) setQueue(pairsOf(data), label);
  }, [data]);

  const isAlone = cluster === null && queue === null;
  if (isAlone || found.label !== label || found.total === 0) return { isLoading: loading && data === undefined };
  const { before, after, place, total } = found;
  const where = place === 0 ? `${label}: ${plural(total, "pair")}` : `${label}: ${count(place)} of ${count(total)}`;
  return { before, after, text: where, ...(queue === LABELLING && { back: [LABELLING] }) };
}

/** The master with each of the others. */
function pairsOf({ master: id, labels, members }: Cluster): PairNames[] {
  const master = nameOf({ id, labels });
  const others = members.map(nameOf).filter((member) => !isSame(member, master));
  return others.map((member) => [master, member]);
}
