import { count, percent } from "../lib/format";
import { Link } from "../lib/router";
import type { SourceLoss } from "../lib/types";
import { type Column, Table } from "./table";

const MOST = 50;

const columns = (lost: string): Column<SourceLoss>[] => [
  {
    title: "Source",
    heading: true,
    class: "wide",
    sort: (row) => row.source,
    cell: (row) => (
      <Link class="name" dir="auto" title={row.source} to="clusters" query={{ filter: `source:${quoted(row.source)}` }}>
        {row.source}
      </Link>
    ),
  },
  { title: "Documents", number: true, sort: (row) => row.documents, cell: (row) => count(row.documents) },
  { title: lost, number: true, sort: (row) => row.removed, cell: (row) => count(row.removed) },
  { title: "Share", number: true, sort: share, cell: (row) => percent(share(row)) },
];

interface SourceTableProps {
  caption: string;
  /** What the documents are called that a source loses. */
  lost: string;
  sources: readonly SourceLoss[];
}

/** What sources lose, those first that lose the largest part. */
export function SourceTable({ caption, lost, sources }: SourceTableProps) {
  const losing = sources.toSorted((a, b) => share(b) - share(a)).slice(0, MOST);
  return (
    <>
      <Table caption={caption} columns={columns(lost)} rows={losing} rowKey={(row) => row.source} />
      {sources.length > MOST && <p class="muted">{count(sources.length - MOST)} more sources lose less.</p>}
    </>
  );
}

function share({ documents, removed }: SourceLoss): number {
  return documents === 0 ? 0 : removed / documents;
}

/** A value with spaces must be one word of the filter. */
function quoted(value: string): string {
  return /\s/.test(value) ? `"${value}"` : value;
}
