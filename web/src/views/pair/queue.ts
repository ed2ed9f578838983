/** Where the reader is among the pairs of a cluster, or of a list that another view made. */

import { useEffect } from "preact/hooks";

import { idPath } from "../../lib/api";
import { useData } from "../../lib/data";
import { count, plural } from "../../lib/format";
import { type PairIds, setQueue, useNeighbours } from "../../lib/pairs";
import type { Cluster } from "../../lib/types";

interface Way {
  before?: PairIds;
  after?: PairIds;
  /** Such as "Cluster a: 3 of 12"; absent: the pair stands alone. */
  text?: string;
  /** The pairs of the cluster are not known yet. */
  isLoading?: boolean;
  /** The view that has more pairs after the last. */
  back?: readonly string[];
}

const LABELLING = "label";

export function useQueue(a: string, b: string, query: URLSearchParams): Way {
  const [cluster, queue] = [query.get("in"), query.get("queue")];
  const found = useNeighbours(a, b);
  const label = cluster === null ? found.label : `Cluster ${cluster}`;
  // While the reader goes through a cluster its pairs stay as they are, although each decision may change it.
  const known = cluster === null || (found.label === label && found.place > 0);
  const { data, loading } = useData<Cluster>(known ? null : `/api/clusters/${idPath(cluster)}`);
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
function pairsOf({ master, members }: Cluster): PairIds[] {
  return members.filter((member) => member.id !== master).map((member) => [master, member.id]);
}
