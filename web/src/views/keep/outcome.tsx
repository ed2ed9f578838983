import { bytes, count, idKey, idText, plural } from "../../lib/format";
import { Link } from "../../lib/router";
import type { Preview } from "../../lib/types";
import { type Column, Empty, Name, Table } from "../../parts";
import { type Figure, Figures } from "../../parts/figures";
import { SourceTable } from "../../parts/source-table";

type Example = Preview["examples"][number];

/** Removed documents of an example that are named. */
const NAMED = 3;

const columns: Column<Example>[] = [
  {
    title: "Cluster",
    heading: true,
    class: "wide",
    cell: (row) => <Name id={row.cluster} title={row.title} to={["clusters", row.cluster]} />,
  },
  { title: "Stays", class: "keep-id", cell: (row) => <Name id={row.keeps} to={["documents", row.keeps]} /> },
  {
    title: "Stayed before",
    class: "keep-id",
    cell: (row) =>
      row.kept_before === row.keeps ? (
        <span class="muted">the same</span>
      ) : (
        <Name id={row.kept_before} to={["documents", row.kept_before]} />
      ),
  },
  { title: "Goes", class: "keep-goes", cell: (row) => <Goes row={row} /> },
];

function Goes({ row }: { row: Example }) {
  const more = row.removes.length - NAMED;
  return (
    <>
      {row.removes.slice(0, NAMED).map((id, place) => (
        <span key={place}>
          {place > 0 && ", "}
          <Link to={["pairs", row.keeps, id]} query={{ in: idText(row.cluster) }} dir="auto">
            {idText(id)}
          </Link>
        </span>
      ))}
      {more > 0 && ` and ${count(more)} more`}
    </>
  );
}

/** What would be removed, in numbers and examples. */
export function Outcome({ preview }: { preview: Preview }) {
  if (preview.removed === 0) {
    return <Empty title="Nothing would be removed.">No cluster that the filter lets through has a second document.</Empty>;
  }
  const figures: Figure[] = [
    ["Removed", count(preview.removed), preview.removed === 1 ? "document would go" : "documents would go"],
    ["Clusters", count(preview.clusters), "of which one document stays each"],
    ["Text", bytes(preview.bytes), "that goes"],
    ["Changed", count(preview.changed), "clusters would keep another document"],
  ];
  return (
    <>
      <Figures figures={figures} />
      {preview.stay > 0 && (
        <p class="note">{plural(preview.stay, "document is", "documents are")} not like the one that is kept, and would stay beside it.</p>
      )}
      {preview.examples.length > 0 && (
        <>
          <h3>{plural(preview.examples.length, "example")}</h3>
          <Table
            caption="Examples of what stays and goes"
            columns={columns}
            rows={preview.examples}
            rowKey={(row) => idKey(row.cluster)}
          />
        </>
      )}
      {preview.sources.length > 0 && (
        <>
          <h3>Sources</h3>
          <SourceTable caption="What each source loses" lost="Removed" sources={preview.sources} />
        </>
      )}
    </>
  );
}
