import { useData } from "../../lib/data";
import { bytes, count, duration, moment, percent, plural } from "../../lib/format";
import { type DocumentName, documentPath } from "../../lib/names";
import type { History, Version } from "../../lib/types";
import { Bar, type Column, Failed, Loading, Table } from "../../parts";
import { Facts } from "../../parts/facts";

const columns: Column<Version>[] = [
  { title: "Time", heading: true, class: "when", sort: (row) => row.time, cell: (row) => moment(row.time) },
  { title: "What changed", cell: (row) => changed(row) },
  { title: "Like the one before", sort: (row) => row.similarity, cell: (row) => <Bar value={row.similarity} /> },
  { title: "Bits", number: true, sort: (row) => row.distance, cell: (row) => (row.distance === null ? "–" : count(row.distance)) },
  { title: "Fingerprint", cell: (row) => (row.fingerprint === null ? "–" : <code>{row.fingerprint}</code>) },
  { title: "Size", number: true, sort: (row) => row.bytes, cell: (row) => bytes(row.bytes) },
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
          {unchanged === 0 ? "It did not come again since the last." : `Since the last it came ${plural(unchanged, "time")} without a change.`}{" "}
          Bits are those in which the fingerprint, a simhash, differs from the one before.
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

/** The first version differs from nothing; of versions from before this was recorded it is not known. */
function changed({ difference, distance, similarity, came_back_to }: Version) {
  if (difference === null && distance === null) return similarity === null ? "–" : "not known";
  return (
    <>
      {difference === null ? "another text" : difference[0] === "none" ? "not its text" : difference.join(", ")}
      {came_back_to !== undefined && <span class="tag warn">as it was {moment(came_back_to)}</span>}
    </>
  );
}
