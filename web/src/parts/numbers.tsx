import { Table } from "./table";

interface NumbersProps {
  caption: string;
  head: [string, ...string[]];
  /** The first of each row names it. */
  rows: readonly (readonly string[])[];
}

interface Numbered {
  cells: readonly string[];
  place: number;
}

/** The numbers behind a chart, for who cannot see it or wants them exactly. */
export function Numbers({ caption, head, rows }: NumbersProps) {
  const numbered = rows.map((cells, place) => ({ cells, place }));
  return (
    <details class="numbers">
      <summary>Numbers</summary>
      <Table
        caption={caption}
        rows={numbered}
        rowKey={(row) => row.place}
        columns={head.map((title, column) => ({
          title,
          heading: column === 0,
          number: column > 0,
          cell: (row: Numbered) => row.cells[column],
        }))}
      />
    </details>
  );
}
