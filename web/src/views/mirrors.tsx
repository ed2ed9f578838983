/** Hosts whose documents are in clusters together: of two such hosts only one need be crawled. */

import { useEffect } from "preact/hooks";

import { useData } from "../lib/data";
import { count, percent, plural } from "../lib/format";
import { toPair } from "../lib/places";
import { Link } from "../lib/router";
import type { MirrorPair, Mirrors } from "../lib/types";
import { type Column, Empty, Failed, Loading, Page, Table } from "../parts";

/** Milliseconds until it is asked again while addresses are being read. */
const AGAIN = 1000;

export default function MirrorsView() {
  const { data, error, loading, reload } = useData<Mirrors>("/api/mirrors?limit=1000");
  const isReading = data !== undefined && data.unread > 0;
  useEffect(() => {
    if (!isReading) return;
    const timer = setTimeout(reload, AGAIN);
    return () => clearTimeout(timer);
  }, [data]);
  return (
    <Page title="Mirrors" actions={data && <span>{plural(data.found, "pair")}</span>}>
      {error && <Failed error={error} retry={reload} />}
      {data === undefined && loading && <Loading lines={12} />}
      {isReading && <p>The addresses of {plural(data.unread, "document")} are still being read.</p>}
      {data !== undefined && !isReading && data.found === 0 && (
        <Empty title="No hosts mirror each other.">
          Two hosts are mirrors if three or more clusters have documents of both, and half of the documents of each are in such clusters.
          Hosts are read from the field url, or from ids that are addresses; {plural(data.hosts, "host")} {data.hosts === 1 ? "is" : "are"} known.
        </Empty>
      )}
      {data !== undefined && data.pairs.length > 0 && (
        <section class="card">
          {data.pairs.length < data.found && <p>The {count(data.pairs.length)} that save most.</p>}
          <Table
            caption="Hosts that mirror each other"
            columns={columns}
            rows={data.pairs}
            rowKey={({ a, b }) => `${a.host} ${b.host}`}
          />
          {data.left_out > 0 && (
            <p class="muted">{plural(data.left_out, "cluster")} of more than 64 hosts say nothing about mirrors and were left out.</p>
          )}
        </section>
      )}
      {data !== undefined && data.groups.length > 0 && (
        <section class="card">
          <h2>{plural(data.groups.length, "group")}</h2>
          <ul>
            {data.groups.map(({ size, hosts }) => (
              <li key={hosts[0]}>
                {plural(size, "host")}: {hosts.join(", ")}
                {hosts.length < size && " …"}
              </li>
            ))}
          </ul>
        </section>
      )}
    </Page>
  );
}

const columns: Column<MirrorPair>[] = [
  {
    title: "Hosts",
    heading: true,
    class: "wide",
    sort: ({ a, b }) => `${a.host} ${b.host}`,
    cell: ({ a, b }) => (
      <>
        {a.host}
        <br />
        {b.host}
      </>
    ),
  },
  { title: "Saved", number: true, sort: (row) => row.saved, cell: (row) => count(row.saved) },
  { title: "Clusters", number: true, sort: (row) => row.clusters, cell: (row) => count(row.clusters) },
  { title: "Same paths", number: true, sort: (row) => row.same_paths, cell: (row) => count(row.same_paths) },
  {
    title: "Of each",
    number: true,
    sort: ({ a, b }) => Math.min(a.share, b.share),
    cell: ({ a, b }) => (
      <>
        {percent(a.share)} of {count(a.documents)}
        <br />
        {percent(b.share)} of {count(b.documents)}
      </>
    ),
  },
  { title: "For example", cell: (row) => example(row) },
];

function example({ a, b }: MirrorPair) {
  if (a.example === null || b.example === null) return "–";
  const place = toPair({ id: a.example, labels: a.example_labels }, { id: b.example, labels: b.example_labels });
  return <Link {...place}>side by side</Link>;
}
