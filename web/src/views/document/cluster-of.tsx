import { useData } from "../../lib/data";
import { plural, similarity } from "../../lib/format";
import { clusterPath, isSame, nameOf } from "../../lib/names";
import { toCluster, toPair } from "../../lib/places";
import { Link } from "../../lib/router";
import type { Cluster, Stored } from "../../lib/types";

/** What the document resembles, in a sentence. */
export function ClusterOf({ stored }: { stored: Stored }) {
  const name = nameOf(stored);
  const { data } = useData<Cluster>(clusterPath(name));
  // As high as the sentence that comes.
  if (data === undefined) return <p class="document-cluster">&nbsp;</p>;
  if (data.size < 2) return <p class="document-cluster muted">It resembles no other document.</p>;
  const master = nameOf({ id: data.master, labels: data.labels });
  const own = data.members.find((member) => isSame(nameOf(member), name));
  return (
    <p class="document-cluster">
      {isSame(master, name) ? "It stands for" : "It belongs to"}{" "}
      <Link {...toCluster(master)}>a cluster of {plural(data.size, "document")}</Link>
      {!isSame(master, name) && (
        <>
          {" and is "}
          <Link {...toPair(master, name, master)}>{similarity(own?.similarity)} like its master</Link>
        </>
      )}
      .
    </p>
  );
}
