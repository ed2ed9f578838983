import type { ComponentChildren, Key } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";

export interface Column<T> {
  title: string;
  cell: (row: T, place: number) => ComponentChildren;
  /** By what the column can be sorted; absent: it cannot. Null is always last. */
  sort?: (row: T) => number | string | null;
  /** Numbers stand at the right. */
  number?: boolean;
  /** The column names its row. */
  heading?: boolean;
  class?: string;
}

interface TableProps<T> {
  /** What the table holds, for screen readers. */
  caption: string;
  columns: readonly Column<T>[];
  rows: readonly T[];
  rowKey: (row: T) => Key;
  rowClass?: (row: T) => string | undefined;
}

interface Order {
  column: number;
  descending: boolean;
}

/** More than a screen holds; further rows come with the frames after, so many with each. */
const ROWS_A_FRAME = 40;

/** A table that is sorted by a click on its headings; the first click on a column of numbers puts the largest on top. */
export function Table<T>({ caption, columns, rows, rowKey, rowClass }: TableProps<T>) {
  const [order, setOrder] = useState<Order | null>(null);
  const by = order === null ? undefined : columns[order.column]?.sort;
  const sorted = useMemo(
    () => (by === undefined ? rows : sortRows(rows, by, order?.descending ?? false)),
    // The function is a new one with each render and yet the same for the same column.
    [rows, order],
  );
  const drawn = useGrowing(rows.length);
  const click = (place: number, column: Column<T>) => {
    const descending = order?.column === place ? !order.descending : column.number === true;
    setOrder({ column: place, descending });
  };
  return (
    <div class="table-around" role="region" aria-label={caption} tabIndex={0}>
      <table>
        <caption class="hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column, place) => (
              <th key={column.title} scope="col" class={cellClass(column)} aria-sort={direction(order, place, column)}>
                {column.sort === undefined ? (
                  column.title
                ) : (
                  <button type="button" class="sort" onClick={() => click(place, column)}>
                    {column.title}
                  </button>
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {sorted.slice(0, drawn).map((row, place) => (
            <tr key={rowKey(row)} class={rowClass?.(row)}>
              {columns.map((column) =>
                column.heading ? (
                  <th key={column.title} scope="row" class={cellClass(column)}>
                    {column.cell(row, place)}
                  </th>
                ) : (
                  <td key={column.title} class={cellClass(column)}>
                    {column.cell(row, place)}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** A number that grows until it has reached the total. */
function useGrowing(total: number): number {
  const [reached, setReached] = useState(ROWS_A_FRAME);
  useEffect(() => {
    if (reached >= total) return;
    const frame = requestAnimationFrame(() => setReached(reached + ROWS_A_FRAME));
    return () => cancelAnimationFrame(frame);
  }, [reached, total]);
  return reached;
}

function cellClass<T>(column: Column<T>): string | undefined {
  return [column.number && "number", column.class].filter(Boolean).join(" ") || undefined;
}

function direction<T>(order: Order | null, place: number, column: Column<T>) {
  if (column.sort === undefined) return undefined;
  if (order?.column !== place) return "none";
  return order.descending ? "descending" : "ascending";
}

function sortRows<T>(rows: readonly T[], by: (row: T) => number | string | null, descending: boolean): T[] {
  const keyed = rows.map((row) => ({ row, key: by(row) }));
  keyed.sort((a, b) => {
    if (a.key === null || b.key === null) return Number(a.key === null) - Number(b.key === null);
    const compared =
      typeof a.key === "number" && typeof b.key === "number" ? a.key - b.key : String(a.key).localeCompare(String(b.key));
    return descending ? -compared : compared;
  });
  return keyed.map(({ row }) => row);
}
