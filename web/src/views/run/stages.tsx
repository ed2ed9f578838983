/** Where the time of a run went. */

import { duration } from "../../lib/format";
import { type Column, Table } from "../../parts";

interface Stage {
  name: string;
  seconds: number;
}

export function Stages({ stages }: { stages: Record<string, number> }) {
  const rows = Object.entries(stages).map(([name, seconds]) => ({ name, seconds }));
  if (rows.length === 0) return null;
  return (
    <details class="numbers">
      <summary>Time by stage</summary>
      <Table caption="Time by stage" columns={columns} rows={rows} rowKey={(row) => row.name} />
    </details>
  );
}

const columns: Column<Stage>[] = [
  { title: "Stage", heading: true, cell: (row) => row.name },
  { title: "Time", number: true, sort: (row) => row.seconds, cell: (row) => duration(row.seconds) },
];
