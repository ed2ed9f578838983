import { idPath } from "../../lib/api";
import { useData } from "../../lib/data";
import { idText, plural, similarity } from "../../lib/format";
import { Link } from "../../lib/router";
import type { Cluster, Stored } from "../../lib/types";

/** What the document resembles, in a sentence. */
export function ClusterOf({ stored }: { stored: Stored }) {
  const { data } = useData<Cluster>(`/api/clusters/${idPath(stored.id)}`);
  // As high as the sentence that comes.
  if (data === undefined) return <p class="document-cluster">&nbsp;</p>;
  if (data.size < 2) return <p class="document-cluster muted">It resembles no other document.</p>;
  const own = data.members.find((member) => member.id === stored.id);
  return (
    <p class="document-cluster">
      {data.master === stored.id ? "It stands for" : "It belongs to"}{" "}
      <Link to={["clusters", data.cluster]}>a cluster of {plural(data.size, "document")}</Link>
      {data.master !== stored.id && (
        <>
          {" and is "}
          <Link to={["pairs", data.master, stored.id]} query={{ in: idText(data.cluster) }}>
            {similarity(own?.similarity)} like its master
          </Link>
        </>
      )}
      .
    </p>
  );
}
