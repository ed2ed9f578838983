/** What a deduplication found. */

import { exactPercent } from "../../lib/figures";
import { bytes, count, duration, percent, similarity } from "../../lib/format";
import type { FoundBy, Report } from "../../lib/types";
import { type Column, Table } from "../../parts";
import { Facts } from "../../parts/facts";
import { NarrowingTable } from "./narrowing";
import { Stages } from "./stages";

export function DedupResult({ report }: { report: Report }) {
  const all = Math.max(1, report.documents);
  return (
    <section class="card">
      <h2>Result</h2>
      {report.warnings.length > 0 && (
        <ul class="run-warnings">
          {report.warnings.map((warning, place) => (
            <li key={place}>{warning}</li>
          ))}
        </ul>
      )}
      <Facts
        facts={[
          ["Documents", count(report.documents)],
          ["Kept", count(report.kept)],
          ["Removed", `${count(report.removed)} (${percent(report.removed / all)})`],
          ["Of these exact copies", count(report.exact_copies)],
          ["Clusters", count(report.clusters)],
          ["Pairs", count(report.pairs)],
          ["Candidates", count(report.candidates)],
          ["Threshold", similarity(report.threshold)],
          ["Found at the threshold", exactPercent(report.expected_recall)],
          ["Without anything to compare", count(report.empty)],
          ["Without a signature", count(report.unsigned)],
          ["Lines that are no documents", count(report.rejected)],
          ["Read", bytes(report.input_bytes)],
          ["Memory", bytes(report.peak_memory_bytes)],
          ["Time", duration(report.seconds)],
        ]}
      />
      {report.found_by !== undefined && report.found_by.length > 0 && (
        <>
          <h3>Who found what</h3>
          <Table caption="Pairs by the method that proposed them" columns={foundBy} rows={report.found_by} rowKey={(row) => row.method} />
        </>
      )}
      <NarrowingTable narrowing={report.narrowing} />
      <Stages stages={report.stages} />
    </section>
  );
}

const foundBy: Column<FoundBy>[] = [
  { title: "Method", heading: true, cell: (row) => row.method },
  { title: "Proposed", number: true, sort: (row) => row.candidates, cell: (row) => count(row.candidates) },
  { title: "Confirmed", number: true, sort: (row) => row.pairs, cell: (row) => count(row.pairs) },
  { title: "By it alone", number: true, sort: (row) => row.only, cell: (row) => count(row.only) },
  { title: "Missed by it", number: true, sort: (row) => row.missed, cell: (row) => count(row.missed) },
];
