/** What comparing only within clusters saved and cost. */

import { exactPercent } from "../../lib/figures";
import { count } from "../../lib/format";
import type { Narrowed } from "../../lib/types";
import { type Column, Table } from "../../parts";

export function NarrowingTable({ narrowing }: { narrowing: readonly Narrowed[] | undefined }) {
  if (narrowing === undefined || narrowing.length === 0) return null;
  return (
    <>
      <h3>Comparisons saved by clusters</h3>
      <Table caption="What clusters saved and lost" columns={columns} rows={narrowing} rowKey={(row) => row.method} />
    </>
  );
}

const columns: Column<Narrowed>[] = [
  { title: "Clustering", heading: true, cell: (row) => row.clustering },
  { title: "Clusters", number: true, cell: (row) => count(row.clusters) },
  { title: "Largest", number: true, cell: (row) => count(row.largest) },
  { title: "Comparisons", number: true, cell: (row) => `${count(row.comparisons)} of ${count(row.all_pairs)}` },
  { title: "Saved", number: true, cell: (row) => exactPercent(row.saved) },
  {
    title: "Lost, of sampled pairs",
    cell: (row) => row.lost.map((level) => `${count(level.lost)} of ${count(level.pairs)} from cosine ${level.cosine}`).join("; "),
  },
];
