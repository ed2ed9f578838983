import { useData } from "../../lib/data";
import { bytes, duration, moment, percent, plural } from "../../lib/format";
import { type DocumentName, documentPath } from "../../lib/names";
import type { History, Version } from "../../lib/types";
import { Bar, type Column, Failed, Loading, Table } from "../../parts";
import { Facts } from "../../parts/facts";

const columns: Column<Version>[] = [
  { title: "Time", heading: true, class: "when", sort: (row) => row.time, cell: (row) => moment(row.time) },
  { title: "Like the one before", sort: (row) => row.similarity, cell: (row) => <Bar value={row.similarity} /> },
  {
    title: "Distance",
    number: true,
    sort: distance,
    cell: (row) => {
      const far = distance(row);
      return far === null ? "–" : percent(far);
    },
  },
  { title: "Size", number: true, sort: (row) => row.bytes, cell: (row) => bytes(row.bytes) },
  { title: "Changed", cell: (row) => <span class={row.changed ? "tag warn" : "tag"}>{row.changed ? "changed" : "unchanged"}</span> },
];

/** The versions of a document, and when to look for the next. */
export function DocumentHistory({ name }: { name: DocumentName }) {
  const { data, error, loading, reload } = useData<History>(documentPath(name, "/history"));
  if (error) return <Failed error={error} retry={reload} />;
  if (data === undefined) return loading ? <Loading lines={6} /> : null;
  const { versions, unchanged, recrawl } = data;
  return (
    <>
      <section class="card">
        <h2>Fetching it again</h2>
        <Facts
          facts={[
            ["Due", moment(recrawl.due)],
            ["Interval", duration(recrawl.interval)],
            ["Priority to crawl", percent(recrawl.crawl_priority)],
            ["Priority to index", percent(recrawl.index_priority)],
          ]}
        />
        <p class="muted">
          The interval doubles with every visit that finds nothing new and shrinks with every change. Priorities are low where a
          near-duplicate is known.
        </p>
      </section>
      <section class="card">
        <h2>{plural(versions.length, "version")}</h2>
        <p class="muted">
          {unchanged === 0 ? "It did not come again since the last." : `Since the last it came ${plural(unchanged, "time")} without a change.`}
        </p>
        <Table
          caption="Versions, the newest first"
          columns={columns}
          rows={versions.toReversed()}
          rowKey={(row) => `${row.time} ${versions.indexOf(row)}`}
        />
      </section>
    </>
  );
}

function distance({ similarity }: Version): number | null {
  return similarity === null ? null : 1 - similarity;
}
