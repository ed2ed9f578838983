import { bytes, count, nameText, plural } from "../../lib/format";
import { isSame, nameKey, nameOf } from "../../lib/names";
import { toCluster, toDocument, toPair } from "../../lib/places";
import { Link } from "../../lib/router";
import type { Preview, RemovalExample } from "../../lib/types";
import { type Column, Empty, Name, Table } from "../../parts";
import { type Figure, Figures } from "../../parts/figures";
import { SourceTable } from "../../parts/source-table";

/** Removed documents of an example that are named. */
const NAMED = 3;

const columns: Column<RemovalExample>[] = [
  {
    title: "Cluster",
    heading: true,
    class: "wide",
    cell: (row) => <Name {...keptBefore(row)} title={row.title} {...toCluster(keptBefore(row))} />,
  },
  { title: "Stays", class: "keep-id", cell: (row) => <Name {...kept(row)} {...toDocument(kept(row))} /> },
  {
    title: "Stayed before",
    class: "keep-id",
    cell: (row) =>
      isSame(keptBefore(row), kept(row)) ? (
        <span class="muted">the same</span>
      ) : (
        <Name {...keptBefore(row)} {...toDocument(keptBefore(row))} />
      ),
  },
  { title: "Goes", class: "keep-goes", cell: (row) => <Goes row={row} /> },
];

function kept({ keeps, keeps_labels }: RemovalExample) {
  return nameOf({ id: keeps, labels: keeps_labels });
}

function keptBefore({ kept_before, kept_before_labels }: RemovalExample) {
  return nameOf({ id: kept_before, labels: kept_before_labels });
}

function Goes({ row }: { row: RemovalExample }) {
  const more = row.removes.length - NAMED;
  const names = row.removes.slice(0, NAMED).map((id, place) => nameOf({ id, labels: row.removes_labels[place] }));
  return (
    <>
      {names.map((name, place) => (
        <span key={place}>
          {place > 0 && ", "}
          <Link {...toPair(kept(row), name, keptBefore(row))} dir="auto">
            {nameText(name)}
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
        <p class="note">
          {plural(preview.stay, "document")} would stay beside the one that is kept: not like it, or with readers who may not see it.
        </p>
      )}
      {preview.examples.length > 0 && (
        <>
          <h3>{plural(preview.examples.length, "example")}</h3>
          <Table
            caption="Examples of what stays and goes"
            columns={columns}
            rows={preview.examples}
            rowKey={(row) => nameKey(keptBefore(row))}
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
